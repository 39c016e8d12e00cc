"""`make run` and `make token` as a user runs them, in a copy of the tree."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests

from infra.build import template
from infra.local.emulator import free_port
from infra.local.stack import locked_bundle
from tests.drivers import webdriver
from tests.drivers.browsing import MIB, Account
from tests.drivers.http_client import HttpApi
from tests.drivers.webdriver import Window
from tests.e2e.test_files import eventually
from tests.meters import processes

pytestmark = pytest.mark.timeout(1_800)  # the limit catches a hang; each wait has its own

LOG = "run.log"
PATIENCE = 600  # seconds for a start or a stop, also on a busy machine


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the tree with its environments and bundle."""
    tree = tmp_path_factory.mktemp("tree")
    # With modification times: make would install again what looks older than its requirements.
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=template.ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        if (template.ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(template.ROOT / name, tree / name)
    for lock in (tree / "requirements.txt", *tree.glob("requirements/*.txt")):
        os.utime(lock, (0, 0))
    (tree / ".local").mkdir()
    for name in (".venv", ".local/venvs"):
        (tree / name).symlink_to((template.ROOT / name).resolve())
    with locked_bundle() as (bundle, variables):
        made = ["make", "bundle", *(f"{name}={value}" for name, value in variables.items())]
        subprocess.run(made, cwd=template.ROOT, check=True, capture_output=True)
        copied = shutil.copytree(bundle, tree / ".local" / bundle.name)
    # Another directory and newer files would have it built again, for twenty seconds.
    (copied / "brand").write_text(f"{tree / 'functions' / 'pages' / 'brand'}\n")
    (copied / ".ready").touch()
    return tree


@pytest.fixture(scope="module")
def port() -> int:
    """One port for all starts: another would mean another base URL, and so another deployment."""
    return free_port()


@pytest.mark.long
def test_a_stop_during_a_start_is_quiet_and_leaves_no_process(tree: Path, port: int) -> None:
    with running(tree, port, until="Deploying the template"):
        pass

    printed = (tree / LOG).read_text()
    assert "Stopping" in printed
    assert "Traceback" not in printed
    assert processes.with_argument(str(tree)) == []


def test_make_token_without_a_running_stack_explains_how_to_start_one(tree: Path) -> None:
    refused = make(tree, "token")

    assert refused.returncode != 0
    assert "make run" in refused.stderr


@pytest.mark.long
def test_a_push_and_its_events_survive_a_restart_and_a_stop_leaves_no_process(tree: Path, port: int) -> None:
    events = tree / ".local" / "events"
    with running(tree, port):
        url_token = demo_caller(tree).push("s3cret")
        assert eventually(lambda: any(events.glob("*-creation.json")))
        other = sign_in_by_provider(tree, sub="demo", email="demo@example.com")  # a second account with this address

    left = processes.with_argument(str(tree))
    with running(tree, port):
        payload = demo_caller(tree).retrieve(url_token).json["payload"]
        assert eventually(lambda: any(events.glob("*-owner_view.json")))
        command = [".venv/bin/python", "-m", "infra.operator.account", "--local", "delete", "--account", "oidc_demo"]
        subprocess.run(command, cwd=tree, env=environment(), check=True)

    assert other.status_code == 200
    assert left == []
    assert payload == "s3cret"


@pytest.fixture(scope="module")
def crashed(tree: Path, port: int) -> str:
    """Create a push and kill all of `make run` at once; return the push's url_token."""
    with running(tree, port) as process:
        url_token = demo_caller(tree).push("s3cret")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
        assert processes.with_argument(str(tree)) != []  # the emulator has its own group
    return url_token


@pytest.fixture(scope="module")
def started(tree: Path, port: int, crashed: str) -> Iterator[Path]:
    """Start the tree's stack again. After its stop no process is left, not even from the crash."""
    with running(tree, port):
        yield tree
    assert processes.with_argument(str(tree)) == []


def test_a_push_survives_a_crash(started: Path, port: int, crashed: str) -> None:
    demo = demo_caller(started)

    payload = demo.retrieve(crashed).json["payload"]

    assert payload == "s3cret"
    assert demo.kinds(crashed) == ["creation", "owner_view"]  # the last run's token still has the same owner
    assert demo.base_url == f"http://127.0.0.1:{port}"
    assert f"\nReady at {demo.base_url}\n" in (started / LOG).read_text()


@pytest.fixture
def secure_url(started: Path) -> str:
    return secure_address(started)


def test_the_https_address_has_the_same_pushes_and_secure_cookies(started: Path, secure_url: str) -> None:
    demo, certificate = demo_caller(started), str(started / ".local" / "run" / "certificate.pem")
    ask = partial(requests.request, headers={"Authorization": f"Bearer {demo.token}"}, verify=certificate, timeout=30)

    made = ask("POST", f"{secure_url}/api/v2/pushes", json={"push": {"payload": "s3cret"}})
    page = ask("GET", f"{secure_url}/users/sign_in")

    assert made.json()["html_url"].startswith(f"{secure_url}/p/")
    assert demo.retrieve(made.json()["url_token"]).json["payload"] == "s3cret"
    assert re.match(r"__Host-form=.*; Secure;", page.headers["set-cookie"])
    assert "data-insecure hidden" in page.text  # it came over https


def test_a_sign_in_by_the_provider_comes_back_to_the_https_address(started: Path, secure_url: str) -> None:
    signed_in = sign_in_by_provider(started, sub="carol", email="carol@example.com")

    assert any(page.url.startswith(f"{secure_url}/provider?") for page in signed_in.history)
    assert (signed_in.status_code, signed_in.url) == (200, f"{secure_url}/pushes")


@pytest.mark.long
def test_webkit_signs_in_and_sends_a_file_at_the_https_address(started: Path, secure_url: str, tmp_path: Path) -> None:
    demo, chosen = json.loads((started / ".local" / "demo.json").read_text()), tmp_path / "big.bin"
    chosen.write_bytes(os.urandom(6 * MIB))
    with webdriver.webkit() as driver:
        window = Window("webkit", driver, secure_url)
        window.sign_in(Account(demo["email"], demo["password"]))

        link = window.send_file(chosen)

    url_token = link.removeprefix(f"{secure_url}/p/").partition("/")[0]
    [file] = demo_caller(started).retrieve(url_token).json["files"]
    assert requests.get(file["url"], timeout=30).content == chosen.read_bytes()


@pytest.mark.long
def test_webkit_signs_in_by_the_provider_at_the_https_address(started: Path, secure_url: str) -> None:
    with webdriver.webkit() as driver:
        window = Window("webkit", driver, secure_url)
        window.open("/users/sign_in")
        window.press("a[href^='/users/sign_in/provider']")
        window.press("button[value=yes]")
        window.find(webdriver.SIGN_OUT)

        assert driver.current_url == f"{secure_url}/pushes"


def test_make_token_mints_a_token_that_works(started: Path) -> None:
    printed = make(started, "token", "OWNER=bob@example.com").stdout
    bob = HttpApi(base_url=demo_caller(started).base_url, token=printed.splitlines()[-1])

    listed = bob.active()

    assert (listed.status, listed.json) == (200, [])


def test_the_demo_token_is_the_demo_accounts(started: Path) -> None:
    demo = demo_caller(started)
    url_token = demo.push()

    printed = make(started, "token").stdout  # for the account that the pages sign in
    listed = HttpApi(base_url=demo.base_url, token=printed.splitlines()[-1]).active().json

    assert url_token in [push["url_token"] for push in listed]


def test_a_second_concurrent_start_is_rejected(started: Path) -> None:
    second = make(started, "run", f"PORT={free_port()}")

    assert second.returncode != 0
    assert "running already" in second.stderr
    assert demo_caller(started).get("/api/v2/version").status == 200


@contextmanager
def running(tree: Path, port: int, until: str = "Ready at ") -> Iterator[subprocess.Popen[bytes]]:
    """Run `make run` from a printed line to a Ctrl-C, sent to the whole process group."""
    started = time.monotonic()
    log = tree / LOG
    with log.open("w") as output:
        process = subprocess.Popen(
            ["make", "run", f"PORT={port}"],
            cwd=tree,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        while until not in log.read_text():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() - started < PATIENCE, log.read_text()
            time.sleep(0.05)
        print(f"{until!r} after {time.monotonic() - started:.1f} s")
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(PATIENCE)
    assert processes.of_group(process.pid) == []


def demo_caller(tree: Path) -> HttpApi:
    """Return the owner of the token in .local/demo.json."""
    demo: dict[str, Any] = json.loads((tree / ".local" / "demo.json").read_text())
    return HttpApi(base_url=demo["base_url"], token=demo["api_token"])


def secure_address(tree: Path) -> str:
    """Return the https address that `make run` has printed."""
    [printed] = re.findall(r"https://127\.0\.0\.1:\d+", (tree / LOG).read_text())
    return str(printed)


def sign_in_by_provider(tree: Path, **who: str) -> requests.Response:
    """Sign in at the demo provider, over https; return the page that it leads back to, with the way there."""
    ask = partial(requests.Session().request, verify=str(tree / ".local" / "run" / "certificate.pem"), timeout=30)
    page = ask("GET", f"{secure_address(tree)}/users/sign_in/provider")
    return ask("POST", page.url, data={"request": page.url.partition("=")[2], **who})


def make(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments], cwd=tree, env=environment(), capture_output=True, text=True, check=False
    )


def environment() -> dict[str, str]:
    """Return a shell's environment, without variables of the tests."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
