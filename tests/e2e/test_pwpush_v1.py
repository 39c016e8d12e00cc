"""The official command line of the API v1 era, unmodified, against the deployed stack."""

import ast
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra.build import template
from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Issue

VERSIONS = ["0.10", "0.13"]
OWNER = "old-cli@example.com"

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def token(issue: Issue) -> str:
    return issue(OWNER)


@pytest.fixture(params=VERSIONS, scope="module")
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def pwpush(tmp_path_factory: pytest.TempPathFactory, base_url: str, token: str, version: str) -> Cli:
    """Return the CLI of a version, with its own home and the settings of its login."""
    home = tmp_path_factory.mktemp(f"pwpush-{version}")

    def run(*arguments: str) -> str:
        own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "COLUMNS": "300", "NO_COLOR": "1", "LANG": "C.UTF-8"}
        return subprocess.run(
            [template.ROOT / ".local" / "venvs" / f"pwpush-{version}" / "bin" / "pwpush", *arguments],
            env={"PATH": os.environ["PATH"], **own},
            input="\n",  # it may ask for a passphrase, and accepts an empty one
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    for key, value in {"url": base_url, "email": OWNER, "token": token}.items():
        assert "Success" in run("config", "set", "--key", key, "--value", value)
    return run


def test_a_push_is_retrieved_unchanged(pwpush: Cli, api: HttpApi, version: str) -> None:
    secret = "pässword & <b>%2B</b> 🔑"

    url_token = pushed(pwpush("push", "--days", "3", "--views", "2", *written(version, secret)))

    retrieved = api.retrieve(url_token).json
    assert (retrieved["payload"], retrieved["expire_after_days"], retrieved["expire_after_views"]) == (secret, 3, 2)


def test_a_file_arrives(pwpush: Cli, api: HttpApi, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")

    url_token = pushed(pwpush("push-file", str(tmp_path / "a.txt")))

    [file] = api.retrieve(url_token).json["files"]
    assert file["filename"] == "a.txt"


def test_an_expired_push_has_ended(pwpush: Cli, api: HttpApi, version: str) -> None:
    url_token = pushed(pwpush("push", *written(version, "s3cret")))

    pwpush("expire", url_token)

    assert api.retrieve(url_token).json["payload"] is None


def test_the_audit_log_names_the_actor_of_each_event(pwpush: Cli, api: HttpApi, version: str) -> None:
    url_token = pushed(pwpush("push", *written(version, "s3cret")))
    api.retrieve(url_token)

    views = literal(pwpush("--json", "true", "audit", url_token))["views"]

    assert [entry["kind"] for entry in views] == ["creation", "view"]


# The others request a page of the 2022 reference.
@pytest.mark.parametrize("version", VERSIONS[-1:], scope="module")
def test_the_list_contains_the_push(pwpush: Cli, version: str) -> None:
    url_token = pushed(pwpush("push", *written(version, "s3cret")))

    assert url_token in pwpush("list")


def written(version: str, secret: str) -> list[str]:
    return [secret] if version == VERSIONS[0] else ["--secret", secret]


def pushed(output: str) -> str:
    """Return the url_token of the printed link."""
    [url_token] = re.findall(r"/p/([a-z0-9]+)", output)
    return str(url_token)


def literal(output: str) -> Any:
    """Return its JSON-like output: a dictionary as Python prints it."""
    return ast.literal_eval(output[output.index("{") :])
