import random
from itertools import pairwise

import pytest

from shared import deadline
from shared.aws import retry
from tests import virtual_time


def attempts() -> list[float]:
    """The moments of all attempts of somebody who never gets through."""
    with virtual_time.passing() as clock:
        return [clock.monotonic() for _ in retry.attempts()]


def test_the_first_attempt_comes_at_once() -> None:
    assert attempts()[0] == 0


def test_pauses_grow_to_the_longest_and_no_further() -> None:
    moments = attempts()
    pauses = [later - earlier for earlier, later in pairwise(moments)]

    assert pauses[0] <= retry.FIRST_PAUSE
    assert retry.LONGEST_PAUSE / 2 < max(pauses) <= retry.LONGEST_PAUSE


def test_patience_has_an_end() -> None:
    assert retry.PATIENCE - retry.LONGEST_PAUSE <= attempts()[-1] <= retry.PATIENCE


@pytest.mark.parametrize(("seconds", "last"), [(20, retry.PATIENCE), (13, 3), (10, 0), (5, 0)])
def test_no_attempt_but_the_first_begins_with_less_than_the_reserve_left(seconds: float, last: float) -> None:
    with virtual_time.passing() as clock, deadline.within(seconds):
        moments = [clock.monotonic() for _ in retry.attempts()]

    assert last - retry.LONGEST_PAUSE <= moments[-1] <= last


def test_two_copies_of_one_snapshot_do_not_wait_in_step() -> None:
    assert isinstance(retry._RANDOM, random.SystemRandom)
