"""Back-off with jitter: when to retry a write after a conflict."""

import random
import time
from collections.abc import Iterator

from shared.runtime import deadline, metrics

# Seconds. Concurrent transactions on one item cancel each other, so a hundred callers at once need many retries. Each
# pause is random, up to a maximum that doubles (full jitter, see docs/decisions.md).
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 0.15
PATIENCE = 9.0
# Seconds left for another try. With less, a view might be counted but the response not sent.
RESERVE = 10.0

# SnapStart would restore the same state of `random` in every copy, so all copies would wait in step.
_RANDOM = random.SystemRandom()


def attempts() -> Iterator[None]:
    """Yield once for each try, with a pause in between, until PATIENCE or the invocation's time runs out."""
    yield
    end = time.monotonic() + min(PATIENCE, deadline.seconds_left() - RESERVE)
    longest = FIRST_PAUSE
    while time.monotonic() + (pause := _RANDOM.uniform(0, longest)) < end:
        time.sleep(pause)
        metrics.count("Retries")
        yield
        longest = min(2 * longest, LONGEST_PAUSE)
