"""POST /api/v2/pushes: seal a secret and give its link."""

from shared import api, rules, service, wire


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Answer 201; the order of checks is the contract's (section 3): token, shape of the body, fields."""
    caller = request.caller
    new = rules.new_push(request.push_parameters, request.settings)
    made = service.create_push(new, caller, now=request.now)
    return api.created(wire.created(made, request.base_url, now=request.now))
