"""`make run`: the whole service on this machine until Ctrl-C, with its data kept under .local/run."""

import argparse
import asyncio
import contextlib
import fcntl
import json
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from infra.build import template
from infra.local import DEMO, LOCAL, emulator
from infra.local.stack import Stack

DEMO_OWNER = "demo@example.com"
LAST_PORT = 65_535
STORE_FORMAT = "1"  # change it when a release cannot read the data of the one before


def main() -> None:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    directory = LOCAL.parent
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)  # it holds the instance key and everything encrypted with it
    with _alone(directory / "lock"):
        check_store_format(directory)
        _end_leftover()
        _check_port(port)
        asyncio.run(_run(directory, port))


async def _run(directory: Path, port: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    say, shown = (lambda line: print(line, flush=True)), directory.parent
    stack = Stack(directory, say, shown=shown, provider_port=near(port, 444))
    try:
        starting = asyncio.create_task(_start(stack, port))
        await asyncio.wait([starting, asyncio.create_task(stopped.wait())], return_when=asyncio.FIRST_COMPLETED)
        if stopped.is_set() and not starting.done():
            print("Stopping after the current step …", flush=True)
        await starting
        await stopped.wait()
        print("\nStopping; the data is kept in .local/run …", flush=True)
    finally:
        await stack.stop()
        LOCAL.unlink(missing_ok=True)


async def _start(stack: Stack, port: int) -> None:
    await stack.start(port)
    await stack.start_secure_address(near(port, 443))
    state = {"environment": stack.emulator.environment, "pid": stack.emulator.pid, "endpoint": stack.emulator.endpoint}
    LOCAL.write_text(json.dumps(state))
    account, password = await asyncio.to_thread(_demo_account, stack)
    token = await asyncio.to_thread(_demo_token, stack, account)
    demo = {"base_url": stack.base_url, "api_token": token, "email": DEMO_OWNER, "password": password}
    DEMO.touch(mode=0o600)
    DEMO.write_text(json.dumps(demo, indent=2) + "\n")
    print(
        f"""
Try it:

  curl -H "Authorization: Bearer {token}" -H "Content-Type: application/json" \\
    -d '{{"push": {{"payload": "s3cret", "expire_after_views": 1}}}}' {stack.base_url}/api/v2/pushes

or in a browser: {stack.base_url}
or, for Safari:  {stack.secure_url} (accept its certificate; over http, Safari keeps no cookie and cannot sign in)

  Sign in as   {DEMO_OWNER}
  password     {password}

These values are in .local/demo.json. You can sign up, too, with any code, or sign in with the
demo provider, which asks for no password. Mails are written to
.local/mail, events to .local/events. Press Ctrl-C to stop.

Ready at {stack.base_url}""",
        flush=True,
    )


def _demo_token(stack: Stack, account: str) -> str:
    """Return an API token of the demo account: the last run's if it still works, else another one."""
    if DEMO.exists():
        token = str(json.loads(DEMO.read_text()).get("api_token", ""))
        tokens = _issue_token(stack, "list", "--account", account)
        if token and f"…{token[-4:]}" in tokens:
            return token
    return _issue_token(stack, "mint", "--account", account, "--name", "demo").split()[-1]


def _demo_account(stack: Stack) -> tuple[str, str]:
    """Return the demo account's user name and password; the first run creates it."""
    last = json.loads(DEMO.read_text()).get("password") if DEMO.exists() else None
    password = str(last or secrets.token_urlsafe(12))
    return stack.emulator.make_account(DEMO_OWNER, password), password


def _issue_token(stack: Stack, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "infra.operator.issue_token", "--local", *arguments],
        cwd=template.ROOT,
        env=stack.emulator.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout


def check_store_format(directory: Path) -> None:
    """Write the store format into a new data directory. Exit if existing data has another one, or none, as of 0.9."""
    stamp = directory / "store-format"
    if not (directory / "state").exists():
        stamp.write_text(STORE_FORMAT)
    elif not stamp.exists() or stamp.read_text() != STORE_FORMAT:
        sys.exit(
            "The data in .local/run belongs to another release; this one cannot read it. Delete it with: make clean"
        )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("A local stack of this checkout is running already. Stop it first, or use another checkout.")
        yield


def _end_leftover() -> None:
    """End the emulator of a run that was killed, because it still writes to the same data."""
    if LOCAL.exists():
        left = json.loads(LOCAL.read_text())
        if emulator.is_up(left["endpoint"]):
            emulator.end_leftover(left["pid"])
        LOCAL.unlink()


def _check_port(port: int) -> None:
    if not is_free(port):
        sys.exit(f"Port {port} is taken. Choose another: PORT=9000 make run")


def near(port: int, distance: int) -> int:
    """Return the port at this distance above another (8443 for 8000 and 443), or any free port if that is taken."""
    wanted = port + distance
    return wanted if wanted <= LAST_PORT and is_free(wanted) else emulator.free_port()


def is_free(port: int) -> bool:
    """Return whether this process can listen on a port of 127.0.0.1."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


if __name__ == "__main__":
    main()
