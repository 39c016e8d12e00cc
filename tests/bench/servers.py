"""Plain servers (plain_server.py) and Redis, in separate processes, each ended by its id."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from unittest import mock

from infra.build import template
from infra.local.emulator import free_port
from tests.engines.over_http import started

SNAPPASS = template.ROOT / ".local" / "venvs" / "snappass" / "bin" / "python"
REDIS = "redis-server"
PROGRAM = Path(__file__).parent / "plain_server.py"


@contextmanager
def plain(what: str, python: Path | str = sys.executable, **environment: str) -> Iterator[int]:
    """Start a server with these handlers and yield its port."""
    port = free_port()
    own = {"PYTHONPATH": str(template.ROOT), "BASE_URL": f"http://127.0.0.1:{port}"} | environment
    with mock.patch.dict(os.environ, own), started([str(python), str(PROGRAM), str(port), what], str(port)):
        yield port


@contextmanager
def redis(directory: Path) -> Iterator[str]:
    """Start a Redis that syncs each write to the disk before it answers, and yield its address."""
    port = str(free_port())
    durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
    command = [REDIS, "--port", port, "--bind", "127.0.0.1", "--dir", str(directory), *durable]
    with started(command, port, speaks_http=False):
        yield f"redis://127.0.0.1:{port}/0"


def missing() -> list[str]:
    """Return SnapPass's missing dependencies, each with how to get it."""
    lacks = {REDIS: which(REDIS) is not None, "SnapPass": SNAPPASS.exists()}
    return [f"{name} (`make setup-bench` installs it)" for name, is_here in lacks.items() if not is_here]
