"""The edge of all HTTP functions: authenticate, call the handler, render errors, log and count.

A log line holds the route's template, and never a path, a query, a header or a message: those may contain secrets.
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
    """The edge for one kind of client: how to parse its requests, authenticate it and render its responses."""

    read: Callable[[Event, object], R]
    authenticate: Callable[[R], Caller]
    render: Callable[[R, A], Event]
    refuse: Callable[[R, errors.Refusal], A]
    unavailable: A

    def for_anyone(self, handler: Callable[[R], A]) -> Handle:
        """Return a Lambda handler that authenticates the caller and also accepts anonymous ones."""
        return self._handle(handler, self._identify)

    def for_owners(self, handler: Callable[[R], A]) -> Handle:
        """Return a Lambda handler that accepts only owners; other callers get Unauthenticated."""
        return self._handle(handler, self._identify_owner)

    def public(self, handler: Callable[[R], A]) -> Handle:
        """Return a Lambda handler that runs without authentication, for everybody."""
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
        """Return the response and the outcome to log. It never raises, and ends before Lambda's timeout."""
        try:
            with deadline.within(request.time_left()):
                request.refuse_direct_requests()
                if elsewhere := statuses.redirect(request):
                    return elsewhere, {}
                if identify:
                    identify(request)
                return self.render(request, handler(request)), {}
        except errors.Refusal as refusal:
            return self.render(request, self.refuse(request, refusal)), {"refusal": type(refusal).__name__}
        except Exception as error:  # noqa: BLE001 (if an exception escaped, the gateway would return its own 500)
            return self.render(request, self.unavailable), {"failure": describe_error(error)}


def _count(answer: Event, outcome: dict[str, Any]) -> None:
    if "refusal" in outcome:
        metrics.count("Refused", outcome["refusal"])
    # Lambda's own metric `Errors` stays 0, since no exception escapes. The 503 for a prefetch is not a failure.
    if answer["statusCode"] >= _SERVER_ERRORS and outcome.get("refusal") != errors.Prefetched.__name__:
        metrics.count("Failed")
