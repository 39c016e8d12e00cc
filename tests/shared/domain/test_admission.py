"""The decision on a retrieve, from the stored data and the caller's credentials."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from shared.domain import networks
from shared.domain.admission import (
    Admitted,
    AnsweredAgain,
    Attempt,
    Elsewhere,
    Expired,
    Open,
    Refused,
    Seen,
    SeenBefore,
    Spend,
    TooManyGuesses,
    Unknown,
    Unsettled,
    decide,
    seconds_to_next_guess,
)
from shared.domain.lease import Lease
from shared.domain.limits import MAX_REPEATS
from shared.domain.push import Push
from shared.domain.seal import SealedSecret
from tests.drivers.client import START
from tests.shared.domain.test_push import PUSH as OPEN_PUSH

SECOND = timedelta(seconds=1)
PUSH = OPEN_PUSH._replace(is_protected=True)
SEALED = SealedSecret("v1", b"key", b"payload", b"salt")
LEASE = Lease("lease 1", b"key", START, START + 60 * SECOND, 1, PUSH.expires_at)
GUESSED = PUSH._replace(guesses=[START] * 5)
ENDED = PUSH.after_end(START + SECOND)._replace(views=5, leased_until=LEASE.until)


def attempt(now: datetime = START + 2 * SECOND, **facts: Any) -> Attempt:
    return Attempt(now, **{"has_passphrase": True, **facts})


@pytest.mark.parametrize("push", [None, PUSH._replace(purge_at=START)])
def test_a_missing_or_deleted_push_is_unknown(push: None) -> None:
    assert decide(Seen(push, SEALED, LEASE), attempt()) == Unknown()


@pytest.mark.parametrize("lease", [None, LEASE])
@pytest.mark.parametrize("push", [PUSH, GUESSED, ENDED, ENDED._replace(is_deleted=True)])
def test_a_caller_from_elsewhere_is_refused_whatever_the_state(push: Push, lease: Lease | None) -> None:
    limited = push._replace(networks=networks.pack(["192.0.2.0/24"]))

    for ip in ("198.51.100.7", ""):
        assert decide(Seen(limited, SEALED, lease), attempt()._replace(ip=ip)) == Elsewhere(limited)
    assert not isinstance(decide(Seen(limited, SEALED, lease), attempt()._replace(ip="192.0.2.1")), Elsewhere)


@pytest.mark.parametrize(
    ("facts", "decision"),
    [
        ({}, Open(PUSH, SEALED, None)),
        ({"is_right": True}, Admitted(PUSH, SEALED)),
        ({"is_right": False}, Refused(PUSH, is_repeat=False)),
        ({"has_passphrase": False}, Refused(PUSH, is_repeat=False)),
    ],
)
def test_a_view_is_claimed_by_the_right_passphrase_only(facts: dict[str, Any], decision: object) -> None:
    assert decide(Seen(PUSH, SEALED, None), attempt(**facts)) == decision


@pytest.mark.parametrize("facts", [{}, {"is_right": True}, {"is_right": False}, {"has_passphrase": False}])
def test_after_five_guesses_only_a_caller_with_a_lease_may_try(facts: dict[str, Any]) -> None:
    assert decide(Seen(GUESSED, SEALED, None), attempt(**facts)) == TooManyGuesses(GUESSED, 58, is_repeat=False)


@pytest.mark.parametrize("push", [PUSH, GUESSED, ENDED])
@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({}, Spend),
        ({"is_right": True}, Spend),  # a repeat that finds its lease after its try
        ({"has_spent": True}, Open),
        ({"has_spent": True, "is_right": True}, AnsweredAgain),
        ({"has_spent": True, "is_right": False}, Refused),
        ({"has_passphrase": False}, Refused),
    ],
)
def test_at_a_lease_a_repeat_is_spent_before_the_passphrase_is_tried(
    push: Push, facts: dict[str, Any], kind: type
) -> None:
    decision = decide(Seen(push, SEALED, LEASE), attempt(**facts))  # leases are alive

    assert isinstance(decision, kind)
    assert decision[1] is True if isinstance(decision, Refused) else LEASE in decision


def test_a_lease_without_repeats_has_to_run_out() -> None:
    spent = LEASE._replace(repeats=MAX_REPEATS)

    assert decide(Seen(PUSH, SEALED, spent), attempt()) == TooManyGuesses(PUSH, 58, is_repeat=True)
    assert decide(Seen(PUSH, SEALED, spent), attempt(LEASE.until)) == Open(PUSH, SEALED, None)


def test_an_open_push_is_answered_again_without_end() -> None:
    spent = LEASE._replace(repeats=MAX_REPEATS)

    assert decide(Seen(OPEN_PUSH, SEALED, spent), attempt(has_passphrase=False)) == Open(OPEN_PUSH, SEALED, spent)


@pytest.mark.parametrize(
    ("seen", "is_due"),
    [
        (Seen(ENDED, SEALED, None), False),  # leases live
        (Seen(ENDED, None, None), False),
        (Seen(ENDED._replace(leased_until=None), SEALED, None), True),
        (Seen(ENDED._replace(is_deleted=True), SEALED, LEASE), True),
        (Seen(ENDED, None, LEASE), False),
    ],
)
def test_an_ended_push_leaves_only_data_that_no_lease_needs(seen: Seen, is_due: bool) -> None:
    assert seen.push
    assert decide(seen, attempt()) == Expired(seen.push, is_due=is_due)


def test_a_key_that_may_claim_once_claims_no_second_view_after_its_lease() -> None:
    assert decide(Seen(PUSH, SEALED, LEASE), attempt(LEASE.until, once=True)) == SeenBefore(PUSH)
    assert decide(Seen(ENDED, SEALED, LEASE), attempt(LEASE.until, once=True)) == Expired(ENDED, is_due=True)


@pytest.mark.parametrize("sealed", [None, SEALED._replace(wrapped_key=None)])
def test_a_living_push_without_its_secret_is_read_again(sealed: SealedSecret | None) -> None:
    assert decide(Seen(PUSH, sealed, None), attempt()) == Unsettled()


def test_five_wrong_passphrases_lock_a_push_for_a_minute() -> None:
    push = PUSH
    waits = []
    for number in range(5):
        push = push.after_guess(START + number * 10 * SECOND)
        waits.append(seconds_to_next_guess(push, START + number * 10 * SECOND))

    assert waits == [0, 0, 0, 0, 20]
    assert [
        seconds_to_next_guess(push, START + 59.001 * SECOND),
        seconds_to_next_guess(push, START + 60 * SECOND),
    ] == [1, 0]


def test_any_sixty_seconds_count_and_not_only_the_first() -> None:
    push = PUSH
    for second in (0, 50, 51, 52, 53, 61):
        assert seconds_to_next_guess(push, START + second * SECOND) == 0
        push = push.after_guess(START + second * SECOND)

    assert seconds_to_next_guess(push, START + 62 * SECOND) == 48


@pytest.mark.parametrize("push", [PUSH, GUESSED, ENDED])
@pytest.mark.parametrize(("lease", "now"), [(None, START), (LEASE, LEASE.until)])
def test_a_request_for_repeats_only_claims_and_tries_nothing_without_a_lease(
    push: Push, lease: Lease | None, now: datetime
) -> None:
    assert decide(Seen(push, SEALED, lease), attempt(now, repeats_only=True)) == SeenBefore(push)
