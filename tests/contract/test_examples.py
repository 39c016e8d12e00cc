"""The code in docs/examples loses nothing, even if the first response to each request never arrives."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from infra.build import template
from tests.conftest import Configure
from tests.drivers.client import Api
from tests.engines import resources

EXAMPLES = template.ROOT / "docs" / "examples"
COMMANDS = {
    "push.sh": ["bash"],
    "push.py": [sys.executable],
    "push.mjs": ["node"],
    "push.go": ["go", "run"],
    "push.ps1": ["pwsh", "-NoProfile"],
}
SECRET = 'correct "horse" \\ ünï'


@dataclass
class Served:
    """The handlers behind a real socket. The first response to each key gets lost; `keys` has the requests' keys."""

    url: str
    keys: list[str] = field(default_factory=list)


@pytest.fixture
def served(api: Api, configure: Configure) -> Iterator[Served]:
    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            key = self.headers.get("idempotency-key", "")
            at = urlsplit(self.path)
            answer = api.request(self.command, at.path, query=at.query, headers=dict(self.headers.items()), body=body)
            told.keys.append(key)
            if told.keys.count(key) == 1:
                self.connection.close()
                self.close_connection = True
                return
            self.send_response(answer.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer.text.encode())))
            self.end_headers()
            self.wfile.write(answer.text.encode())

        do_GET = do_POST = do  # noqa: N815 (the library's names)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        told = Served(f"http://127.0.0.1:{listening.server_port}")
        configure(BASE_URL=told.url)
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield told
        listening.shutdown()
        thread.join()


def runnable() -> list[str]:
    return [name for name, command in COMMANDS.items() if shutil.which(command[0])]


@pytest.mark.parametrize("name", runnable())
def test_an_example_loses_nothing_when_the_first_answers_are_lost(served: Served, name: str) -> None:
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [*COMMANDS[name], str(EXAMPLES / name), SECRET]

    done = subprocess.run(
        command, env=environment | {"BASE_URL": served.url}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    link, retrieved = done.stdout.splitlines()
    assert link.startswith(f"{served.url}/p/")
    assert json.loads(retrieved)["payload"] == SECRET
    assert [item["views"]["N"] for item in resources.items("Pushes")] == ["1"]
    assert len(served.keys) == 4
    assert len(set(served.keys)) == 2


PIPELINE = "deploy.yml"  # docs/deploy.md explains it, and `make check` compares it with GitHub's schema


def test_every_example_is_in_the_list_and_sends_a_key() -> None:
    listed = (EXAMPLES / "README.md").read_text()

    assert {path.name for path in EXAMPLES.iterdir()} == COMMANDS.keys() | {"README.md", PIPELINE}
    for name in COMMANDS:
        assert f"`{name}`" in listed
        assert "Idempotency-Key" in (EXAMPLES / name).read_text()
