"""GET /api/v2/pushes/active: list the owner's active pushes, newest first."""

from shared.service import cold_start, pushes
from shared.web import api, wire

cold_start.make_clients("dynamodb", "secretsmanager")


@api.for_owners
def handler(request: api.Request) -> api.Response:
    """Return 200 with one page of pushes."""
    listed, more = pushes.active_pushes(request.caller, request.page_number(), now=request.now)
    return api.page_response(wire.listed_pushes(listed, request.links, now=request.now), request, more=more)
