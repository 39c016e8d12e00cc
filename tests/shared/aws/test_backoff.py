import random
from itertools import pairwise

import pytest

from shared.aws import backoff
from shared.runtime import deadline
from tests.doubles import virtual_time


def attempts() -> list[float]:
    """Return the times of all attempts of a call that never succeeds."""
    with virtual_time.passing() as clock:
        return [clock.monotonic() for _ in backoff.attempts()]


def test_the_first_attempt_comes_at_once() -> None:
    assert attempts()[0] == 0


def test_pauses_grow_to_the_longest_and_no_further() -> None:
    moments = attempts()
    pauses = [later - earlier for earlier, later in pairwise(moments)]

    assert pauses[0] <= backoff.FIRST_PAUSE
    assert backoff.LONGEST_PAUSE / 2 < max(pauses) <= backoff.LONGEST_PAUSE


def test_patience_has_an_end() -> None:
    assert backoff.PATIENCE - backoff.LONGEST_PAUSE <= attempts()[-1] <= backoff.PATIENCE


@pytest.mark.parametrize(("seconds", "last"), [(20, backoff.PATIENCE), (13, 3), (10, 0), (5, 0)])
def test_no_attempt_but_the_first_begins_with_less_than_the_reserve_left(seconds: float, last: float) -> None:
    with virtual_time.passing() as clock, deadline.within(seconds):
        moments = [clock.monotonic() for _ in backoff.attempts()]

    assert last - backoff.LONGEST_PAUSE <= moments[-1] <= last


def test_two_copies_of_one_snapshot_do_not_wait_in_step() -> None:
    assert isinstance(backoff._RANDOM, random.SystemRandom)
