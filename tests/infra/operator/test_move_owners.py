"""What 0.4.0 kept under addresses, moved to accounts and names."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ReadTimeoutError

from infra.operator import installation, move_owners
from shared.aws import tokens
from shared.domain import owners, seal
from shared.domain.token import ApiToken, Session
from shared.identity import auth
from tests.doubles.cognito import Cognito
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.functions.pages.test_account import signing_up
from tests.meters import wire_tap

ANN, BOB, TEAM = "ann@example.com", "bob@example.com", "Backup job"


def of_0_4_0(owner: str, credential: str, *, is_session: bool = False) -> Api:
    """A caller with a credential as 0.4.0 made them."""
    if is_session:
        tokens.add_session(Session(seal.digest(f"session {credential}"), owner, "", START, START + timedelta(hours=12)))
    else:
        tokens.add_api_token(ApiToken(seal.digest(credential), owner, "", "", START))
    return Api(token=credential)


@pytest.fixture
def old(ann: Browser) -> dict[str, Api]:
    """An account, two names and what they own."""
    callers = {owner: of_0_4_0(owner, owner[0] * 43) for owner in (ANN, BOB, TEAM)}
    for owner, caller in callers.items():
        caller.push(name=f"of {owner}")
    of_0_4_0(ANN, "s" * 43, is_session=True)
    return callers


def stored_owners(table: str) -> set[str]:
    return {item["owner"]["S"] for item in resources.items(table) if "owner" in item}


def test_an_address_becomes_the_account_that_has_it_and_a_name_elsewhere(ann: Browser, old: dict[str, Api]) -> None:
    move_owners.move(is_dry=False)

    expected = {ann.owner, owners.of_name(BOB), owners.of_name(TEAM)}
    assert stored_owners("Pushes") == expected
    assert stored_owners("ApiTokens") == expected
    assert f"of {ANN}" in ann.visit("/pushes").page.text
    for owner, caller in old.items():
        assert [push["name"] for push in caller.active().json] == [f"of {owner}"]


def test_a_token_of_a_moved_owner_lists_what_a_new_one_pushes(old: dict[str, Api]) -> None:
    move_owners.move(is_dry=False)

    Api(token=auth.issue_api_token(owners.of_name(BOB), "new", now=START)).push(name="new")

    assert {push["name"] for push in old[BOB].active().json} == {"new", f"of {BOB}"}


def test_it_counts_and_a_second_run_finds_nothing(old: dict[str, Api]) -> None:
    counted = move_owners.move(is_dry=False)

    again = move_owners.move(is_dry=False)

    assert counted == {"pushes": 3, "API tokens": 3, "sessions dropped": 1, "unconfirmed accounts dropped": 0}
    assert sum(again.values()) == 0


def test_runs_that_were_broken_off_anywhere_are_finished_by_the_next(ann: Browser, old: dict[str, Api]) -> None:
    number, is_broken = 0, True
    while is_broken:
        broken = wire_tap.failing(number, after=True)
        with wire_tap.calls() as calls, suppress(ReadTimeoutError, AssertionError), broken:
            move_owners.move(is_dry=False)
        number, is_broken = number + 1, number < len(calls)

    move_owners.move(is_dry=False)

    assert stored_owners("Pushes") == {ann.owner, owners.of_name(BOB), owners.of_name(TEAM)}


def test_a_dry_run_counts_the_same_and_changes_nothing(old: dict[str, Api]) -> None:
    before = [resources.items("Pushes"), resources.items("ApiTokens")]

    counted = move_owners.move(is_dry=True)

    assert [resources.items("Pushes"), resources.items("ApiTokens")] == before
    assert counted == move_owners.move(is_dry=False)


def test_an_address_that_nobody_has_confirmed_is_a_name(people: Cognito) -> None:
    signing_up(BOB)
    of_0_4_0(BOB, "b" * 43).push()

    move_owners.move(is_dry=False)

    assert stored_owners("Pushes") == {owners.of_name(BOB)}


@pytest.mark.parametrize(("hours", "left"), [(0, 0), (-2, 1)], ids=["made before the update", "made since"])
def test_accounts_that_waited_with_a_strangers_password_are_dropped(people: Cognito, hours: int, left: int) -> None:
    signing_up()
    people.app_made_at = datetime.now(UTC) + timedelta(hours=hours)

    move_owners.move(is_dry=False)

    assert len(resources.client("cognito-idp").list_users(UserPoolId=people.pool_id)["Users"]) == left


def test_it_prints_counts_only(
    old: dict[str, Api], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installation, "connect", lambda _chosen: None)

    move_owners.main(["--dry-run"])

    printed = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("{")]
    assert printed == [
        "       3 pushes",
        "       3 API tokens",
        "       1 sessions dropped",
        "       0 unconfirmed accounts dropped",
    ]
