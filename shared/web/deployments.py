"""The edge of deployments: handlers of CloudFormation custom resources.

CloudFormation waits for a response, which is a PUT to the URL in the event. Without it, the deployment hangs until the
resource's ServiceTimeout (CloudFormation user guide, crpg-ref-requests and -responses).
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

# Back-off: seconds before each retry. IAM is eventually consistent, so a new role's permissions may not work at once
# (IAM user guide, "Changes that I make are not always immediately visible").
_PAUSES = (5, 10, 20)
_ANSWER_TIME = 5


def custom_resource(work: Work) -> Callable[[Event, Any], None]:
    """Return a handler that runs `work` when the resource is created or updated, and always responds.

    `work` must be idempotent, because Lambda retries if the response is lost. Deleting the resource does nothing.

    Raises: URLError, if the response cannot be sent; Lambda then retries.
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
    """Run the work, with retries. Return the error and its place in the code, or an empty string after success.

    The text never includes an error's message.
    """
    reason = ""
    for pause in (0, *_PAUSES):
        time.sleep(pause)
        try:
            work()
        except Exception as error:  # noqa: BLE001 (CloudFormation must get a response)
            reason = "; ".join(describe_error(error))
        else:
            return ""
    return reason


def _answer(event: Event, reason: str) -> None:
    answer = {
        "Status": "FAILED" if reason else "SUCCESS",
        "Reason": reason or "done",
        # Never changes: if it did, CloudFormation would delete the resource with the old id.
        "PhysicalResourceId": event.get("PhysicalResourceId", event["LogicalResourceId"]),
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    # The URL's signature covers no content type, so the request must not have one.
    request = urllib.request.Request(  # noqa: S310 (the address is CloudFormation's own)
        event["ResponseURL"], data=json.dumps(answer).encode(), headers={"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=_ANSWER_TIME):  # noqa: S310 (as above)
        pass
