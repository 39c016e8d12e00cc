"""GET /up: return 200 if this installation can serve requests, else 503."""

from shared.service import cold_start, pushes
from shared.web import api

cold_start.make_clients("dynamodb")


@api.public
def handler(_request: api.Request) -> api.Response:
    """Answer 200 once the table of pushes has answered; where it does not, the edge says 503."""
    pushes.check_health()
    return api.ok({"status": "up"})
