"""What is counted of a request or a batch until its edge writes it down: names, numbers, nothing that a caller sent."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COUNT, SECONDS = "Count", "Seconds"
# All that there are, each with its unit; docs/operations.md says what each means.
UNITS = {
    "Created": COUNT,
    "Viewed": COUNT,
    "Refused": COUNT,
    "Failed": COUNT,
    "WorkFailed": COUNT,
    "Conflicts": COUNT,
    "Retries": COUNT,
    "MailRefused": COUNT,
    "AccountNotSeen": COUNT,
    "MailSent": COUNT,
    "MailUnsent": COUNT,
    "MailReturned": COUNT,
    "RemovalLag": SECONDS,
    "KeyNotRefreshed": COUNT,
    "ProbeSucceeded": COUNT,
    "ProbeFailed": COUNT,
    "ProbeTime": SECONDS,
}


# The values of each metric, by its name and reason; an empty one where it was counted without a reason.
Collected = dict[tuple[str, str], list[float]]


# Lambda serves one request at a time; in the tests each thread has its own.
_current: ContextVar[Collected | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[Collected]:
    """Collect what is counted in this block."""
    collected: Collected = defaultdict(list)
    before = _current.set(collected)
    try:
        yield collected
    finally:
        _current.reset(before)


def count(name: str, reason: str = "") -> None:
    """Add one to a metric, and to it by a reason if there is one: a word of AWS's or ours, never a caller's."""
    measure(name, 1.0, reason)


def error_name(error: Exception) -> str:
    """What an error of AWS's is called, by its code, or by its class where AWS gave no answer."""
    answer = getattr(error, "response", None) or {}  # None where the connection broke off
    return str(answer.get("Error", {}).get("Code", type(error).__name__))


def measure(name: str, value: float, reason: str = "") -> None:
    """Add a value, in the metric's unit. Where nobody collects, as in an operator's script, it is dropped."""
    if (collected := _current.get()) is not None:
        collected[name, reason].append(value)
