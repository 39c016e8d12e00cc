"""POST /api/v2/pushes/{url_token}/notify_emails: mail the link of a push, for its owner."""

from shared.service import cold_start, mailing
from shared.web import api, body

cold_start.make_clients("dynamodb")


@api.endpoint
def handler(request: api.Request) -> api.Response:
    """Return 201 once the mails are ordered.

    Checks, in this order (contract, section 12): 404 if the installation sends no mail; those of the audit endpoint;
    the body.
    """
    parameters = body.parameters(request.header("content-type"), request.body())
    mailing.mail_link(request.url_token, parameters, request.caller, now=request.now)
    return api.created({"message": "The link is on its way."})
