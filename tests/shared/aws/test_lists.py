"""Details of an owner's lists that the endpoints' own tests do not show."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from moto.dynamodb.models import table

from functions import schedule_removal
from shared.aws import lists, reads
from shared.domain import digests
from shared.domain.audit import AuditKind
from shared.domain.limits import PAGE_SIZE
from tests.contract.test_removal import stream
from tests.doubles import lagging
from tests.drivers import many
from tests.drivers.client import START, Api, Context
from tests.engines import resources
from tests.meters import wire_tap

OWNER = "name:bob@example.com"
MILLISECOND = timedelta(milliseconds=1)
LATER = START + timedelta(days=8)


def test_a_push_that_expires_at_the_start_time_is_not_listed(bob: Api) -> None:
    bob.expire(bob.push())

    after, at_once = (
        lists.expired_pushes(OWNER, 1, now=START, since=START - early) for early in (MILLISECOND, 0 * MILLISECOND)
    )

    assert (len(after[0]), at_once) == (1, ([], False))


def test_an_audit_entry_has_its_kind_as_a_kind(bob: Api) -> None:
    push = reads.find(digests.digest(bob.push()))
    assert push is not None

    [entry], _ = lists.audit_entries(push, 1)

    assert entry.kind is AuditKind.CREATION


def test_the_first_page_of_many_active_pushes_reads_as_many_rows_as_of_few(bob: Api) -> None:
    counts = []
    for count in (100, 1_000):
        pushes(bob, count)
        with rows_read() as read:
            page = active(1)
        counts.append((len(page), sum(read)))

    assert counts == [(50, 51), (50, 51)]


@pytest.mark.parametrize("count", [0, 1, 49, 50])
def test_one_page_is_listed_by_one_query(bob: Api, count: int) -> None:
    if count:
        pushes(bob, count)

    with wire_tap.calls() as calls:
        page, more = lists.active_pushes(OWNER, 1, now=START)

    assert (len(page), more) == (count, False)
    assert [name for name, _ in calls] == ["Query", *["BatchGetItem"] * bool(count)]


# DynamoDB's responses end after 1 MB, and a tenth of that has a tenth of the rows.
@pytest.mark.parametrize("page", [20, pytest.param(200, marks=pytest.mark.only_prove)])
def test_a_page_far_down_takes_two_queries(bob: Api, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(table, "RESULT_SIZE_LIMIT", page * 5_000)
    made = pushes(bob, page * 50, whole=range(page * 50 - 51, page * 50))

    with wire_tap.calls() as calls, rows_read() as read:
        shown = active(page)
    with wire_tap.calls() as others:
        ended, _ = lists.expired_pushes(OWNER, page, now=LATER, since=START)

    assert shown == [push.id for push in ended] == made[page * 50 - 50 : page * 50]
    assert [name for name, _ in calls] == [name for name, _ in others] == ["Query", "Query", "BatchGetItem"]
    assert sum(read) == page * 50


def test_the_rows_of_a_page_are_read_and_those_before_it_counted(bob: Api) -> None:
    made = pushes(bob, 200)

    with wire_tap.calls() as calls:
        page = active(3)

    asked = [query for name, query in calls if name == "Query"]
    assert [(query.get("Select"), query["Limit"]) for query in asked] == [("COUNT", 100), (None, 51)]
    assert list(asked[1]["ExpressionAttributeNames"].values())[-1:] == ["id"]  # and no other attribute of a row
    assert page == made[100:150]


@pytest.mark.parametrize("left", [10, 51, 75, 101])
def test_a_push_expired_by_age_is_skipped_while_still_in_the_index(bob: Api, left: int) -> None:
    made = pushes(bob, 120 + left)
    for push_id in made[:120]:
        age(push_id)

    pages = [lists.active_pushes(OWNER, page, now=START) for page in range(1, 4)]

    assert [push.id for page, _ in pages for push in page] == made[120:]
    assert [more for _, more in pages] == [left > page * PAGE_SIZE for page in range(1, 4)]


def test_pushes_expired_by_age_are_skipped_in_one_call(bob: Api) -> None:
    made = pushes(bob, 300)
    for push_id in made[:200]:
        age(push_id)

    with wire_tap.calls() as calls:
        page = active(1)

    assert page == made[200:250]
    assert [query.get("Limit") for name, query in calls if name == "Query"] == [51, None]


def test_a_push_expired_by_age_leaves_the_index_with_its_secret(bob: Api) -> None:
    made = pushes(bob, 180)
    for push_id in made[:100]:
        age(push_id)

    schedule_removal.handler(stream(*made[:100]), Context())

    with rows_read() as read:
        assert active(1) == made[100:150]
    assert sum(read) == 51


def test_a_purged_push_is_not_created_again_when_it_leaves_the_index(bob: Api) -> None:
    resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": {"S": digests.digest(bob.push())}})

    with wire_tap.answering("BatchGetItem", "InternalServerError"):
        schedule_removal.handler(stream("0" * 64), Context())

    assert resources.items("Pushes") == []


@pytest.mark.parametrize("end", ["view", "expire", "guess"])
def test_a_push_leaves_the_index_in_the_write_that_ends_it(bob: Api, end: str) -> None:
    url_token = bob.push(expire_after_views=1, passphrase="p")
    resources.set_number(digests.digest(url_token), "guesses_in_a_row", 99)

    if end == "expire":
        bob.expire(url_token)
    else:
        bob.retrieve(url_token, {"view": "p", "guess": "wrong"}[end])

    [item] = resources.items("Pushes")
    assert int(item["expires_at"]["N"]) == int(START.timestamp() * 1_000)
    assert "active_since" not in item


def test_an_anonymous_push_is_in_no_index(api: Api) -> None:
    api.push()

    [item] = resources.items("Pushes")
    assert not {"owner", "active_since"} & set(item)


def test_a_just_ended_push_is_not_listed_although_both_indexes_lag(bob: Api) -> None:
    made = pushes(bob, 120)

    with lagging.index("Pushes"):
        change(made[3], "SET expires_at = :moment, updated_at = :moment REMOVE active_since", moment=START)
        page = active(1)

    assert page == [*made[:3], *made[4:50]]


def pushes(bob: Api, count: int, whole: range = range(1_000)) -> list[str]:
    """Create active pushes, a millisecond apart; return their ids in the order of the list."""
    bob.now = START
    newest = digests.digest(bob.push())
    copies = many.copies(newest, count - 1, whole=whole, created_at=-1, active_since=-1, expires_at=-1)
    return [newest, *copies]


def active(page: int) -> list[str]:
    return [push.id for push in lists.active_pushes(OWNER, page, now=START)[0]]


def age(push_id: str) -> None:
    """Let a push expire by age a while ago."""
    change(push_id, "SET expires_at = :moment", moment=START - MILLISECOND)


def change(push_id: str, expression: str, **moments: Any) -> None:
    values = {f":{name}": {"N": str(int(moment.timestamp() * 1_000))} for name, moment in moments.items()}
    resources.client("dynamodb").update_item(
        TableName="test-Pushes",
        Key={"id": {"S": push_id}},
        UpdateExpression=expression,
        **({"ExpressionAttributeValues": values} if values else {}),
    )


@contextmanager
def rows_read() -> Iterator[list[int]]:
    """Record the number of rows of each query."""
    counts: list[int] = []

    def watch(_client: Any, call: Any, operation: str, _parameters: dict[str, Any]) -> Any:
        answer = call()
        if operation == "Query":
            counts.append(answer["ScannedCount"])
        return answer

    with wire_tap.around(watch):
        yield counts
