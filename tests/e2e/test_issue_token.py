"""An operator creates, lists and revokes API tokens."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from infra.build import template
from infra.local.stack import Stack
from tests.drivers.http_client import HttpApi

OWNER = "operator@example.com"

Command = Callable[..., str]


@pytest.fixture
def command(stack: Stack) -> Command:
    """Run the script; return its output."""

    def command(*arguments: str) -> str:
        return subprocess.check_output(
            [sys.executable, "-m", "infra.operator.issue_token", *arguments, "--owner", OWNER],
            cwd=template.ROOT,
            env=stack.emulator.environment,
            text=True,
            stderr=subprocess.STDOUT,
        )

    return command


def test_a_token_works_until_it_is_revoked(api: HttpApi, command: Command) -> None:
    minted = command("mint", "--name", "laptop").splitlines()
    caller = api.as_owner(minted[-1])
    before = caller.active().status

    listed = command("list")
    revoked = command("revoke", "--digest", listed.split()[0])

    assert "laptop" in listed
    assert minted[-1] not in listed
    assert minted[-1][-4:] in revoked
    assert (before, caller.active().status) == (200, 401)
    assert command("list") == ""
