"""The operator's script on tables in process; e2e/test_issue_token.py runs it as they would."""

from argparse import Namespace
from datetime import UTC, datetime

import pytest

from infra import issue_token
from shared import auth
from tests.browser import Browser
from tests.client import Api


def options(*arguments: str) -> Namespace:
    return issue_token._parser().parse_args([*arguments, "--owner", "Ann@Example.com"])


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    chosen = options(*arguments)
    chosen.act(chosen)
    return capsys.readouterr().out.strip()


def test_a_token_is_for_the_owner_that_signs_in_however_their_address_is_written(
    ann: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    token = printed(capsys, "mint")

    Api(token=token).push(name="From the API")

    assert "From the API" in ann.visit("/pushes").page.text


def test_sessions_are_no_tokens(ann: Browser, capsys: pytest.CaptureFixture[str]) -> None:
    before = printed(capsys, "list")
    printed(capsys, "mint", "--name", "laptop")

    assert before == ""
    assert len(printed(capsys, "list").splitlines()) == 1


@pytest.mark.parametrize("days", ["0", "-1", "soon"])
def test_a_token_lives_for_a_day_at_least(days: str) -> None:
    with pytest.raises(SystemExit):
        options("mint", "--days", days)


def test_a_token_minted_for_an_address_as_it_was_written_can_still_be_revoked(
    aws: None, capsys: pytest.CaptureFixture[str]
) -> None:
    token = auth.issue_api_token("Ann@Example.com", "old", now=datetime.now(UTC))
    digest = printed(capsys, "list").split()[0]

    printed(capsys, "revoke", "--digest", digest)

    assert Api(token=token).active().status == 401
