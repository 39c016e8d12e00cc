"""GET /api/v2/pushes/{url_token}/status: return the state of an anonymous push, for its sender."""

from shared.service import cold_start, pushes
from shared.web import api, wire

cold_start.make_clients("dynamodb")


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Return 200, or 404 without the push's manage key. It counts no view and writes no audit entry."""
    push = pushes.find_managed(request.url_token, request.manage_key or "", now=request.now)
    return api.ok(wire.push_status(push, now=request.now))
