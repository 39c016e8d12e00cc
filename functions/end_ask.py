"""DELETE /api/v2/asks/{ask_token}: end an ask, for its owner."""

from shared.service import asks, cold_start
from shared.web import api, wire

cold_start.make_clients("dynamodb", "secretsmanager")


@api.for_owners
def handler(request: api.Request) -> api.Response:
    """Return 200, even if the ask had already ended."""
    ended = asks.end_ask(request.ask_token, request.caller, now=request.now)
    return api.ok(wire.ask(ended, request.links, now=request.current_time()))
