from collections import Counter

import pytest

from infra.figures import prices
from tests.bench import dollars, promises
from tests.bench.requests import Taken
from tests.meters.write_units import Bill

# The writes of a view of an owned push, and of a last view.
VIEW = Bill(Counter({"Pushes": 2, "AuditEntries": 2}), {"Pushes": 400, "AuditEntries": 200})
LAST = Bill(Counter({"Pushes": 2, "AuditEntries": 2, "Secrets": 4, "Pushes/index/by_owner": 2}), {})


def test_less_memory_means_less_processor_time_and_the_same_waiting() -> None:
    taken = Taken("view", seconds=0.004, calls=2)

    assert dollars.seconds(taken, dollars.FULL_CORE) == pytest.approx(0.010 + 0.004)
    assert dollars.seconds(taken, dollars.FULL_CORE / 4) == pytest.approx(0.010 + 0.016)
    assert dollars.seconds(taken, 2 * dollars.FULL_CORE) == pytest.approx(0.010 + 0.004)


def test_work_costs_the_same_with_any_memory_and_waiting_by_the_memory() -> None:
    work, waiting = Taken("work", seconds=1), Taken("waiting", calls=200)

    assert dollars.function(work, 256) == pytest.approx(dollars.function(work, 1024))
    assert dollars.function(waiting, 1024) == pytest.approx(4 * dollars.function(waiting, 256))
    assert dollars.function(waiting, 1024) == pytest.approx(prices.GB_SECOND)


def test_a_million_is_charged_for_requests_units_and_bytes(aws: None) -> None:
    cost = dollars.cost(Taken("view", requests=1, sent=1024, reads=2, writes=VIEW))

    assert cost.parts["HTTP API"] == pytest.approx(1.0)
    assert cost.parts["writes"] == pytest.approx(4 * 0.625)
    assert cost.parts["reads"] == pytest.approx(2 * 0.125)
    assert cost.parts["sent"] == pytest.approx(1_000_000 / 1024 / 1024 * 0.09)
    assert cost.total == pytest.approx(sum(cost.parts.values()))
    assert cost.dominant.startswith("writes, ")


def test_a_view_stores_an_entry_and_a_create_also_a_push(aws: None) -> None:
    view, create = (dollars.kept(Taken(name, writes=VIEW)) for name in ("view", "create, owned"))

    months = (dollars.LIFE + 400) / dollars.MONTH
    assert view == pytest.approx((200 + 100) / 1024**3 * (0.25 + 0.20) * months)
    assert create == pytest.approx((200 + 100 + 400 + 100) / 1024**3 * (0.25 + 0.20) * months)
    assert dollars.kept(Taken("create, owned", writes=VIEW), {"AuditEntries"}) == pytest.approx(view)


def test_the_floor_has_no_entry_and_no_unit_twice_but_the_owner_s_lists() -> None:
    view, last = Taken("view", writes=VIEW), Taken("last view", writes=LAST)

    assert (promises.doubled(view), promises.recorded(view), promises.floor(view)) == (2, 1, 1)
    assert (promises.doubled(last), promises.indexes(last), promises.floor(last)) == (4, 2, 1 + 2 + 2)


def test_an_exchange_is_the_sum_of_its_requests_by_part() -> None:
    one = dollars.Cost("a", dict.fromkeys(dollars.PARTS, 1.0))

    assert dollars.together("both", [one, one]).parts == dict.fromkeys(dollars.PARTS, 2.0)
