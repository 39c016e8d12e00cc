"""Two releases beside each other on one set of tables, as while a deployment is going on: each in a process of its own.

A process imports its own checkout's functions and template, and is given events; it gives back what Lambda would.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from infra import template
from tests import engine
from tests.client import Api

# The commits of releases that have no tag.
_COMMITS = {
    "0.7.0": "bc60e2b762fec100b082a497369ce2f24537a0c6",
    "0.8.0": "8fcc5c6c43879cfc4be9d05e2c789a6f436ddf46",
}

_WORKER = """
import base64, json, os, sys
from datetime import datetime
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from infra import catalogues
from infra.compile_catalogues import compile_all
from tests import engine
os.environ.update({k: v for k, v in engine.environment().items() if k not in json.loads(sys.argv[1])})
compile_all(catalogues.LOCALES)
from shared import auth
from tests.client import handle
for line in sys.stdin:
    asked = json.loads(line)
    now = datetime.fromisoformat(asked["now"])
    if asked["do"] == "handle":
        answer = handle(asked["event"]["routeKey"], asked["event"])
    elif asked["do"] == "issue":
        answer = auth.issue_api_token(asked["owner"], "a name", now=now)
    elif asked["do"] == "sign in":
        answer = auth.open_session(asked["owner"], now=now)
    print(json.dumps(answer), file=out, flush=True)
"""


class NoHistory(Exception):
    """The release before cannot be had here."""


def version_before() -> str:
    """The version of the release before this one."""
    return str(re.findall(r"^## (\S+)", (template.ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1])


def check_out(version: str, directory: Path) -> Path:
    """The files of a release, in a directory that does not exist yet.

    Raises: NoHistory, when this checkout has no tag of that name, or lacks its commit.
    """
    reference = _COMMITS.get(version, f"refs/tags/{version}")
    for name in (f"refs/tags/{version}", reference):
        if not _git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}").returncode:
            directory.mkdir()
            archive = _git("archive", name).stdout
            subprocess.run(["tar", "-x", "-C", str(directory)], input=archive, check=True)
            return directory
    raise NoHistory(
        f"release {version} is neither tagged nor in the history here; fetch all of it: git fetch --unshallow"
    )


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *arguments], cwd=template.ROOT, capture_output=True, check=False)


class Release:
    """A release's functions, in a process of their own."""

    def __init__(self, checkout: Path) -> None:
        kept = [name for name in engine.environment() if name in os.environ and name.startswith("AWS")]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, json.dumps(kept)],
            cwd=checkout,
            env=os.environ | {"PYTHONPATH": str(checkout), "PYTHONWARNINGS": "ignore"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, what: str, now: datetime, **how: Any) -> Any:
        """Have it handle an event, issue an API token, or sign an owner in."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"do": what, "now": now.isoformat(), **how}), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline() or "null")

    def end(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


@contextmanager
def running(checkout: Path) -> Iterator[Release]:
    """A release whose process ends with the block."""
    release = Release(checkout)
    try:
        yield release
    finally:
        release.end()


@dataclass
class ReleasedApi(Api):
    """The API as one release answers it."""

    release: Release | None = None

    def as_owner(self, token: str | None) -> "ReleasedApi":
        return ReleasedApi(now=self.now, token=token, ip=self.ip, headers=self.headers, release=self.release)

    def handled(self, event: dict[str, Any]) -> dict[str, Any]:
        assert self.release is not None
        answer: dict[str, Any] = self.release.ask("handle", self.now, event=event)
        return answer
