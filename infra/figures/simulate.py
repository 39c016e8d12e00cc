"""Two claims about load, simulated in virtual time: how a push stands many callers, and how far a stream falls behind.

    python -m infra.figures.simulate

Nothing here is measured on AWS. The back-off is the code's own (shared/aws/backoff.py) and so are the stream's settings
(template.yaml); what AWS alone could say is assumed, named and varied: for how long a transaction holds an item, and
how long a batch takes. tests/infra/figures/test_simulate.py compares the first with the real handlers on a double of
DynamoDB's locks.
"""

import heapq
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from infra.build import template
from shared.aws import backoff

ROUND_TRIP = 0.003  # seconds of a call to DynamoDB beside what it waits for
HOLD = 0.015  # seconds that a transaction is assumed to hold its items
_SEED = 7


@dataclass
class Conflicts:
    """How callers fared who all want a view of one push: seconds until each answer, tries in vain, and who got none."""

    waits: list[float] = field(default_factory=list)
    cancelled: int = 0
    refused: int = 0
    last: float = 0.0

    @property
    def tries(self) -> float:
        """Transactions for each view; DynamoDB charges for those in vain as well."""
        return (len(self.waits) + self.cancelled) / max(len(self.waits), 1)

    def wait(self, share: float) -> float:
        """The seconds in which this share of those who were answered had their answer."""
        return _quantile(self.waits, share)


def at_once(callers: int, *, hold: float = HOLD) -> Conflicts:
    """So many callers in one moment."""
    return _compete([0.0] * callers, hold)


def arriving(rate: float, seconds: float, *, hold: float = HOLD) -> Conflicts:
    """So many callers a second, at random moments, for so long."""
    return _compete(list(_moments(rate, seconds)), hold)


def _compete(arrivals: Sequence[float], hold: float) -> Conflicts:
    jitter, order, found = random.Random(_SEED), count(), Conflicts()
    # A caller reads the push first; its back-off begins with its first transaction.
    tries = [(came + 2 * ROUND_TRIP, next(order), came, came + ROUND_TRIP, backoff.FIRST_PAUSE) for came in arrivals]
    heapq.heapify(tries)
    held_until = 0.0
    while tries:
        now, _, came, began, longest = heapq.heappop(tries)
        if now >= held_until:
            held_until = now + hold
            found.waits.append(held_until - came)
            found.last = max(found.last, held_until)
            continue
        found.cancelled += 1
        pause = jitter.uniform(0, longest)
        if now + pause >= began + backoff.PATIENCE:
            found.refused += 1
            continue
        again = (now + pause + ROUND_TRIP, next(order), came, began, min(2 * longest, backoff.LONGEST_PAUSE))
        heapq.heappush(tries, again)
    return found


@dataclass(frozen=True)
class Lanes:
    """How Lambda reads one shard of the stream of Secrets, as template.yaml has it."""

    number: int
    batch: int

    def most(self, took: float) -> float:
        """Records a second that they can do, where a batch takes `took` seconds."""
        return self.number * self.batch / took


def lanes() -> Lanes:
    """The settings of the template."""
    source = template.functions()["ScheduleRemoval"]["Events"]["SecretGone"]["Properties"]
    return Lanes(int(source["ParallelizationFactor"]), int(source["BatchSize"]))


def lag(rate: float, seconds: float, took: float, *, outage: float = 0.0) -> list[float]:
    """Seconds from each record of one shard to the end of its batch.

    `rate` is in records a second, `took` what a full batch takes; for the first `outage` seconds nothing is read.
    """
    by, shared_out = lanes(), random.Random(_SEED + 1)
    queues: list[list[float]] = [[] for _ in range(by.number)]
    for moment in _moments(rate, seconds):
        shared_out.choice(queues).append(moment)
    return [late for queue in queues for late in _read(queue, by.batch, took, outage)]


def _read(queue: Sequence[float], batch: int, took: float, free: float) -> Iterator[float]:
    at = 0
    while at < len(queue):
        begin = max(free, queue[at])
        there = at + 1
        while there < len(queue) and there - at < batch and queue[there] <= begin:
            there += 1
        # A batch that is not full takes less: what takes time is done ten records at a time.
        free = begin + took * max(there - at, batch // 10) / batch
        yield from (free - moment for moment in queue[at:there])
        at = there


def _moments(rate: float, seconds: float) -> Iterator[float]:
    source, moment = random.Random(_SEED + 2), 0.0
    while (moment := moment + source.expovariate(rate)) < seconds:
        yield moment


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else 0.0


def conflict_rows() -> list[tuple[str, ...]]:
    """A minute of callers at each rate, for each time that an item may be held."""
    rows: list[tuple[str, ...]] = []
    for hold in (0.005, 0.015, 0.025):
        for rate in (1, 5, 10, 20, 30, 40):
            seen = arriving(rate, 60, hold=hold)
            share = seen.refused / (seen.refused + len(seen.waits))
            waited = f"{seen.wait(0.5):.2f}", f"{seen.wait(0.99):.2f}"
            rows.append((f"{hold * 1000:.0f}", str(rate), *waited, f"{seen.tries:.1f}", f"{share:.1%}"))
    return rows


def burst_rows() -> list[tuple[str, ...]]:
    """Callers in one moment, up to the most views that a push may have."""
    rows: list[tuple[str, ...]] = []
    for callers in (10, 100, 200, 500):
        seen = at_once(callers)
        rows.append((str(callers), f"{seen.wait(0.5):.2f}", f"{seen.last:.2f}", f"{seen.tries:.1f}", str(seen.refused)))
    return rows


def lag_rows() -> list[tuple[str, ...]]:
    """Five minutes of a shard at shares of what it can take."""
    rows: list[tuple[str, ...]] = []
    for took in (0.25, 1.0):
        most = lanes().most(took)
        for share in (0.1, 0.5, 0.9, 1.1):
            late = lag(share * most, 300, took)
            figures = f"{_quantile(late, 0.5):.1f}", f"{_quantile(late, 0.99):.1f}"
            rows.append((f"{took:.2f}", f"{share * most:,.0f}", f"{share:.0%}", *figures))
    return rows


def main() -> None:
    """Print the rows of docs/scale.md that are simulated."""
    for title, rows in (("conflicts", conflict_rows()), ("bursts", burst_rows()), ("lag", lag_rows())):
        print(title, *(" ".join(row) for row in rows), sep="\n  ")


if __name__ == "__main__":
    main()
