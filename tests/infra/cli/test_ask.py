"""`secret ask`, for a person with an account."""

import json
from datetime import UTC, datetime

import pytest
from secret_cli.failure import Exit

from shared.domain.audit import Caller
from shared.identity import auth
from shared.service import answers
from tests.drivers.browser import Browser
from tests.drivers.client import Answer
from tests.infra.cli.conftest import Secret, Service


@pytest.fixture
def ann(ann: Browser, secret: Secret) -> Secret:
    """Return the command as a person with an account runs it."""
    secret.environment["SECRET_TOKEN"] = auth.issue_api_token(ann.owner, "test", now=datetime.now(UTC))
    return secret


def test_an_ask_has_the_chosen_limits_and_is_listed_until_it_is_ended(ann: Secret) -> None:
    options = ("--answers", "3", "--files", "--days", "2", "--views", "1", "--no-mail", "--json")
    ann("ask", "The first one")
    created = json.loads(ann("ask", *options, given="Your\x1b[2J key,\nplease").out)

    [newest, _] = json.loads(ann("ask", "--list", "--json").out)
    assert (newest["html_url"], newest["message"]) == (created["link"], "Your\x1b[2J key,\nplease")
    assert (newest["answers"], newest["files"], newest["push"]["expire_after_views"]) == (3, True, 1)
    assert ann("end", given=created["link"]).out == b"Ended.\n"
    ended, first = ann("ask", "--list").out.decode().splitlines()
    assert ended.startswith(f"{created['link']}  over since ")
    assert ended.endswith("  0 of 3 answers  Your\\x1b[2J key, please")
    assert "  open until " in first


def test_a_refused_field_is_named(ann: Secret) -> None:
    assert ann("ask", "").err.endswith("message: can't be blank\n")


def test_an_answer_is_counted_in_the_list(ann: Secret, service: Service) -> None:
    link = ann("ask", "x", "--name", "Client 7").out.decode().strip()
    answers.answer_ask(link.rpartition("/")[2], {"payload": "s3cret"}, Caller(ip="192.0.2.1"), now=datetime.now(UTC))

    assert ann("ask", "--list").out.decode().endswith("  1 of 1 answers  Client 7\n")
    assert str(service.asked).count("?page=") == 2


def test_a_lost_answer_makes_no_second_ask(ann: Secret, service: Service) -> None:
    service.broken += [lambda *_: Answer(502, {}, "")]

    link = ann("ask", "x").out.decode().strip()

    assert [one["html_url"] for one in json.loads(ann("ask", "--list", "--json").out)] == [link]


def test_asking_needs_a_token_and_a_message(secret: Secret, service: Service) -> None:
    assert secret("ask", "x").status == Exit.USAGE
    secret.environment["SECRET_TOKEN"] = service.token
    nobody, empty = secret("ask", "x"), secret("ask")

    assert (nobody.status, empty.status) == (Exit.REFUSED, Exit.REFUSED)
    assert "verified e-mail address" in nobody.err


@pytest.mark.parametrize("command", ["get", "status"])
def test_the_link_of_an_ask_holds_no_secret(command: str, ann: Secret, service: Service) -> None:
    ended = ann(command, given=f"{service.base_url}/a/abcdefgh")

    assert (ended.status, service.asked) == (Exit.USAGE, [])
    assert "asks for a secret" in ended.err
