"""POST /api/v2/pushes: create a push and return its link."""

from typing import Any

from shared.service import cold_start, create
from shared.web import api, body, cors, wire
from shared.web.request import Event

cold_start.make_clients("dynamodb", "secretsmanager")


def handler(event: Event, context: object) -> Event:
    """One function makes a push and tells a browser that pages of any origin may, by API v1 (CORS)."""
    handle = _create if event["routeKey"].startswith("POST ") else _preflight
    return handle(event, context)


@api.endpoint
def _create(request: api.Request) -> api.Response:
    """Answer 201; the order of checks is the contract's: the token, the body, then what `service` checks."""
    key, parameters = request.idempotency_key(), _parameters(request)
    created = create.create_push(parameters, request.caller, now=request.now, key=key)
    return api.created(wire.created_push(created, request.links))


def _parameters(request: api.Request) -> dict[str, Any]:
    """What the body says of a push. Raises: MalformedRequest."""
    dialect = request.dialect
    content_type = request.header("content-type") or dialect.media_type
    return dialect.with_kind(body.push_parameters(content_type, request.body(), dialect.wrapper))


@api.public
def _preflight(_request: api.Request) -> api.Response:
    """Answer 204: what may be sent does not depend on who asks (Fetch, section 3.2.2)."""
    return api.Response(204, None, cors.preflight("POST"))
