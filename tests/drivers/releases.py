"""Two releases on one set of tables, as during a deployment: each in its own process.

A process imports the functions and template of its own checkout, reads events and returns Lambda's responses.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.drivers.client import Api
from tests.engines import resources

_WORKER = """
import base64, json, os, sys
from datetime import datetime
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from infra.build import catalogues
from infra.build.compile_catalogues import compile_all
from tests.engines import resources
os.environ.update({k: v for k, v in resources.environment().items() if k not in json.loads(sys.argv[1])})
compile_all(catalogues.LOCALES)
from shared.identity import auth
from tests.drivers.client import handle
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


class Release:
    """A release's functions in their own process."""

    def __init__(self, checkout: Path) -> None:
        kept = [name for name in resources.environment() if name in os.environ and name.startswith("AWS")]
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
        """Let it handle an event, issue an API token, or sign an owner in."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"do": what, "now": now.isoformat(), **how}), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline() or "null")

    def end(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


@contextmanager
def running(checkout: Path) -> Iterator[Release]:
    """Run a release until the block ends."""
    release = Release(checkout)
    try:
        yield release
    finally:
        release.end()


@dataclass
class ReleasedApi(Api):
    """The API of one release."""

    release: Release | None = None

    def as_owner(self, token: str | None) -> "ReleasedApi":
        return ReleasedApi(now=self.now, token=token, ip=self.ip, headers=self.headers, release=self.release)

    def handled(self, event: dict[str, Any]) -> dict[str, Any]:
        assert self.release is not None
        answer: dict[str, Any] = self.release.ask("handle", self.now, event=event)
        return answer
