"""An operator's command says in one line why it cannot read the installation."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from unittest import mock

import pytest

from infra.build import template
from infra.operator import installation
from tests.engines import resources
from tests.meters import wire_tap


def run_command(tmp_path: Path, **environment: str) -> str:
    """Return the output of the command, which fails, in its own environment."""
    command = [sys.executable, "-m", "infra.operator.names"]
    own = {"HOME": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true"} | environment
    done = subprocess.run(command, cwd=template.ROOT, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "No AWS region is set. Set AWS_REGION, or a region in your AWS configuration (aws configure)."),
        (
            {"AWS_DEFAULT_REGION": resources.REGION},
            "AWS does not accept these credentials: Unable to locate credentials",
        ),
        (
            resources.CREDENTIALS | {"AWS_DEFAULT_REGION": resources.REGION, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
            'AWS does not accept these credentials: Could not connect to the endpoint URL: "http://127.0.0.1:1/"',
        ),
    ],
)
def test_missing_settings_are_named_in_one_line(tmp_path: Path, environment: dict[str, str], why: str) -> None:
    printed = run_command(tmp_path, AWS_MAX_ATTEMPTS="1", **environment)

    assert printed.splitlines()[-1] == why
    assert "Traceback" not in printed


REFUSAL = b"<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>no</Message></Error></ErrorResponse>"


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """An address that refuses every call, and the region that each was signed for."""
    signed: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            signed.append(self.headers["authorization"].partition("Credential=")[2].split("/")[2])
            self.send_response(403)
            self.send_header("content-length", str(len(REFUSAL)))
            self.end_headers()
            self.wfile.write(REFUSAL)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", signed
        server.shutdown()
        thread.join()


BY_VARIABLE = {"AWS_REGION": "eu-central-1"}
NAMES = ["-m", "infra.operator.names"]


@pytest.mark.parametrize(
    ("command", "chosen"),
    [
        (NAMES, BY_VARIABLE),
        (NAMES, {"AWS_DEFAULT_REGION": "eu-central-1"}),
        (NAMES, {"AWS_PROFILE": "own"}),
        (NAMES, BY_VARIABLE | {"AWS_DEFAULT_REGION": "us-east-1"}),
        (["-m", "infra.build.deploy", "--config-env", "dev"], {"AWS_PROFILE": "own"}),
        (["-m", "infra.build.deploy", "--config-env", "dev"], BY_VARIABLE),
        (["-m", "tests.verify"], BY_VARIABLE),
    ],
)
def test_the_region_that_was_chosen_is_the_one_that_is_asked_first(
    tmp_path: Path, command: list[str], chosen: dict[str, str]
) -> None:
    (tmp_path / "config").write_text("[profile own]\nregion = eu-central-1\n")
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    (tmp_path / "credentials").write_text("[own]\naws_access_key_id = test\naws_secret_access_key = test\n")
    files = {"AWS_CONFIG_FILE": str(tmp_path / "config"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials")}
    verified = {"VERIFY_URL": "http://127.0.0.1:1", "VERIFY_TOKEN": "x", "VERIFY_STACK": "x"}

    with listening() as (endpoint, signed):
        own = keys | files | verified | chosen | {"AWS_ENDPOINT_URL": endpoint, "HOME": str(tmp_path)}
        run = [sys.executable, *command]
        done = subprocess.run(run, cwd=template.ROOT, env=own, capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "AWS does not accept these credentials" in done.stderr
    assert set(signed) == {"eu-central-1"}


def test_account_and_region_are_printed_before_anything_is_done(
    aws: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_REGION", resources.REGION)

    installation.use_region()
    installation.print_account("secret-sharing")

    assert capsys.readouterr().err == "Account 123456789012, region us-east-1, stack secret-sharing.\n"


def test_a_stack_that_is_not_there_is_named(aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", resources.REGION)

    with pytest.raises(SystemExit, match=r"^The stack no-such-stack cannot be read: .*ValidationError"):
        installation.find_resources("no-such-stack")


def find_at(offset: timedelta) -> None:
    """Find the resources where AWS's clock differs from this computer's."""

    def answer(*_: Any) -> Any:
        date = format_datetime(datetime.now(UTC) + offset, usegmt=True)
        names = {value["Ref"] for value in template.environment().values() if "Ref" in value}
        listed = [{"LogicalResourceId": name, "PhysicalResourceId": name} for name in names]
        metadata = {"HTTPHeaders": {"date": date}}
        return {"StackResourceSummaries": listed, "Stacks": [{}], "ResponseMetadata": metadata}

    with wire_tap.around(answer), mock.patch.dict(os.environ, AWS_DEFAULT_REGION=resources.REGION):
        installation.find_resources("secret-sharing")


@pytest.mark.parametrize("seconds", [-240, -35, 35, 240])
def test_no_command_starts_on_a_computer_whose_clock_is_wrong(seconds: int) -> None:
    with pytest.raises(SystemExit, match=r"^This computer's clock differs from AWS's by \d+ seconds: set it first."):
        find_at(timedelta(seconds=seconds))


@pytest.mark.parametrize("seconds", [-25, 0, 25])
def test_a_clock_within_half_a_minute_is_right_enough(seconds: int) -> None:
    find_at(timedelta(seconds=seconds))
