"""GET /api/v2/pushes/{url_token}: return the payload and count a view."""

from shared.service import cold_start, retrieve
from shared.web import api, wire

cold_start.make_clients("dynamodb", "secretsmanager")


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Return 200, with the payload or, for an expired push, without it."""
    request.refuse_prefetch()
    passphrase, key = request.passphrase(), request.idempotency_key()
    result = retrieve.retrieve_push(request.url_token, passphrase, request.caller, now=request.now, key=key)
    return api.ok(wire.retrieved_push(result, request.url_token, request.links))
