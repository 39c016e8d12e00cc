"""POST /api/v2/pushes: create a push and return its link."""

from shared.domain import rules
from shared.service import cold_start, create
from shared.web import api, body, cors, wire
from shared.web.request import Event

cold_start.make_clients("dynamodb", "secretsmanager")


def handler(event: Event, context: object) -> Event:
    """Create a push, or answer a CORS preflight of API v1."""
    handle = _create if event["routeKey"].startswith("POST ") else _preflight
    return handle(event, context)


@api.endpoint
def _create(request: api.Request) -> api.Response:
    """Return 201. Checks run in the contract's order: the token, the body, then the rules in `service`."""
    key, dialect = request.idempotency_key(), request.dialect
    content_type = request.header("content-type") or dialect.media_type
    new = body.new_push(content_type, request.body(), dialect.wrapper)
    parameters = dialect.with_kind(new.fields)
    created = create.create_push(parameters, request.caller, now=request.now, key=key)
    return api.created(wire.created_push(created, request.links_in(new.push_locale), rules.ignored_names(parameters)))


@api.public
def _preflight(_request: api.Request) -> api.Response:
    """Return 204. Preflight requests carry no credentials (Fetch, section 3.2.2), so this needs none."""
    return api.Response(204, None, cors.preflight("POST"))
