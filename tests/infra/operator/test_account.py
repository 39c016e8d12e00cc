"""The operator's command that ends an account."""

from datetime import UTC, datetime

import pytest

from infra.operator import account
from shared.identity import auth
from tests.conftest import PASSWORD
from tests.doubles import lagging
from tests.doubles.cognito import Cognito
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources
from tests.functions.pages.test_account import signing_in
from tests.functions.pages.test_my_account import turned_on
from tests.shared.service import test_answers


def run(*arguments: str) -> None:
    account.act(account._parser().parse_args([*arguments]))


@pytest.mark.parametrize("command", ["disable", "delete"])
def test_it_ends_all_credentials_at_once_with_a_stale_index(ann: Browser, command: str) -> None:
    with lagging.index("ApiTokens"):
        token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)
        before = Api(token=token).active().status

        run(command, "--account", "Ann@Example.com")

        assert (before, Api(token=token).active().status) == (200, 401)
    assert ann.visit("/pushes").at == "/users/sign_in"
    assert signing_in().page.status == 401


@pytest.mark.parametrize("command", ["disable", "delete"])
def test_it_does_so_in_cognito_too(ann: Browser, people: Cognito, command: str) -> None:
    run(command, "--account", "ann@example.com")

    left = resources.client("cognito-idp").list_users(UserPoolId=people.pool_id)["Users"]
    assert [user["Enabled"] for user in left] == ([False] if command == "disable" else [])


def test_only_a_deletion_removes_the_account_s_asks(ann: Browser) -> None:
    for left, command in ((1, "disable"), (0, "delete")):
        test_answers.stored(ann_owner())
        run(command, "--account", "ann@example.com")
        assert len(resources.items("Asks")) == left


def test_a_reenabled_account_has_no_old_credentials(ann: Browser, people: Cognito) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=datetime.now(UTC))
    run("disable", "--account", "ann@example.com")

    resources.client("cognito-idp").admin_enable_user(UserPoolId=people.pool_id, Username="ann@example.com")

    assert Api(token=token).active().status == 401
    fresh = auth.issue_api_token(ann_owner(), "test", now=datetime.now(UTC))
    assert Api(now=datetime.now(UTC), token=fresh).active().status == 200


def test_after_a_lost_device_the_password_is_enough_and_sessions_end(ann: Browser, people: Cognito) -> None:
    turned_on(ann, people)
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)
    asked = signing_in().page.text

    run("end-two-factor", "--account", "ann@example.com")

    assert "Your password is right." in asked
    assert ann.visit("/pushes").at == "/users/sign_in"
    assert Api(token=token).active().status == 401
    ann.api.now = datetime.now(UTC)
    assert ann.submit("/users/sign_in", email="ann@example.com", password=PASSWORD).at == "/pushes"


def ann_owner() -> str:
    from shared.aws import cognito

    found = cognito.find("ann@example.com")
    assert found is not None
    return found.owner


def test_an_unknown_account_changes_nothing(ann: Browser) -> None:
    with pytest.raises(SystemExit, match="no account"):
        run("delete", "--account", "nobody@example.com")

    assert ann.visit("/pushes").at == "/pushes"
