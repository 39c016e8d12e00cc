"""GET /notices/{token}: where the link in a mail leads, by which its reader stops more of them."""

from shared.domain import errors
from shared.service import cold_start, notices
from shared.web import pages

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Ask by a GET, since scanners of mails follow links; a POST does it, whoever sends it: the token is the authority.

    A mail program that has a button of its own sends that POST, without a cookie (RFC 8058).
    """
    act = notices.stop if request.method == "POST" else notices.find_stop
    try:
        stop = act(request.parameter("token"), now=request.now)
    except errors.NotFound:
        return pages.Page("stop_notices.html", {"stop": None, "anonymous": True}, 404)
    return pages.Page("stop_notices.html", {"stop": stop, "anonymous": True})
