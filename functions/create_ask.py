"""POST /api/v2/asks: create an ask: a link to send its owner a secret."""

from shared.service import asks, cold_start
from shared.web import api, body, wire

cold_start.make_clients("dynamodb", "secretsmanager")


@api.for_owners
def handler(request: api.Request) -> api.Response:
    """Return 201. Checks run in the contract's order (section 16): 401, 400, 403, 422."""
    key = request.idempotency_key()
    parameters = body.new_ask(request.header("content-type"), request.body())
    created = asks.create_ask(parameters, request.caller, now=request.now, key=key)
    return api.created(wire.ask(created, request.links, now=created.ask.created_at))
