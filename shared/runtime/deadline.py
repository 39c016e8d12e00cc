"""How long AWS may take: no try of a call is begun that could outlast the function: then nobody gets an answer."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

# Seconds, for each try of a call. The SDK's own defaults (a minute; PynamoDB's 15 s and 30 s) outlast the function.
CONNECT_TIMEOUT = 1
READ_TIMEOUT = 2
TRIES = 3
_ONE_TRY = CONNECT_TIMEOUT + READ_TIMEOUT + 1  # the last second is for our own answer

# Lambda serves one request at a time; in the tests each thread has its own.
_end: ContextVar[float] = ContextVar("end", default=inf)


class OutOfTime(Exception):
    """Too little time is left for another call."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound every call to AWS in this block: all of them together end within so many seconds."""
    before = _end.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(before)


def seconds_left() -> float:
    """Seconds until the end, infinite where there is none."""
    return _end.get() - time.monotonic()


def check(**_event: object) -> None:
    """Check that there is time for one more try; the SDK calls this before each (`before-send`).

    Raises: OutOfTime, which ends the SDK's retries.
    """
    if seconds_left() < _ONE_TRY:
        raise OutOfTime
