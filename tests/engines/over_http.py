"""Three engines over HTTP, none of them AWS: a claim that holds on all of them is no quirk of one.

Each starts empty and is ended by its own process; `use` points the code under test to it.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from infra.local.emulator import Emulator, free_port
from tests.engines import moto_server, resources

# moto serves the services that an engine lacks, by the SDKs' own variables.
Endpoints = dict[str, str]
_ROTO = Path(sys.executable).with_name("roto-server")
_PATIENCE = 120  # seconds for a start, also on a busy machine


@contextmanager
def moto(_directory: Path) -> Iterator[Endpoints]:
    """moto, one request at a time."""
    with moto_server.serve() as endpoint:
        yield {"AWS_ENDPOINT_URL": endpoint}


@contextmanager
def ministack(directory: Path) -> Iterator[Endpoints]:
    """MiniStack without a deployment."""
    emulator = Emulator(directory)
    try:
        emulator.start()
        yield {"AWS_ENDPOINT_URL": emulator.endpoint}
    finally:
        emulator.stop()


@contextmanager
def roto(directory: Path, *options: str) -> Iterator[Endpoints]:
    """Run roto, with DynamoDB and S3 on disk by default; moto has the rest."""
    port = str(free_port())
    command = [str(_ROTO), "--port", port, "--data-dir", str(directory), *options]
    with moto_server.serve() as others, started(command, port):
        missing = {
            f"AWS_ENDPOINT_URL_{name}": others for name in ("SQS", "SECRETS_MANAGER", "COGNITO_IDENTITY_PROVIDER")
        }
        yield {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", **missing}


# Beside moto in process, which most tests use.
ENGINES: dict[str, Callable[[Path], AbstractContextManager[Endpoints]]] = {
    "ministack": ministack,
    "roto": roto,
}


@contextmanager
def use(endpoints: Endpoints) -> Iterator[None]:
    """Point the code under test and the tests' own clients to these endpoints."""
    with pytest.MonkeyPatch.context() as patch:
        for name, endpoint in endpoints.items():
            patch.setenv(name, endpoint)
        resources.forget()
        yield
    resources.forget()


@contextmanager
def started(command: list[str], port: str, *, speaks_http: bool = True) -> Iterator[None]:
    """Run a server in its own process; it is ready at the start of the block and ended by its id."""
    answers = _answers if speaks_http else _listens
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _PATIENCE
        while not answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{Path(command[0]).name} did not start")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _listens(port: str) -> bool:
    try:
        socket.create_connection(("127.0.0.1", int(port)), timeout=2).close()
    except OSError:
        return False
    return True


def _answers(port: str) -> bool:
    try:
        urlopen(f"http://127.0.0.1:{port}/", timeout=2).close()
    except HTTPError as error:
        error.close()
    except OSError:
        return False
    return True
