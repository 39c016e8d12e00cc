"""Everything else: the gateway's own 404 has neither the API's headers nor its error body."""

from typing import NoReturn

from shared.domain import errors
from shared.web import api, cors
from shared.web.request import Event

_METHODS = "GET, HEAD, POST, DELETE"


def handler(event: Event, context: object) -> Event:
    """Answer 404, whatever it is: a page to whoever asks for one; JSON to everybody else, and on the API's paths."""
    accepted = (event.get("headers") or {}).get("accept", "")
    is_page = "text/html" in accepted and not _is_of_api(event["rawPath"])
    return _page(event, context) if is_page else _endpoint(event, context)


def _is_of_api(path: str) -> bool:
    return path.startswith("/api/")


@api.public
def _endpoint(request: api.Request) -> api.Response:
    # A browser asks before it sends to another origin, of which no route is for any method (CORS).
    is_preflight = request.original_method == "OPTIONS" and _is_of_api(request.path) and request.settings.cors_origins
    return api.Response(204, None, cors.preflight(_METHODS)) if is_preflight else _refuse(request)


def _page(event: Event, context: object) -> Event:
    # Templates are slow to load, and scanners ask for none; the package says where they are.
    import functions.pages  # noqa: F401
    from shared.web import pages

    return pages.public(_refuse)(event, context)


def _refuse(_request: object) -> NoReturn:
    raise errors.NotFound
