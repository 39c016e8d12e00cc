"""GET /api/v2/pushes/{url_token}/audit: return the audit log of a push, for its owner."""

from shared.service import cold_start, pushes
from shared.web import api, wire

cold_start.make_clients("dynamodb")


@api.for_owners
def handler(request: api.Request) -> api.Response:
    """Return 200. Checks run in the contract's order (section 5): 401, 404, 403, 400."""
    owned = pushes.find_owned(request.url_token, request.caller, now=request.now)
    entries, more = pushes.audit_log(owned, request.page_number())
    return api.page_response(wire.audit_log(entries, request.dialect.audit_key), request, more=more)
