"""A shell gets the names of a stack's resources, and is told when they are not of AWS."""

import json
import shlex
from pathlib import Path

import pytest

from infra.operator import installation, names


@pytest.fixture(autouse=True)
def stack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A stack with one table, on AWS and as the local stack."""
    local = tmp_path / "local.json"
    local.write_text(json.dumps({"environment": {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "HOME": "/root"}}))
    monkeypatch.setattr(names, "LOCAL", local)
    monkeypatch.setattr(installation, "connect", lambda _options: {"Pushes": "a table"})
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)


def exported(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[str], str]:
    names.main(list(arguments))
    out, err = capsys.readouterr()
    return [shlex.split(line)[1] for line in out.splitlines()], err


def test_a_shell_gets_the_names_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert exported(capsys) == (["Pushes=a table", "StackName=secret-sharing"], "")


def test_a_shell_of_the_local_stack_speaks_to_it_and_keeps_its_home(capsys: pytest.CaptureFixture[str]) -> None:
    lines, said = exported(capsys, "--local")

    assert lines == ["AWS_ENDPOINT_URL=http://127.0.0.1:1", "Pushes=a table", "StackName=secret-sharing"]
    assert said == ""


def test_a_shell_that_speaks_to_the_local_stack_already_is_told_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")

    assert "of http://127.0.0.1:1, not of AWS" in exported(capsys)[1]
