"""The operator's script on tables in process; e2e/test_issue_token.py runs it as a command."""

from argparse import Namespace
from datetime import UTC, datetime

import pytest

from infra.operator import issue_token
from tests.conftest import People
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.functions.pages.test_account import signing_up

ANN = ("--account", "Ann@Example.com")
NAME = ("--owner", "Ann@Example.com")


def options(*arguments: str) -> Namespace:
    return issue_token._parser().parse_args([*arguments])


def run_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()  # output of earlier handlers
    chosen = options(*arguments)
    capsys.readouterr()  # the metrics of earlier requests
    chosen.act(chosen)
    return capsys.readouterr().out.strip()


def today(token: str) -> Api:
    """A caller with an API token of today."""
    return Api(now=datetime.now(UTC), token=token)


def test_a_token_belongs_to_the_account_in_any_spelling_of_its_address(
    ann: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    token = run_command(capsys, "mint", *ANN)

    today(token).push(name="From the API")

    assert "From the API" in ann.visit("/pushes").page.text


def test_a_name_is_no_account_even_where_it_is_the_accounts_address(
    ann: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    token = run_command(capsys, "mint", *NAME)

    today(token).push(name="From the API")

    assert "From the API" not in ann.visit("/pushes").page.text
    assert run_command(capsys, "list", *ANN) == ""
    assert len(run_command(capsys, "list", "--owner", "ann@example.com").splitlines()) == 1


def test_no_token_is_created_for_an_unconfirmed_address(people: People) -> None:
    signing_up()

    for address in ("ann@example.com", "nobody@example.com"):
        with pytest.raises(SystemExit, match=r"There is no (confirmed )?account"):
            issue_token._mint(options("mint", "--account", address))


def test_sessions_are_no_tokens(ann: Browser, capsys: pytest.CaptureFixture[str]) -> None:
    before = run_command(capsys, "list", *ANN)
    run_command(capsys, "mint", *ANN, "--name", "laptop")

    assert before == ""
    assert len(run_command(capsys, "list", *ANN).splitlines()) == 1


@pytest.mark.parametrize("whose", [ANN, NAME])
def test_a_token_is_revoked_by_whom_it_was_minted_for(
    ann: Browser, capsys: pytest.CaptureFixture[str], whose: tuple[str, str]
) -> None:
    token = run_command(capsys, "mint", *whose)
    digest = run_command(capsys, "list", *whose).split()[0]

    run_command(capsys, "revoke", *whose, "--digest", digest)

    assert today(token).active().status == 401


def test_a_token_may_have_an_end(aws: None, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = options("mint", *NAME, "--days", "30")

    chosen.act(chosen)

    assert "valid until 20" in capsys.readouterr().err
    assert "no end" not in run_command(capsys, "list", *NAME)


def test_a_digest_that_fits_none_revokes_none(aws: None, capsys: pytest.CaptureFixture[str]) -> None:
    token = run_command(capsys, "mint", *NAME)

    with pytest.raises(SystemExit, match="0 API tokens"):
        run_command(capsys, "revoke", *NAME, "--digest", "nonsense")

    assert today(token).active().status == 200


@pytest.mark.parametrize("days", ["0", "-1", "soon"])
def test_a_token_lives_for_a_day_at_least(days: str) -> None:
    with pytest.raises(SystemExit):
        options("mint", *NAME, "--days", days)


@pytest.mark.parametrize("whose", [(), (*ANN, *NAME)])
def test_a_token_is_for_an_account_or_for_a_name(whose: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        options("mint", *whose)


@pytest.mark.parametrize("place", [0, 1, 3])
def test_the_local_stack_may_be_named_before_and_behind_the_command(place: int) -> None:
    words = ["list", *NAME]
    words.insert(place, "--local")

    assert (options(*words).local, options("list", *NAME).local) == (True, False)
    assert options(*words).stack_name == "secret-sharing"
