"""A deadline for AWS calls: start no call that may outlive the invocation; the caller would get no response."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from math import ceil, inf

# Seconds per try. The defaults are longer than the function's timeout (SDK: 60 s; PynamoDB: 15 s and 30 s).
CONNECT_TIMEOUT = 1
READ_TIMEOUT = 2
TRIES = 3
_ONE_TRY = CONNECT_TIMEOUT + READ_TIMEOUT + 1  # one second is left for our response

# Lambda serves one request at a time; in tests, each thread has its own deadline.
_end: ContextVar[float] = ContextVar("end", default=inf)
_start: ContextVar[float | None] = ContextVar("start", default=None)


class OutOfTime(Exception):
    """Too little time is left for another AWS call."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Set the deadline for all AWS calls in the `with` block, in seconds from now. Blocks may be nested."""
    now, start = time.monotonic(), _start.get()
    before = _start.set(now if start is None else start), _end.set(now + seconds)
    try:
        yield
    finally:
        _start.reset(before[0])
        _end.reset(before[1])


def seconds_left() -> float:
    """Return the seconds until the deadline of the innermost `within` block; infinite outside a block."""
    return _end.get() - time.monotonic()


def elapsed() -> timedelta:
    """Return the time since the outermost `with within(…)` block began, rounded up to milliseconds.

    In a handler, this is how long the invocation has run. Zero outside a block.
    """
    start = _start.get()
    if start is None:
        return timedelta()
    return timedelta(milliseconds=ceil((time.monotonic() - start) * 1000))


def check(**_event: object) -> None:
    """Check that there is time for one more try. The SDK calls this before each try (`before-send`).

    Raises: OutOfTime, which also stops the SDK's retries.
    """
    if seconds_left() < _ONE_TRY:
        raise OutOfTime
