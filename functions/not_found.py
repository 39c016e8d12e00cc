"""The default route: 404 with the API's headers and error body, which the gateway's own 404 lacks."""

from typing import NoReturn

from shared.domain import errors
from shared.web import api, cors
from shared.web.request import Event

_METHODS = "GET, HEAD, POST, DELETE"


def handler(event: Event, context: object) -> Event:
    """Return 404: HTML if the request accepts it and is not under `/api/`, else JSON."""
    accepted = (event.get("headers") or {}).get("accept", "")
    is_page = "text/html" in accepted and not _is_of_api(event["rawPath"])
    return _page(event, context) if is_page else _endpoint(event, context)


def _is_of_api(path: str) -> bool:
    return path.startswith("/api/")


@api.public
def _endpoint(request: api.Request) -> api.Response:
    # CORS preflight requests arrive here, because no route accepts OPTIONS.
    is_preflight = request.original_method == "OPTIONS" and _is_of_api(request.path) and request.settings.cors_origins
    return api.Response(204, None, cors.preflight(_METHODS)) if is_preflight else _refuse(request)


def _page(event: Event, context: object) -> Event:
    # Imported here: templates are slow to load, and scanners do not ask for HTML. The package sets their directory.
    import functions.pages  # noqa: F401
    from shared.web import pages

    return pages.public(_refuse)(event, context)


def _refuse(_request: object) -> NoReturn:
    raise errors.NotFound
