"""Operators' commands find accounts with a password and of the provider, and never choose between them."""

import re
from datetime import UTC, datetime

import pytest

from infra.local.user_pool import Person, UserPool
from infra.operator import account, accounts, issue_token
from shared.aws import cognito
from shared.identity import auth
from tests.doubles.cognito import Cognito
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources
from tests.meters import wire_tap

ANN = "ann@example.com"


def of_provider(address: str = ANN) -> cognito.Account:
    """Return the account that a first sign-in at the provider creates; its record keeps the user name."""
    username = UserPool(resources.client("cognito-idp")).federate(Person("248289761001", address))
    found = cognito.find(username)
    assert found is not None
    auth.open_session(found.owner, now=datetime.now(UTC), username=username)
    return found


def run(*arguments: str) -> None:
    account.act(account._parser().parse_args([*arguments]))


def is_enabled(people: Cognito, username: str) -> bool:
    found = resources.client("cognito-idp").admin_get_user(UserPoolId=people.pool_id, Username=username)
    return bool(found["Enabled"])


@pytest.mark.parametrize("name", ["Oidc_248289761001", "sub", "Ann@Example.com"])
def test_an_account_of_the_provider_is_disabled_by_user_name_sub_or_address(people: Cognito, name: str) -> None:
    found = of_provider("Ann@Example.com")
    token = auth.issue_api_token(found.owner, "test", now=datetime.now(UTC))

    run("disable", "--account", found.sub if name == "sub" else name)

    assert not is_enabled(people, "oidc_248289761001")
    assert Api(now=datetime.now(UTC), token=token).active().status == 401


def test_an_address_with_two_accounts_is_refused_and_both_are_named(ann: Browser, people: Cognito) -> None:
    provided = of_provider()
    local = ann.owner.removeprefix("account:")

    with pytest.raises(SystemExit) as refused:
        run("disable", "--account", "Ann@Example.com")

    assert f"  {local}  {ANN} (confirmed), password, enabled" in str(refused.value)
    assert f"  oidc_248289761001  {ANN} (confirmed), provider, enabled" in str(refused.value)
    assert is_enabled(people, local)
    assert is_enabled(people, "oidc_248289761001")
    run("disable", "--account", local)
    assert (is_enabled(people, local), is_enabled(people, "oidc_248289761001")) == (False, True)
    assert accounts.choose(provided.sub) == provided


def test_no_token_is_minted_for_one_of_two_accounts_with_an_address(ann: Browser, people: Cognito) -> None:
    provided = of_provider()

    with pytest.raises(SystemExit, match="has 2 accounts"):
        issue_token._owner(issue_token._parser().parse_args(["mint", "--account", ANN]))

    chosen = issue_token._parser().parse_args(["mint", "--account", provided.username])
    assert issue_token._owner(chosen) == provided.owner != ann.owner


def test_the_provider_s_second_factor_is_not_ours_to_end(people: Cognito) -> None:
    found = of_provider()

    with pytest.raises(SystemExit, match="has its own second factor"):
        run("end-two-factor", "--account", found.username)


@pytest.mark.parametrize("name", ['x" or "', "\\", "", "nobody@example.com"])
def test_a_name_without_an_account_finds_none(ann: Browser, name: str) -> None:
    with wire_tap.calls() as calls, pytest.raises(SystemExit, match="There is no account"):
        accounts.choose(name)

    filters = [sent["Filter"] for operation, sent in calls if operation == "ListUsers"]
    assert all(re.fullmatch(r'\w+ = "[^"\\]*"', one) for one in filters)


def test_an_address_gives_no_orders_to_the_operator_s_terminal(people: Cognito) -> None:
    assert "\x1b" not in accounts.describe([of_provider("a\x1b[2K@b.example")])
