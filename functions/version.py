"""GET /api/v2/version: return the version and the features, with any API token or none."""

from shared.web import api, wire


@api.public
def handler(request: api.Request) -> api.Response:
    """Return 200. API v1's version has no features."""
    is_v1 = "/api/v1/" in request.route
    return api.ok(wire.version_of_v1() if is_v1 else wire.version(request.settings))
