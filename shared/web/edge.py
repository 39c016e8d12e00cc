"""The one edge of all HTTP functions: who asks is settled before the handler runs, and every refusal is an answer.

Nothing secret leaves through a log line: a line names the route, never a path, a query, a header or a message.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, NamedTuple, TypeVar

from shared.domain import errors
from shared.domain.audit import Caller
from shared.runtime import deadline, metrics
from shared.web import statuses
from shared.web.logs import describe_error, lambda_handler, logger, write_metrics
from shared.web.request import Event, Request

R = TypeVar("R", bound=Request)
A = TypeVar("A")
_SERVER_ERRORS = 500  # and above
Handle = Callable[[Event, object], Event]


class Edge(NamedTuple, Generic[R, A]):
    """One kind of client: how its requests are read, who it is, and what answers look like that it can show."""

    read: Callable[[Event, object], R]
    authenticate: Callable[[R], Caller]
    render: Callable[[R, A], Event]
    refuse: Callable[[errors.Refusal], A]
    unavailable: A

    def for_anyone(self, handler: Callable[[R], A]) -> Handle:
        """Have the handler run once it is known who asks, an owner or nobody in particular."""
        return self._handle(handler, self._identify)

    def for_owners(self, handler: Callable[[R], A]) -> Handle:
        """Have the handler run for an owner only; everybody else is Unauthenticated."""
        return self._handle(handler, self._identify_owner)

    def public(self, handler: Callable[[R], A]) -> Handle:
        """Have the handler run without asking who it is: it would make no difference."""
        return self._handle(handler, None)

    def _identify(self, request: R) -> None:
        request.identify(self.authenticate(request))

    def _identify_owner(self, request: R) -> None:
        self._identify(request)
        if request.caller.owner is None:
            raise errors.Unauthenticated

    def _handle(self, handler: Callable[[R], A], identify: Callable[[R], None] | None) -> Handle:
        @lambda_handler
        @wraps(handler)
        def handle(event: Event, context: object) -> Event:
            request, began = self.read(event, context), time.monotonic()
            with metrics.collecting() as collected:
                answer, outcome = self._answer(request, handler, identify)
                _count(answer, outcome)
            if request.is_head:
                answer = answer | {"body": "", "isBase64Encoded": False}
            line = {"route": request.route, "status": answer["statusCode"], "request_id": request.request_id} | outcome
            line["milliseconds"] = round((time.monotonic() - began) * 1000)
            (logger.error if "failure" in line else logger.info)("request", extra=line)
            write_metrics(collected)
            return answer

        return handle

    def _answer(
        self, request: R, handler: Callable[[R], A], identify: Callable[[R], None] | None
    ) -> tuple[Event, dict[str, Any]]:
        """The answer in time, whatever happens, and what the log is to say of it."""
        try:
            with deadline.within(request.time_left()):
                request.refuse_direct_requests()
                if elsewhere := statuses.redirect(request):
                    return elsewhere, {}
                if identify:
                    identify(request)
                return self.render(request, handler(request)), {}
        except errors.Refusal as refusal:
            return self.render(request, self.refuse(refusal)), {"refusal": type(refusal).__name__}
        except Exception as error:  # noqa: BLE001 (nothing else may ever escape: the gateway would answer for us)
            return self.render(request, self.unavailable), {"failure": describe_error(error)}


def _count(answer: Event, outcome: dict[str, Any]) -> None:
    if "refusal" in outcome:
        metrics.count("Refused", outcome["refusal"])
    # Lambda's own `Errors` stays at 0, since nothing escapes. A prefetch is refused with a 503 too, and is no failure.
    if answer["statusCode"] >= _SERVER_ERRORS and outcome.get("refusal") != errors.Prefetched.__name__:
        metrics.count("Failed")
