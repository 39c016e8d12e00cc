"""Everything else: the gateway's own 404 has neither the API's headers nor its error body."""

from typing import NoReturn

from shared.domain import errors
from shared.web import api
from shared.web.request import Event


def handler(event: Event, context: object) -> Event:
    """Answer 404, whatever it is: a page to whoever asks for one; JSON to everybody else, and on the API's paths."""
    accepted = (event.get("headers") or {}).get("accept", "")
    is_of_api = event["rawPath"].startswith("/api/")
    return _page(event, context) if "text/html" in accepted and not is_of_api else _endpoint(event, context)


@api.for_nobody
def _endpoint(request: api.Request) -> NoReturn:
    _refuse(request)


def _page(event: Event, context: object) -> Event:
    # Templates are slow to load, and scanners ask for none; the package says where they are.
    import functions.pages  # noqa: F401
    from shared.web import pages

    return pages.for_nobody(_refuse)(event, context)


def _refuse(_request: object) -> NoReturn:
    raise errors.NotFound
