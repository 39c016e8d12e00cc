"""Collect the metrics of one invocation: names and numbers, no input from callers."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

COUNT, SECONDS = "Count", "Seconds"
# All metrics and their units; docs/operations.md explains each.
UNITS = {
    "Created": COUNT,
    "Viewed": COUNT,
    "Refused": COUNT,
    "Failed": COUNT,
    "WorkFailed": COUNT,
    "Conflicts": COUNT,
    "Retries": COUNT,
    "Throttled": COUNT,
    "MailRefused": COUNT,
    "AccountNotSeen": COUNT,
    "ProviderFailed": COUNT,
    "MailSent": COUNT,
    "MailUnsent": COUNT,
    "MailReturned": COUNT,
    "RemovalLag": SECONDS,
    "KeyNotRefreshed": COUNT,
    "ProbeSucceeded": COUNT,
    "ProbeFailed": COUNT,
    "ProbeTime": SECONDS,
}


# The values of each metric by name and reason; the reason may be empty.
Collected = dict[tuple[str, str], list[float]]


# Lambda serves one request at a time; in tests, each thread collects its own.
_current: ContextVar[Collected | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[Collected]:
    """Collect the metrics counted in this block."""
    collected: Collected = defaultdict(list)
    before = _current.set(collected)
    try:
        yield collected
    finally:
        _current.reset(before)


def count(name: str, reason: str = "") -> None:
    """Add one to a metric, and to its count for `reason`: a fixed word of AWS's or ours, never caller input."""
    measure(name, 1.0, reason)


def error_name(error: Exception) -> str:
    """Return an AWS error's code, or the error's class name if AWS did not respond."""
    answer = getattr(error, "response", None) or {}  # None if the connection broke
    return str(answer.get("Error", {}).get("Code", type(error).__name__))


def measure(name: str, value: float, reason: str = "") -> None:
    """Add a value, in the metric's unit. Outside of `collecting`, such as in an operator's script, it is dropped."""
    if (collected := _current.get()) is not None:
        collected[name, reason].append(value)
