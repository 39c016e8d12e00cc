"""GET /notices/{token}: the page behind the link in a mail, to stop further mails."""

from shared.domain import errors
from shared.service import cold_start, notices
from shared.web import pages

cold_start.make_clients("dynamodb", "secretsmanager")
pages.prepare()


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """For a GET, show a button, because mail scanners follow links. For a POST, stop the mails.

    A POST needs no session and no CSRF token, because only the recipient of the mail has the token in the path. The
    button of a mail program sends such a POST, without a cookie (RFC 8058).
    """
    act = notices.stop if request.method == "POST" else notices.find_stop
    try:
        stop = act(request.parameter("token"), now=request.now)
    except errors.NotFound:
        return pages.Page("stop_notices.html", {"stop": None, "anonymous": True}, 404)
    return pages.Page("stop_notices.html", {"stop": stop, "anonymous": True})
