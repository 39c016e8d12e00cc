"""A shell gets the names of a stack's resources, and a warning if they are not on AWS."""

import argparse
import json
import shlex
import subprocess
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
    monkeypatch.delenv("StackName", raising=False)


def exported(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[list[str], str]:
    names.main(list(arguments))
    out, err = capsys.readouterr()
    return [shlex.split(line)[1] for line in out.splitlines() if line.startswith("export ")], err


def test_a_shell_gets_the_names_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert exported(capsys) == (["Pushes=a table", "StackName=secret-sharing"], "")


def test_a_shell_of_the_local_stack_speaks_to_it_and_keeps_its_home(capsys: pytest.CaptureFixture[str]) -> None:
    lines, said = exported(capsys, "--local")

    assert lines == ["AWS_ENDPOINT_URL=http://127.0.0.1:1", "Pushes=a table", "StackName=secret-sharing"]
    assert said == ""


def test_a_shell_already_set_to_the_local_stack_gets_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")

    assert "points to http://127.0.0.1:1, not to AWS" in exported(capsys)[1]


def test_any_aws_cli_in_the_local_shell_calls_the_local_stack(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cli = tmp_path / "aws"
    cli.write_text('#!/bin/sh\necho "$@"')
    cli.chmod(0o700)
    names.main(["--local"])

    script = f'{capsys.readouterr().out}\nPATH="{tmp_path}"; echo "$(aws sqs list-queues --query "a b")"'
    printed = subprocess.check_output(["sh", "-euc", script], text=True)

    assert printed == "--endpoint-url http://127.0.0.1:1 sqs list-queues --query a b\n"


def test_a_shell_of_aws_keeps_its_aws(capsys: pytest.CaptureFixture[str]) -> None:
    names.main([])

    assert "aws()" not in capsys.readouterr().out


def test_a_command_works_on_the_stack_named_in_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("StackName", "secret-sharing-dev")
    parser = argparse.ArgumentParser()
    installation.add_options(parser)

    named = [parser.parse_args(words).stack_name for words in ([], ["--stack-name", "other"])]

    assert named == ["secret-sharing-dev", "other"]


def test_the_names_are_the_requested_stack_s_not_the_shell_s(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("StackName", "secret-sharing-dev")

    assert "StackName=secret-sharing" in exported(capsys)[0]
