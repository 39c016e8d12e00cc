"""GET /api/v2/asks: list the owner's asks, newest first."""

from shared.service import asks, cold_start
from shared.web import api, wire

cold_start.make_clients("dynamodb", "secretsmanager")


@api.for_owners
def handler(request: api.Request) -> api.Response:
    """Return 200 with one page of asks."""
    listed, more = asks.list_asks(request.caller, request.page_number(), now=request.now)
    rows = [wire.ask(one, request.links, now=request.now) for one in listed]
    return api.page_response(rows, request, more=more)
