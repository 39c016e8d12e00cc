"""GET /up: return 200 if this installation can serve requests, else 503."""

from shared.service import cold_start, pushes
from shared.web import api

cold_start.make_clients("dynamodb")


@api.public
def handler(_request: api.Request) -> api.Response:
    """Return 200 if DynamoDB responds; otherwise the edge returns 503."""
    pushes.check_health()
    return api.ok({"status": "up"})
