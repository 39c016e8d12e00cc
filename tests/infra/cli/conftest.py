"""Fixtures of the command line's tests: an installation behind a socket, and the command as a process."""

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from secret_cli import api, main

from shared.identity import auth
from tests.conftest import Configure
from tests.drivers.client import Answer, Api
from tests.engines import serving

CLI = Path(__file__).parents[3] / "infra" / "cli"
Break = Callable[[str, str, Answer], Answer]


@dataclass
class Service:
    """An installation: what it was asked, and how its responses are changed."""

    base_url: str = ""
    token: str = ""
    asked: list[str] = field(default_factory=list)
    broken: list[Break] = field(default_factory=list)  # each changes one response, in this order

    def answer(self, method: str, path: str, answer: Answer) -> Answer:
        self.asked.append(f"{method} {path}")
        return self.broken.pop(0)(method, path, answer) if self.broken else answer


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Serve the bucket."""
    with serving.s3() as endpoint:
        yield endpoint


@pytest.fixture
def service(bucket: str, aws: None, configure: Configure) -> Iterator[Service]:
    """Serve an empty installation."""
    service = Service()
    with serving.serving(Api(), service.answer, real_time=True) as base_url:
        configure(BASE_URL=base_url)
        service.base_url = base_url
        service.token = auth.issue_api_token("name:bob@example.com", "test", now=datetime.now(UTC))
        yield service


@dataclass
class Ended:
    """How a command ended."""

    status: int
    out: bytes
    err: str


@dataclass
class Secret:
    """The command, in a home of its own."""

    home: Path
    environment: dict[str, str]

    def __call__(self, *arguments: str, given: str | bytes = "") -> Ended:
        """Run the command in this process."""
        streams = [io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="") for content in (_bytes(given), b"", b"")]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.home)
            for name in ("SECRET_TOKEN", "SECRET_BASE_URL", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
                patch.delenv(name, raising=False)
            for name, value in self.environment.items():
                patch.setenv(name, value)  # the service runs in this process, too, and needs its own
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, _OfThisThread(stream, getattr(sys, name)))
            try:
                status = main.run(list(arguments))
            except SystemExit as left:
                status = int(left.code or 0)
            out, err = (_written(stream) for stream in streams[1:])
        return Ended(status, out, err.decode())

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start the command as a process."""
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "secret_cli", *arguments]
        return subprocess.Popen(command, cwd=self.home, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe)


class _OfThisThread:
    """A stream of the command alone: the service, which other threads run, keeps its own."""

    def __init__(self, own: Any, others: Any) -> None:
        self._thread, self._own, self._others = threading.get_ident(), own, others

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own if threading.get_ident() == self._thread else self._others, name)


def _bytes(given: str | bytes) -> bytes:
    return given if isinstance(given, bytes) else given.encode()


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue()


@pytest.fixture
def secret(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Secret:
    """Return the command as an anonymous caller of the installation runs it, without pauses between its tries."""
    monkeypatch.setattr(api, "PAUSES", (0.0,) * len(api.PAUSES))
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(CLI),
        "SECRET_BASE_URL": service.base_url,
    }
    return Secret(tmp_path, environment)


@pytest.fixture
def bob(secret: Secret, service: Service) -> Secret:
    """Return the command as an owner runs it."""
    secret.environment["SECRET_TOKEN"] = service.token
    return secret
