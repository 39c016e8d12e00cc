"""Files on the deployed stack: three ways to upload, links to download, nothing left over."""

import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests

from infra.build import template
from infra.local.stack import Stack
from shared.domain import digests
from tests.drivers.client import KEY
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.meters.proof import Prove

MIB = 1024 * 1024
PATIENCE = 240  # seconds for streams and queues, also on a busy machine


def download(link: dict[str, Any]) -> bytes:
    answer = requests.get(link["url"], timeout=30)
    assert answer.headers["Content-Disposition"].startswith("attachment; ")
    assert answer.headers["Content-Type"] == link["content_type"]
    return answer.content


def eventually(claim: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not claim() and time.monotonic() < deadline:
        time.sleep(0.2)
    return claim()


def objects(stack: Stack, url_token: str) -> list[str]:
    prefix = f"{digests.digest(url_token)}/"
    return [key.removeprefix(prefix) for key in aws.object_keys(stack) if key.startswith(prefix)]


@pytest.mark.parametrize("size", [0, 4 * MIB - 1024], ids=["empty", "nearly 4 MiB"])
def test_a_form_brings_a_file_byte_for_byte(bob: HttpApi, size: int) -> None:
    content = os.urandom(size)
    sent = {"push[files][]": ("Müller's „Brief“ 😀.bin", content, "application/x-thing")}

    created = requests.post(
        f"{bob.base_url}/api/v2/pushes", headers={"authorization": f"Bearer {bob.token}"}, files=sent, timeout=30
    )
    [link] = bob.retrieve(created.json()["url_token"]).json["files"]

    assert link["filename"] == "Müller's „Brief“ 😀.bin"
    assert link["content_type"] == "application/x-thing"
    assert download(link) == content


def test_an_upload_form_takes_just_the_size_it_was_made_for(bob: HttpApi) -> None:
    created = bob.create("", files=[{"filename": "a.bin", "size": 10}]).json
    [upload] = created["uploads"]

    def bring(content: bytes, **changes: str) -> int:
        fields = upload["fields"] | changes
        return requests.post(upload["url"], data=fields, files={"file": content}, timeout=30).status_code

    refused = [bring(b"x" * 9), bring(b"x" * 11), bring(b"x" * 10, key="elsewhere/files/0")]

    assert all(400 <= status < 500 for status in refused)
    assert bob.retrieve(created["url_token"]).status == 409
    assert bring(b"x" * 10) in (200, 204)
    assert bob.retrieve(created["url_token"]).status == 200


@pytest.mark.parametrize(
    "size", [10, pytest.param(65 * MIB, marks=pytest.mark.long)], ids=["copied", "too large to copy"]
)
def test_an_upload_after_the_first_view_reaches_no_recipient(bob: HttpApi, size: int) -> None:
    created = bob.create("", files=[{"filename": "a.bin", "size": size}]).json
    [upload] = created["uploads"]

    def bring(content: bytes) -> int:
        return requests.post(upload["url"], data=upload["fields"], files={"file": content}, timeout=60).status_code

    def got(answer: Any) -> set[bytes]:
        return {download(link)[:1] for link in answer.json["files"]}

    bring(b"a" * size)
    first = bob.retrieve(created["url_token"])
    before = got(first)
    again = bring(b"x" * size)
    second = bob.retrieve(created["url_token"])

    assert before == {b"a"}
    assert again in (200, 204)
    assert (second.status, got(second)) == (200, {b"a"}) if size == 10 else second.status == 409
    assert size > 10 or got(first) == {b"a"}


@pytest.mark.long
def test_a_hundred_mebibytes_go_past_the_functions(stack: Stack, bob: HttpApi, tmp_path: Path) -> None:
    big = tmp_path / "big.bin"
    big.write_bytes(os.urandom(MIB) * 100)
    environment = {"SECRET_BASE_URL": bob.base_url, "SECRET_TOKEN": bob.token or "", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "secret_cli", "push", str(big), "--views", "1"]

    printed = subprocess.check_output(command, cwd=template.ROOT / "infra" / "cli", env=environment, text=True)

    url_token = re.findall(r"/p/(\w+)/r", printed)[0]
    [link] = bob.retrieve(url_token).json["files"]
    received = hashlib.sha256()
    with httpx.stream("GET", link["url"], timeout=60) as answer:
        for chunk in answer.iter_bytes():
            received.update(chunk)
    assert received.hexdigest() == hashlib.sha256(big.read_bytes()).hexdigest()


@pytest.mark.parametrize("how", ["last view", "expire"])
def test_the_objects_of_an_ended_push_are_removed(stack: Stack, bob: HttpApi, how: str, prove: Prove) -> None:
    content = [{"filename": "a.txt", "data": "aGVsbG8="}, {"filename": "b.txt", "data": ""}]
    url_token = bob.push("x" * 400_000, files=content, expire_after_views=1)
    kept = bob.push("", files=content)
    assert len(objects(stack, url_token)) == 3

    if how == "expire":
        bob.expire(url_token)
    else:
        assert download(bob.retrieve(url_token).json["files"][0]) == b"hello"

    assert eventually(lambda: objects(stack, url_token) == [])
    assert len(objects(stack, kept)) == 2
    prove("5", f"After the {how}, the objects of a push go and no others", "3 of 5 objects gone; MiniStack")


def test_the_removal_after_a_last_view_waits_for_its_lease(stack: Stack, bob: HttpApi) -> None:
    url_token = bob.push("x" * 100_000, expire_after_views=1)
    first = bob.retrieve(url_token, key=KEY)

    # On this stack the queue's delay is shorter than a lease.
    assert eventually(lambda: any("LeasesLive" in line for line in aws.log_lines(stack)))
    assert bob.retrieve(url_token, key=KEY).json == first.json


def test_the_official_cli_pushes_a_file(bob: HttpApi, tmp_path: Path) -> None:
    home, secret = tmp_path / "home", tmp_path / "secret.bin"
    secret.write_bytes(os.urandom(3 * MIB))
    home.mkdir()
    environment = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "PATH": os.environ["PATH"], "COLUMNS": "200"}
    cli = str(Path(sys.executable).parent / "pwpush")

    def pwpush(*arguments: str) -> str:
        return subprocess.check_output([cli, *arguments], env=environment, text=True)

    pwpush("login", "--url", bob.base_url, "--email", "bob@example.com", "--token", bob.token or "")
    printed = pwpush("push-file", str(secret), "--views", "2")

    [link] = bob.retrieve(re.findall(r"/p/(\w+)", printed)[0]).json["files"]
    assert link["filename"] == "secret.bin"
    assert download(link) == secret.read_bytes()
