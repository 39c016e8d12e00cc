from datetime import timedelta

import pytest

from shared.domain.audit import Caller
from shared.domain.limits import MAX_AUDIT_ENTRIES
from shared.domain.new_push import Created, NewPush
from shared.domain.push import Label, Listed, Push, Retrieved
from tests.drivers.client import START

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
PUSH = Push(
    id="id",
    owner="bob",
    kind="text",
    created_at=START,
    updated_at=START,
    expires_at=START + 7 * DAY,
    purge_at=START + 17 * DAY,
    expire_after_days=7,
    expire_after_views=5,
    deletable_by_viewer=False,
    retrieval_step=False,
    is_protected=False,
)


def test_a_push_is_expired_from_its_end_on() -> None:
    end = PUSH.expires_at

    assert [PUSH.is_expired(now) for now in (START, end - timedelta(milliseconds=1), end, end + DAY)] == [
        *(False, False),
        *(True, True),
    ]


def test_a_push_that_ended_is_expired_even_for_a_request_received_before() -> None:
    ended = PUSH.after_end(START + 2 * SECOND)

    assert ended.is_expired(START + SECOND)


def test_a_push_that_ends_early_is_kept_as_long_after_its_end() -> None:
    ended = PUSH.after_end(START + DAY)

    assert (ended.expires_at, ended.updated_at) == (START + DAY, START + DAY)
    assert ended.purge_at == START + 11 * DAY
    assert [ended.is_purged(START + 11 * DAY - SECOND), ended.is_purged(START + 11 * DAY)] == [False, True]


def test_only_an_explicit_expire_deletes() -> None:
    assert [PUSH.after_end(START).is_deleted, PUSH.after_delete(START).is_deleted] == [False, True]


@pytest.mark.parametrize(("views", "remaining"), [(0, 5), (4, 1), (5, 0), (6, 0)])
def test_views_remaining_are_never_below_zero(views: int, remaining: int) -> None:
    assert PUSH._replace(views=views).views_remaining == remaining


@pytest.mark.parametrize(
    ("passed", "remaining"), [(timedelta(), 7), (DAY - SECOND, 7), (DAY, 6), (7 * DAY, 0), (99 * DAY, 0)], ids=str
)
def test_days_remaining_count_whole_days_and_are_never_below_zero(passed: timedelta, remaining: int) -> None:
    assert PUSH.days_remaining(START + passed) == remaining


def test_no_day_remains_once_a_lifetime_below_a_day_has_passed() -> None:
    hour = PUSH._replace(expires_at=START + timedelta(hours=1), expire_after_days=1)

    assert [hour.days_remaining(START + timedelta(minutes=minutes)) for minutes in (59, 60)] == [1, 0]


def test_nobody_owns_an_anonymous_push() -> None:
    anonymous = PUSH._replace(owner=None)

    assert not anonymous.is_owned_by(Caller())
    assert not anonymous.is_owned_by(Caller(owner="bob"))


def test_a_view_leaves_the_push_open() -> None:
    last = PUSH._replace(views=4).after_view(START + DAY)

    assert (last.views_remaining, last.updated_at) == (0, START + DAY)
    assert not last.is_expired(START + DAY)


def test_only_the_last_wrong_passphrases_are_remembered() -> None:
    push = PUSH
    for number in range(9):
        push = push.after_guess(START + number * SECOND)

    assert push.guesses == [START + number * SECOND for number in range(4, 9)]


@pytest.mark.parametrize(("entries", "records"), [(0, True), (MAX_AUDIT_ENTRIES - 1, True), (MAX_AUDIT_ENTRIES, False)])
def test_failures_are_recorded_while_the_audit_log_has_room(entries: int, records: bool) -> None:
    assert PUSH._replace(entries=entries).has_room_for_failures() is records


def test_no_repr_shows_a_secret() -> None:
    new = NewPush(
        "text", "SECRET", "SECRET", "SECRET", "SECRET", DAY, 1, 1, deletable_by_viewer=True, retrieval_step=True
    )
    label = Label("SECRET", "SECRET", "SECRET")

    shown = repr(
        [new, label, Created(PUSH, "SECRET", new), Retrieved(PUSH, "SECRET", PUSH.created_at), Listed(PUSH, label)]
    )

    assert "SECRET" not in shown


def test_a_lagging_gateway_clock_adds_no_day() -> None:
    assert PUSH.days_remaining(PUSH.created_at - SECOND) == PUSH.expire_after_days
