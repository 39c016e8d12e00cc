"""The code in docs/examples: it loses no secret and no view, says what went wrong, and shows secrets to nobody."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
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
    "push.ps1": ["pwsh", "-NoProfile", "-File"],
}
# Several lines, as a key has; the second is an option of curl, if it is read as a configuration.
SECRET = '-----BEGIN "KEY"-----\nurl = http://127.0.0.1:9/\n\\ünï\t%41+&\n-----END KEY-----\n'
SENTENCE = "Said by the server."
LOST = 0  # in place of a status: the request is handled, and its response lost


@dataclass
class Served:
    """The handlers behind a real socket; `first` has the statuses of the first responses to each key, in order of keys.

    `keys` has the keys of all requests; a status of `first` comes with `Retry-After`: `retry_after`.
    """

    url: str
    first: list[list[int]] = field(default_factory=list)
    retry_after: str = "1"
    keys: list[str] = field(default_factory=list)

    def trouble(self, key: str) -> int | None:
        """Return the status in place of the next response to this key, if there is one."""
        self.keys.append(key)
        number = list(dict.fromkeys(self.keys)).index(key)
        statuses = self.first[number] if number < len(self.first) else []
        tried = self.keys.count(key)
        return statuses[tried - 1] if tried <= len(statuses) else None


@pytest.fixture
def served(api: Api, configure: Configure) -> Iterator[Served]:
    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            at = urlsplit(self.path)
            trouble = told.trouble(self.headers.get("idempotency-key", ""))
            if trouble:
                self.answer(trouble, json.dumps({"error": SENTENCE}))
                return
            headers = dict(self.headers.items())
            answer = api.request(self.command, at.path, query=at.query, headers=headers, body=body)
            if trouble == LOST:
                self.connection.close()
                self.close_connection = True
                return
            self.answer(answer.status, answer.text)

        do_GET = do_POST = do  # noqa: N815 (the library's names)

        def answer(self, status: int, text: str) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text.encode())))
            self.send_header("retry-after", told.retry_after)
            self.end_headers()
            self.wfile.write(text.encode())

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


each_example = pytest.mark.parametrize("name", runnable())


Done = subprocess.CompletedProcess[str]


def run(name: str, served: Served, *arguments: str, secret: str = SECRET, **more: str) -> Done:
    """Run an example, with a base URL that ends in a slash."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [*COMMANDS[name], str(EXAMPLES / name), *arguments],
        env=environment | {"BASE_URL": f"{served.url}/"} | more,
        input=secret,
        capture_output=True,
        text=True,
        check=False,
    )


def retrieved(done: Done, served: Served) -> str:
    """Return the payload that an example printed."""
    assert done.returncode == 0, done.stderr
    link, push = done.stdout.splitlines()
    assert link.startswith(f"{served.url}/p/")
    return str(json.loads(push)["payload"])


@each_example
def test_an_example_loses_nothing_when_a_response_is_lost_or_refused_for_now(served: Served, name: str) -> None:
    served.first = [[LOST], [503]]

    done = run(name, served)

    assert retrieved(done, served) == (SECRET.rstrip("\n") if name == "push.ps1" else SECRET)
    assert [item["views"]["N"] for item in resources.items("Pushes")] == ["1"]
    assert [served.keys.count(key) for key in dict.fromkeys(served.keys)] == [2, 2]


@each_example
def test_an_example_sends_its_token(served: Served, bob: Api, name: str) -> None:
    done = run(name, served, secret="x", TOKEN=str(bob.token))

    assert retrieved(done, served) == "x"
    assert len(bob.expired().json) == 1


@each_example
def test_an_example_takes_no_token_to_another_host(name: str) -> None:
    seen: list[tuple[bool, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            is_elsewhere = self.headers["host"].startswith("localhost")
            seen.append((is_elsewhere, self.headers.get("authorization")))
            self.send_response(404 if is_elsewhere else 302)
            self.send_header("location", f"http://localhost:{listening.server_port}/")
            self.send_header("content-length", "0")
            self.end_headers()

        do_GET = do_POST = do  # noqa: N815 (the library's names)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        run(name, Served(f"http://127.0.0.1:{listening.server_port}"), TOKEN="the-token")
        listening.shutdown()
        thread.join()

    assert seen[0] == (False, "Bearer the-token")
    assert {token for is_elsewhere, token in seen if is_elsewhere} <= {None}


@each_example
def test_an_example_shows_a_refusal_and_does_not_repeat_it(served: Served, name: str) -> None:
    bad_token = run(name, served, TOKEN="wrong")
    served.first = [[], [400]]
    refused = run(name, served)

    assert (bad_token.returncode, bad_token.stdout, bad_token.stderr.count("valid API token")) == (
        1,
        "",
        1,
    )
    assert (refused.returncode, refused.stdout, refused.stderr.count(f'400: {{"error": "{SENTENCE}"}}')) == (1, "", 1)
    assert len(served.keys) == 2
    assert resources.items("Pushes") == []


@each_example
def test_an_example_without_input_or_with_an_argument_says_how_it_is_called(served: Served, name: str) -> None:
    for done in (run(name, served, secret=""), run(name, served, "-h"), run(name, served, BASE_URL="")):
        assert (done.returncode, done.stdout) == (1, "")
        assert "BASE_URL" in done.stderr
        assert f"./{name}" in done.stderr or f" {name}" in done.stderr
    assert served.keys == []


@pytest.mark.long
@each_example
def test_an_example_waits_as_long_as_the_service_asks_for_and_not_for_hours(served: Served, name: str) -> None:
    served.first, served.retry_after = [[429]], "3"
    began = time.monotonic()
    assert retrieved(run(name, served), served)
    assert time.monotonic() - began >= 3

    served.first, served.retry_after, served.keys = [[429]], "86400", []
    assert SENTENCE in run(name, served).stderr
    assert len(served.keys) == 1


@pytest.mark.long
@each_example
def test_an_example_gives_up_and_shows_the_last_answer(served: Served, name: str) -> None:
    served.first = [[503] * 9]

    done = run(name, served)

    assert (done.returncode, done.stdout) == (1, "")
    assert f'503: {{"error": "{SENTENCE}"}}' in done.stderr
    assert len(served.keys) == 5


def test_push_sh_shows_neither_secret_nor_token_to_another_user(served: Served, tmp_path: Path) -> None:
    """Arguments and environments of the commands it calls, as wrappers in front of them see these."""
    seen = tmp_path / "seen"
    for command in ("curl", "od", "tr", "sed", "sleep"):
        wrapper = tmp_path / command
        real = shutil.which(command)
        wrapper.write_text(f'#!/bin/sh\n{{ echo "$0 $@"; env; }} >>{seen}\nexec {real} "$@"\n')
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)

    done = run("push.sh", served, TOKEN="the-token", PATH=f"{tmp_path}:{os.environ['PATH']}")

    assert "401: " in done.stderr  # the token was sent
    text = seen.read_text()
    assert "/curl " in text
    assert not [secret for secret in ("the-token", "BEGIN", "%42%45%47", *served.keys) if secret in text]


@pytest.mark.parametrize("token", ['a"\nurl = "http://127.0.0.1:9/', "a\r\nX-User-Token: b"])
def test_push_sh_takes_no_order_from_a_token(served: Served, token: str) -> None:
    done = run("push.sh", served, TOKEN=token)

    assert (done.returncode, served.keys) == (1, [])
    assert "control characters" in done.stderr


PIPELINE = "deploy.yml"  # docs/deploy.md explains it, and `make check` compares it with GitHub's schema


def test_every_example_is_in_the_list_and_sends_a_key() -> None:
    listed = (EXAMPLES / "README.md").read_text()

    assert {path.name for path in EXAMPLES.iterdir()} == COMMANDS.keys() | {"README.md", PIPELINE}
    for name in COMMANDS:
        assert f"`{name}`" in listed
        assert "Idempotency-Key" in (EXAMPLES / name).read_text()
