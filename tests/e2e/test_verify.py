"""`make verify` passes on the local stack."""

import os
import subprocess
import sys

import pytest

from infra.build import template
from infra.local.stack import Stack
from tests.e2e.conftest import Issue

pytestmark = pytest.mark.long


def test_the_local_stack_keeps_the_promises(stack: Stack, issue: Issue) -> None:
    token = issue("verify@example.com")
    environment = os.environ | {"VERIFY_URL": stack.base_url, "VERIFY_TOKEN": token}

    done = subprocess.run(
        [sys.executable, "-m", "tests.verify"],
        cwd=template.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    assert "claims, 0 failed" in done.stdout
    assert "413" in done.stdout.partition("between 6 and 10 MB")[2].splitlines()[1]
    assert token not in done.stdout
