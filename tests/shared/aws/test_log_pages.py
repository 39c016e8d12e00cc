"""The pages of an audit log are ranges of its keys: each holds fifty entries and is read separately."""

from datetime import timedelta
from typing import Any

import pytest

from shared.aws import claims, log_pages, reads, store
from shared.domain import digests
from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.push import Push
from tests.drivers import many
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.meters import read_units, wire_tap

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("entries", "count", "room"), [(0, 1, 50), (49, 1, 50), (50, 1, 100), (10, 2, 49), (48, 2, 49), (49, 2, 50)]
)
def test_there_is_room_until_an_entry_would_be_counted_on_another_page(
    bob: Api, entries: int, count: int, room: int
) -> None:
    push = seen(bob.push())._replace(entries=entries)

    assert log_pages.max_entries(push, count) == room


def test_an_entry_s_key_has_page_time_number_and_eight_random_digits(bob: Api) -> None:
    bob.retrieve(bob.push())

    parts = [key.split("-") for key in keys()]
    assert [(page, len(moment), number, len(digits)) for page, moment, number, digits in parts] == [
        ("p0001", 13, "00000", 8),
        ("p0001", 13, "00001", 8),
    ]


def test_an_entry_counted_on_the_next_page_gets_that_page_s_key(bob: Api, api: Api) -> None:
    url_token = bob.push()
    resources.fill_log(digests.digest(url_token), 49)

    with wire_tap.before_first("TransactWriteItems", lambda: bob.retrieve(url_token)):
        api.retrieve(url_token)

    assert [key.split("-")[0] for key in keys()] == ["p0001", "p0001", "p0002"]
    assert seen(url_token).entries == 51


def test_others_may_be_written_in_between_while_the_page_has_room(bob: Api) -> None:
    url_token = bob.push(expire_after_views=100)
    push = seen(url_token)

    claimed = [claims.claim(push, entry(number), now=START) for number in range(50)]

    assert claimed == [True] * 49 + [False]


@pytest.mark.parametrize("entries", [48, 49, 50])
def test_the_last_guess_and_the_end_are_on_the_page_of_their_numbers(bob: Api, entries: int) -> None:
    url_token = bob.push(passphrase="p")
    resources.fill_log(digests.digest(url_token), entries)
    resources.set_number(digests.digest(url_token), "guesses_in_a_row", 99)

    bob.retrieve(url_token, "wrong")

    numbers = [int(key.split("-")[2]) for key in keys()]
    pages = [int(key[1:5]) for key in keys()]
    assert numbers == [0, entries, entries + 1]
    assert pages == [number // 50 + 1 for number in numbers]


def test_each_page_holds_fifty_also_with_concurrent_writers(bob: Api) -> None:
    url_token = bob.push(expire_after_views=100)
    stale = seen(url_token)
    for number in range(120):
        if not store.record_failed_view(stale, entry(-number), destroy=False):
            stale = seen(url_token)
            assert store.record_failed_view(stale, entry(-number), destroy=False)

    pages = [bob.audit(url_token, page=page).json["logs"] for page in (1, 2, 3, 4)]

    assert [len(page) for page in pages] == [50, 50, 21, 0]
    assert all(page == sorted(page, key=lambda one: one["created_at"]) for page in pages)


def test_the_fortieth_page_costs_little_more_than_a_short_log(bob: Api) -> None:
    costs = []
    for count, page in ((10, 1), (2_000, 40)):
        url_token = bob.push()
        fill(seen(url_token), count)
        with read_units.counted() as read:
            answer = bob.audit(url_token, page=page)
        assert len(answer.json["logs"]) == min(count, 50)
        costs.append((read.units, read.calls))

    assert costs == [(4, 3), (6, 3)]


def seen(url_token: str) -> Push:
    found = reads.find(digests.digest(url_token))
    assert found is not None
    return found


def entry(number: int) -> AuditEntry:
    return AuditEntry(AuditKind.FAILED_VIEW, "192.0.2.1", "", "", START + number * SECOND)


def keys() -> list[str]:
    return sorted(item["at"]["S"] for item in resources.items("AuditEntries"))


def fill(push: Push, count: int) -> None:
    """Write entries up to this number: copies of the first, one second apart."""
    [item] = [item for item in resources.items("AuditEntries") if item["push_id"]["S"] == push.id]
    many.put("AuditEntries", [copy(item, push._replace(entries=number)) for number in range(1, count)])
    resources.fill_log(push.id, count)


def copy(item: dict[str, Any], push: Push) -> dict[str, Any]:
    written = entry(push.entries)
    moment = {"N": str(int(written.created_at.timestamp() * 1_000))}
    return {**item, "at": {"S": log_pages.key(push, written, 0)}, "created_at": moment}
