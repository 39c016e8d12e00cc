"""POST /api/v2/pushes: seal a secret and give its link."""

from shared import api, auth, rules, service, wire


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Answer 201; the order of checks is the contract's (section 3): token, shape of the body, files, fields."""
    caller, parameters = request.caller, request.push_parameters
    auth.permit_files(caller, request.settings, wanted=rules.asks_for_files(parameters))
    new = rules.new_push(parameters, request.settings)
    made = service.create_push(new, caller, now=request.now)
    return api.created(wire.created(made, request.base_url, now=request.now))
