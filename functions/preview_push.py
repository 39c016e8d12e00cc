"""GET /api/v2/pushes/{url_token}/preview: the secret URL, without a look at the secret."""

from shared import cold_start, service
from shared.web import api, wire

cold_start.make_clients("dynamodb")


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Answer 200; no view, no audit entry."""
    push = service.preview_push(request.url_token, request.caller, now=request.now)
    return api.ok(wire.preview(push, request.url_token, request.links))
