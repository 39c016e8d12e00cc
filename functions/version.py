"""GET /api/v2/version: what this installation is and can do, whatever token is sent."""

from shared import api, wire


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Answer 200, always."""
    return api.ok(wire.version(request.settings))
