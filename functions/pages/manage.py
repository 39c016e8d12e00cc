"""GET /m/{url_token}/{manage_key}: the anonymous sender's own page, with the link and the state of the push.

Its form deletes the push by a POST to /p/{url_token}/expire.
"""

from shared.domain import errors
from shared.domain.sentence import Sentence
from shared.service import cold_start, pushes
from shared.web import pages, push_links
from shared.web.sharing import sharing_values

cold_start.make_clients("dynamodb")
pages.prepare()

NO_LONGER_KNOWN = Sentence("This page is no longer there, or its address is not complete.")


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Show the page, also after the push has ended. The address is the credential: no session is needed."""
    key = push_links.strip_punctuation(request.parameter("manage_key"))
    try:
        push = pushes.find_managed(request.url_token, key, now=request.now)
    except errors.NotFound:
        return pages.Page("refused.html", {"sentence": NO_LONGER_KNOWN, "anonymous": True}, 404)
    is_expired = push.is_expired(request.now)
    values = {"push": push, "sealed_key_id": ""} if is_expired else sharing_values(request, push)
    own = {"is_expired": is_expired, "url_token": request.url_token, "manage_key": key, "anonymous": True}
    return pages.Page("manage.html", values | own)
