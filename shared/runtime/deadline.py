"""How long AWS may take: no try of a call is begun that could outlast the function: then nobody gets an answer."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from math import ceil, inf

# Seconds, for each try of a call. The SDK's own defaults (a minute; PynamoDB's 15 s and 30 s) outlast the function.
CONNECT_TIMEOUT = 1
READ_TIMEOUT = 2
TRIES = 3
_ONE_TRY = CONNECT_TIMEOUT + READ_TIMEOUT + 1  # the last second is for our own answer

# Lambda serves one request at a time; in the tests each thread has its own.
_end: ContextVar[float] = ContextVar("end", default=inf)
_start: ContextVar[float | None] = ContextVar("start", default=None)


class OutOfTime(Exception):
    """Too little time is left for another call."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound every call to AWS in this block: all of them together end within so many seconds."""
    now, start = time.monotonic(), _start.get()
    before = _start.set(now if start is None else start), _end.set(now + seconds)
    try:
        yield
    finally:
        _start.reset(before[0])
        _end.reset(before[1])


def seconds_left() -> float:
    """Seconds until the end, infinite where there is none."""
    return _end.get() - time.monotonic()


def elapsed() -> timedelta:
    """Time since the outermost block began, in whole milliseconds rounded up; none outside of a block."""
    start = _start.get()
    if start is None:
        return timedelta()
    return timedelta(milliseconds=ceil((time.monotonic() - start) * 1000))


def check(**_event: object) -> None:
    """Check that there is time for one more try; the SDK calls this before each (`before-send`).

    Raises: OutOfTime, which ends the SDK's retries.
    """
    if seconds_left() < _ONE_TRY:
        raise OutOfTime
