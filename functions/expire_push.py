"""DELETE /api/v2/pushes/{url_token}: expire a push now, for its sender, and for recipients if the sender allowed it."""

from shared.service import cold_start, pushes
from shared.web import api, wire

cold_start.make_clients("dynamodb")


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Return 200, even if the push had already expired."""
    push = pushes.expire_push(request.url_token, request.caller, now=request.now, manage_key=request.manage_key)
    return api.ok(wire.expired_push(push, request.url_token, request.links, now=request.now))
