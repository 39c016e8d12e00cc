"""The third edge: a custom resource of the template, for which a deployment waits until it hears of it.

CloudFormation hears by a PUT to the address that its event brings; without one it would wait, and the whole deployment
with it, until the resource's ServiceTimeout (CloudFormation user guide, crpg-ref-requests and -responses).
"""

import json
import math
import time
import urllib.request
from collections.abc import Callable
from functools import wraps
from typing import Any

from shared import deadline
from shared.web.logs import described, logger

Work = Callable[[], None]
Event = dict[str, Any]

# Seconds before each further try: what a role may do is not known everywhere as soon as it is made (IAM user guide,
# "Changes that I make are not always immediately visible").
_PAUSES = (5, 10, 20)
_ANSWER_TIME = 5


def custom_resource(work: Work) -> Callable[[Event, Any], None]:
    """Do the work when the resource is made or changed, and answer in any case. A deletion undoes nothing.

    The work has to bear being done again: a lost answer makes Lambda call once more.
    """

    @wraps(work)
    def handle(event: Event, context: Any) -> None:
        left = context.get_remaining_time_in_millis() / 1000 if context else math.inf
        with deadline.within(left - _ANSWER_TIME):
            reason = _failure(work) if event["RequestType"] != "Delete" else ""
        line = {"work": work.__name__, "request_type": event["RequestType"], "failure": reason}
        (logger.error if reason else logger.info)("deployment", extra=line)
        _answer(event, reason)

    return handle


def _failure(work: Work) -> str:
    """What went wrong at the last try and where, empty when a try went well. Never the message of an error."""
    reason = ""
    for pause in (0, *_PAUSES):
        time.sleep(pause)
        try:
            work()
        except Exception as error:  # noqa: BLE001 (whatever it is, the deployment has to hear of it)
            reason = "; ".join(described(error))
        else:
            return ""
    return reason


def _answer(event: Event, reason: str) -> None:
    answer = {
        "Status": "FAILED" if reason else "SUCCESS",
        "Reason": reason or "done",
        # Never another one: CloudFormation would delete the resource of the one before.
        "PhysicalResourceId": event.get("PhysicalResourceId", event["LogicalResourceId"]),
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    # The address is signed without a content type, so none may be sent.
    request = urllib.request.Request(  # noqa: S310 (the address is CloudFormation's own)
        event["ResponseURL"], data=json.dumps(answer).encode(), headers={"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(request, timeout=_ANSWER_TIME):  # noqa: S310 (as above)
        pass
