"""The local stack's https address: the same stack, with every link and the bucket over https."""

import asyncio
import socket
import ssl
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from infra.local import certificate
from infra.local.run import LAST_PORT, near
from infra.local.secure_address import SecureAddress

BUCKET = "a-bucket"


@dataclass
class Plain:
    """A server with http in place of the gateway or the emulator; `own` and `theirs` in its text become URLs."""

    text: str = ""
    content_type: str = "text/html"
    url: str = ""
    heard: list[tuple[str, str, bytes]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    theirs: "Plain | None" = None
    turns: asyncio.Barrier | None = None  # passed when a request has come, and again when its answer may go

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.heard.append((request.method, request.raw_path, await request.read()))
        self.headers = dict(request.headers)
        if self.turns:
            await self.turns.wait()
            await self.turns.wait()
        text = self.text.replace("own", self.url).replace("theirs", self.theirs.url if self.theirs else "")
        response = web.Response(text=text, content_type=self.content_type, headers={"Location": text})
        for name in ("one", "two"):
            response.headers.add("Set-Cookie", f"__Host-{name}=1; Secure; Path=/")
        return response


@dataclass
class Answer:
    own: str
    text: str
    location: str
    cookies: list[str]


@asynccontextmanager
async def secure_address(directory: Path, gateway: Plain, emulator: Plain) -> AsyncIterator[tuple[str, ssl.SSLContext]]:
    """Yield the https address in front of both, and a client's context that trusts its certificate."""
    async with AsyncExitStack() as stack:
        for server in (gateway, emulator):
            await stack.enter_async_context(server.serving())
        address = SecureAddress(gateway.url, {BUCKET: emulator.url, "oauth2": emulator.url})
        await address.start(0, certificate.server_context(directory))
        stack.push_async_callback(address.stop)
        yield address.url, ssl.create_default_context(cafile=str(directory / "certificate.pem"))


def ask(directory: Path, gateway: Plain, emulator: Plain, path: str, body: bytes | None = None) -> Answer:
    """Send one request to the https address."""

    async def run() -> Answer:
        async with secure_address(directory, gateway, emulator) as (url, trusted), ClientSession() as session:
            method = "POST" if body else "GET"
            answer = await session.request(method, url + path, data=body, ssl=trusted, allow_redirects=False)
            cookies = answer.headers.getall("Set-Cookie")
            return Answer(url, await answer.text(), answer.headers["Location"], cookies)

    return asyncio.run(run())


def test_pages_and_redirects_lead_to_https_and_keep_their_cookies(tmp_path: Path) -> None:
    gateway = Plain('<a href="own/p/1">own0</a>')

    answer = ask(tmp_path, gateway, Plain(), "/p/a%2Fb?x=1")

    assert gateway.heard == [("GET", "/p/a%2Fb?x=1", b"")]
    assert gateway.headers["X-Forwarded-Proto"] == "https"
    assert answer.text == f'<a href="{answer.own}/p/1">{gateway.url}0</a>'  # another port stays
    assert answer.location == answer.text
    assert answer.cookies == [f"__Host-{name}=1; Secure; Path=/" for name in ("one", "two")]


def test_the_bucket_is_at_the_same_address_and_its_bytes_are_left_alone(tmp_path: Path) -> None:
    gateway, emulator, body = Plain(), Plain("own"), b"\0\xff" * 500_000

    answer = ask(tmp_path, gateway, emulator, f"/{BUCKET}", body)

    assert gateway.heard == []
    assert emulator.heard == [("POST", f"/{BUCKET}", body)]
    assert answer.text == emulator.url
    assert emulator.headers["Host"] == emulator.url.removeprefix("http://")  # downloads are signed for it


def test_a_browser_that_leaves_before_the_answer_is_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def leave() -> None:
        gateway = Plain(turns=(turns := asyncio.Barrier(2)))
        async with secure_address(tmp_path, gateway, Plain()) as (url, trusted), ClientSession() as session:
            visit = asyncio.ensure_future(session.get(url, ssl=trusted))
            await turns.wait()
            visit.cancel()
            await asyncio.wait([visit])
            await turns.wait()
            await asyncio.sleep(0.1)

    asyncio.run(leave())

    assert caplog.messages == []


def test_links_to_the_bucket_lead_to_https(tmp_path: Path) -> None:
    gateway, emulator = Plain('{"url": "theirs/a-bucket/"}', "application/json"), Plain()
    gateway.theirs = emulator

    answer = ask(tmp_path, gateway, emulator, "/")

    assert answer.text == f'{{"url": "{answer.own}/a-bucket/"}}'


def test_a_sign_in_elsewhere_comes_back_to_https(tmp_path: Path) -> None:
    gateway, hosted = (
        Plain("theirs/oauth2/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fback"),
        Plain("theirs/back"),
    )
    gateway.theirs, hosted.theirs = hosted, gateway

    left = ask(tmp_path, gateway, hosted, "/users/sign_in/provider")
    came = ask(tmp_path, gateway, hosted, "/oauth2/authorize")

    assert left.location == f"{left.own}/oauth2/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fback"
    assert came.location == f"{came.own}/back"


def test_a_certificate_is_used_again_until_it_nearly_expires(tmp_path: Path) -> None:
    path = tmp_path / "certificate.pem"
    certificate.server_context(tmp_path)
    first = path.read_bytes()

    certificate.server_context(tmp_path)
    assert path.read_bytes() == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    path.write_bytes(certificate.create(datetime.now(UTC) - certificate.LIFETIME + timedelta(days=1)))
    old = path.read_bytes()
    certificate.server_context(tmp_path)
    assert path.read_bytes() != old


def test_the_https_port_is_443_above_the_other_unless_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        beside = near(port - 443, 443)
    after = near(port - 443, 443)

    assert beside not in (port, 0)
    assert after == port
    assert near(LAST_PORT, 443) <= LAST_PORT
