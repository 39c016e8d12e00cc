"""An operator's command says in one line why it cannot read the installation."""

import subprocess
import sys
from pathlib import Path

import pytest

from infra.build import template
from infra.operator import installation
from tests.engines import resources


def said(tmp_path: Path, **environment: str) -> str:
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
        ({}, "You must specify a region."),
        ({"AWS_DEFAULT_REGION": resources.REGION}, "Unable to locate credentials"),
        (
            resources.CREDENTIALS | {"AWS_DEFAULT_REGION": resources.REGION, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
            'Could not connect to the endpoint URL: "http://127.0.0.1:1/"',
        ),
    ],
)
def test_what_is_missing_is_named_in_one_line(tmp_path: Path, environment: dict[str, str], why: str) -> None:
    printed = said(tmp_path, AWS_MAX_ATTEMPTS="1", **environment)

    assert printed.splitlines()[-1] == f"The stack secret-sharing cannot be read: {why}"
    assert "Traceback" not in printed


def test_a_stack_that_is_not_there_is_named(aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", resources.REGION)

    with pytest.raises(SystemExit, match=r"^The stack no-such-stack cannot be read: .*ValidationError"):
        installation.find_resources("no-such-stack")
