"""The simulation says what the real code does where both can be asked, and what arithmetic says at its ends."""

from functools import partial
from unittest import mock

import pytest

from infra.figures import simulate
from tests.doubles import conflicts, virtual_time
from tests.drivers import client
from tests.drivers.client import Api, Context


def on_a_double(bob: Api, callers: int) -> tuple[float, dict[str, int]]:
    """When the last of so many recipients has the secret of our own handlers, and how many transactions there were."""
    url_token = bob.push(expire_after_views=100)
    with (
        virtual_time.passing() as clock,
        mock.patch.object(client, "handle", partial(client.handle, context=Context(milliseconds=20_000))),
        conflicts.locking(clock, hold=simulate.HOLD, round_trip=simulate.ROUND_TRIP) as counted,
    ):
        outcomes = clock.run([lambda: bob.retrieve(url_token)] * callers)
    assert [answer.json["payload"] for answer, _ in outcomes] == ["s3cret"] * callers
    return max(moment for _, moment in outcomes), counted


@pytest.mark.parametrize("callers", [5, 20, 50])
def test_a_burst_is_simulated_as_the_handlers_have_it_on_a_double_of_dynamodbs_locks(bob: Api, callers: int) -> None:
    last, counted = on_a_double(bob, callers)

    simulated = simulate.at_once(callers)

    assert len(simulated.waits) == callers
    assert simulated.last == pytest.approx(last, rel=0.1)
    assert simulated.cancelled == pytest.approx(counted["cancelled"], rel=0.05)


def test_as_many_callers_as_views_take_up_to_half_as_long_again(bob: Api) -> None:
    last, _ = on_a_double(bob, 100)

    simulated = simulate.at_once(100)

    assert simulated.last <= last <= 1.5 * simulated.last


def test_views_that_never_meet_take_two_round_trips_and_the_lock() -> None:
    alone = simulate.at_once(1)

    assert alone.waits == [pytest.approx(2 * simulate.ROUND_TRIP + simulate.HOLD)]
    assert (alone.cancelled, alone.refused) == (0, 0)


def test_more_callers_than_locks_fit_into_a_second_are_not_all_answered() -> None:
    seen = simulate.arriving(2 / simulate.HOLD, 30)

    assert seen.refused > 0
    assert len(seen.waits) <= 40 / simulate.HOLD


def test_a_shard_falls_behind_just_where_more_comes_than_its_lanes_can_do() -> None:
    most = simulate.lanes().most(1.0)

    under, over = (simulate.lag(share * most, 120, 1.0) for share in (0.9, 1.5))

    assert max(under) < 5
    assert max(over) == pytest.approx(120 * (1 - 1 / 1.5) * 1.5, rel=0.2)


def test_an_outage_is_caught_up_with() -> None:
    most = simulate.lanes().most(1.0)

    late = simulate.lag(0.5 * most, 300, 1.0, outage=60)

    assert max(late) > 55
    assert late[-1] < 2
