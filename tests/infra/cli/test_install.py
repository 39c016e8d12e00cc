"""The package as a user installs it (`make setup-clients`)."""

import subprocess

import pytest

from infra.build import template

SECRET = template.ROOT / ".local" / "venvs" / "cli" / "bin" / "secret"


@pytest.mark.long
def test_the_installed_command_explains_each_of_its_commands() -> None:
    for command in ("push", "get", "status", "end", "ask"):
        shown = subprocess.check_output([SECRET, command, "--help"], text=True)
        assert "examples:" in shown


@pytest.mark.long
def test_the_package_shares_no_code_with_the_functions() -> None:
    loaded = "import sys, secret_cli.main; print({name.split('.')[0] for name in sys.modules} & {'shared', 'infra'})"
    assert subprocess.check_output([SECRET.parent / "python", "-c", loaded], cwd="/", text=True) == "set()\n"
