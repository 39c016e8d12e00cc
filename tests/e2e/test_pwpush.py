"""The official CLI, unmodified, against the deployed stack."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Issue

OWNER = "cli@example.com"

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def token(issue: Issue) -> str:
    return issue(OWNER)


@pytest.fixture(scope="module")
def owner(api: HttpApi, token: str) -> HttpApi:
    """The owner of the CLI's API token."""
    return api.as_owner(token)


@pytest.fixture(scope="module")
def pwpush(tmp_path_factory: pytest.TempPathFactory, base_url: str, token: str) -> Cli:
    """Log the CLI in; return a function that runs it and returns its output."""
    home = tmp_path_factory.mktemp("home")
    run(home, "login", "--url", base_url, "--email", OWNER, "--token", token)
    return lambda *arguments: run(home, *arguments)


def test_login_accepts_a_valid_token_and_refuses_another(tmp_path: Path, base_url: str, token: str) -> None:
    right = run(tmp_path, "login", "--url", base_url, "--email", OWNER, "--token", token)
    wrong = run(tmp_path, "login", "--url", base_url, "--email", OWNER, "--token", token[:-1])

    assert "Login successful" in right
    assert "Could not log in" in wrong


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("text", "pässword & <b>%2B</b> 🔑"),
        ("url", "https://example.com/?a=1&b=ü#c"),
        ("qr", "WIFI:T:WPA;S:net;P:s3cret;;"),
    ],
)
def test_a_push_is_retrieved_unchanged(pwpush: Cli, api: HttpApi, kind: str, payload: str) -> None:
    url_token = push(pwpush, "--secret", payload, "--kind", kind)

    retrieved = api.retrieve(url_token).json

    assert (retrieved["kind"], retrieved["payload"]) == (kind, payload)


def test_a_passphrase_protects_a_push(pwpush: Cli, api: HttpApi) -> None:
    url_token = push(pwpush, "--secret", "s3cret", "--passphrase", "a+b & c%")

    refused = api.retrieve(url_token)
    retrieved = api.retrieve(url_token, "a+b & c%")

    assert refused.status == 401
    assert retrieved.json["payload"] == "s3cret"


def test_days_1_means_one_day(pwpush: Cli) -> None:
    url_token = push(pwpush, "--secret", "s3cret", "--days", "1")

    pushed = listed(pwpush)[url_token]

    assert pushed["expire_after_days"] == 1
    assert moment(pushed["expires_at"]) - moment(pushed["created_at"]) == timedelta(days=1)


def test_views_1_means_one_view(pwpush: Cli, api: HttpApi) -> None:
    url_token = push(pwpush, "--secret", "s3cret", "--views", "1")

    payloads = [api.retrieve(url_token).json["payload"] for _ in range(2)]

    assert payloads == ["s3cret", None]


def test_switches_name_and_note_arrive(pwpush: Cli) -> None:
    switches = ("--no-deletable", "--no-retrieval-step")
    url_token = push(pwpush, "--secret", "s3cret", *switches, "--name", "a name", "--note", "a note")

    pushed = listed(pwpush)[url_token]

    assert (pushed["deletable_by_viewer"], pushed["retrieval_step"]) == (False, False)
    assert (pushed["name"], pushed["note"]) == ("a name", "a note")


def test_an_expired_push_moves_from_one_list_to_the_other(pwpush: Cli, api: HttpApi) -> None:
    url_token = push(pwpush, "--secret", "s3cret")

    expired = json.loads(pwpush("expire", url_token, "--json"))

    assert (expired["expired"], expired["deleted"]) == (True, True)
    assert url_token not in listed(pwpush)
    assert url_token in listed(pwpush, "--expired")
    assert api.retrieve(url_token).json["payload"] is None


def test_the_audit_log_names_the_actor_of_each_event(pwpush: Cli, api: HttpApi, owner: HttpApi) -> None:
    url_token = push(pwpush, "--secret", "s3cret")
    api.retrieve(url_token)
    owner.retrieve(url_token)

    log = json.loads(pwpush("audit", url_token, "--json"))["logs"]

    assert [entry["kind"] for entry in log] == ["creation", "view", "owner_view"]
    assert log[0]["user_agent"].startswith("pwpush-cli/")


def test_the_tables_for_people_can_be_drawn(pwpush: Cli) -> None:
    url_token = push(pwpush, "--secret", "s3cret", "--note", "a note")

    tables = [pwpush("list"), pwpush("audit", url_token)]

    assert url_token in tables[0]
    assert "Creation" in tables[1]


def run(home: Path, *arguments: str) -> str:
    """Return the output of the CLI, with its own home and settings."""
    command = Path(sys.executable).with_name("pwpush")
    own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        [command, *arguments],
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def push(pwpush: Cli, *arguments: str) -> str:
    """Push, and return the url_token of the printed link."""
    link: str = json.loads(pwpush("push", "--json", *arguments))["url"]
    return link.rpartition("/p/")[2].removesuffix("/r")


def listed(pwpush: Cli, *arguments: str) -> dict[str, dict[str, Any]]:
    """Return the pushes of a list by url_token."""
    return {one["url_token"]: one for one in json.loads(pwpush("list", "--json", *arguments))}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
