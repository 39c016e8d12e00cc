"""Back-off with jitter: when to try a write again that met a conflict with another one."""

import random
import time
from collections.abc import Iterator

from shared.runtime import deadline, metrics

# Seconds. On AWS transactions that meet on one item cancel each other, so a hundred callers at once need patience, not
# a few tries. Each waits a random part of a pause that doubles (full jitter, see docs/decisions.md).
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 0.15
PATIENCE = 9.0
# Seconds that a function must have left for one more try: with less, a view might be counted and never answered.
RESERVE = 10.0

# Lambda's SnapStart would restore the state of `random` in every copy of a function, which would then wait in step.
_RANDOM = random.SystemRandom()


def attempts() -> Iterator[None]:
    """One try at once, then one after each pause, until patience or the function's time is over."""
    yield
    end = time.monotonic() + min(PATIENCE, deadline.seconds_left() - RESERVE)
    longest = FIRST_PAUSE
    while time.monotonic() + (pause := _RANDOM.uniform(0, longest)) < end:
        time.sleep(pause)
        metrics.count("Retries")
        yield
        longest = min(2 * longest, LONGEST_PAUSE)
