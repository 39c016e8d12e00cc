"""The edge of deployments: a custom resource of the template, whose answer CloudFormation waits for.

The answer is a PUT to the URL in its event. Without one the whole deployment would wait until the resource's
ServiceTimeout (CloudFormation user guide, crpg-ref-requests and -responses).
"""

import json
import time
import urllib.request
from collections.abc import Callable
from functools import wraps
from typing import Any

from shared.runtime import deadline
from shared.web.logs import describe_error, lambda_handler, logger

Work = Callable[[], None]
Event = dict[str, Any]

# Back-off, in seconds before each further try: a new role's permissions take time to reach all of AWS (IAM user guide,
# "Changes that I make are not always immediately visible").
_PAUSES = (5, 10, 20)
_ANSWER_TIME = 5


def custom_resource(work: Work) -> Callable[[Event, Any], None]:
    """Make a handler that does the work when the resource is created or updated, and always answers.

    The work is idempotent: when an answer is lost, Lambda calls again. A deletion undoes nothing.

    Raises: URLError, when the answer cannot be sent; Lambda then calls again.
    """

    @lambda_handler
    @wraps(work)
    def handle(event: Event, context: Any) -> None:
        with deadline.within(context.get_remaining_time_in_millis() / 1000 - _ANSWER_TIME):
            reason = _failure(work) if event["RequestType"] != "Delete" else ""
        line = {"work": work.__name__, "request_type": event["RequestType"], "failure": reason}
        (logger.error if reason else logger.info)("deployment", extra=line)
        _answer(event, reason)

    return handle


def _failure(work: Work) -> str:
    """What failed at the last try, and where; empty once a try succeeds. Never the message of an error."""
    reason = ""
    for pause in (0, *_PAUSES):
        time.sleep(pause)
        try:
            work()
        except Exception as error:  # noqa: BLE001 (whatever it is, CloudFormation must be told)
            reason = "; ".join(describe_error(error))
        else:
            return ""
    return reason


def _answer(event: Event, reason: str) -> None:
    answer = {
        "Status": "FAILED" if reason else "SUCCESS",
        "Reason": reason or "done",
        # Always the same one: CloudFormation would delete the resource that the old one names.
        "PhysicalResourceId": event.get("PhysicalResourceId", event["LogicalResourceId"]),
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    # The URL is signed without a content type, so none may be sent.
    request = urllib.request.Request(  # noqa: S310 (the address is CloudFormation's own)
        event["ResponseURL"], data=json.dumps(answer).encode(), headers={"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=_ANSWER_TIME):  # noqa: S310 (as above)
        pass
