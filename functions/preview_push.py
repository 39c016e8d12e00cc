"""GET /api/v2/pushes/{url_token}/preview: return the secret URL without counting a view."""

from shared.service import cold_start, pushes
from shared.web import api, wire

cold_start.make_clients("dynamodb")


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Return 200. Previews count no view and write no audit entry."""
    push = pushes.preview_push(request.url_token, now=request.now)
    return api.ok(wire.preview(push, request.url_token, request.links))
