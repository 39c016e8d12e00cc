"""The start and end of a credential's validity."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from shared.domain.token import AccountStatus, ApiToken, Credential, Session
from tests.drivers.client import START

MS = timedelta(milliseconds=1)
SKEW = timedelta(minutes=1)  # the most that two clocks may differ


def session(created_at: datetime) -> Session:
    return Session("digest", "name:ann", "ann@example.com", created_at, created_at + timedelta(hours=12))


def api_token(created_at: datetime, proven_at: datetime | None = None) -> ApiToken:
    return ApiToken("digest", "name:ann", "a name", "last", created_at, proven_at=proven_at)


@pytest.mark.parametrize("dated", [session, api_token])
def test_a_credential_may_be_a_minute_ahead_and_no_longer(dated: Callable[[datetime], Credential]) -> None:
    in_time, too_late = dated(START + SKEW), dated(START + SKEW + MS)

    assert (in_time.is_expired(START), AccountStatus().accepts(in_time, START)) == (False, True)
    assert (too_late.is_expired(START), AccountStatus().accepts(too_late, START)) == (True, False)


def test_an_api_token_is_as_old_as_its_proof() -> None:
    proven_later = api_token(START, proven_at=START + SKEW + MS)

    assert not AccountStatus().accepts(proven_later, START)
    assert not AccountStatus(ended_at=START).accepts(api_token(START, proven_at=START - MS), START)


@pytest.mark.parametrize(
    ("status", "dated", "accepted"),
    [
        (AccountStatus(ended_at=START), session, [False, True]),
        (AccountStatus(ended_at=START), api_token, [False, True]),
        (AccountStatus(sessions_ended_at=START), session, [False, True]),
        (AccountStatus(sessions_ended_at=START), api_token, [True, True]),
        (AccountStatus(ended_at=START - MS, sessions_ended_at=START), session, [False, True]),
    ],
)
def test_an_end_of_sessions_leaves_api_tokens(
    status: AccountStatus, dated: Callable[[datetime], Credential], accepted: list[bool]
) -> None:
    assert [status.accepts(dated(moment), START) for moment in (START - MS, START)] == accepted
