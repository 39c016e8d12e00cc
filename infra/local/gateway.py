"""The gateway of the local stack: one host and port for any client.

It bridges five gaps of the emulator. The emulator serves an API under a host name that most clients cannot resolve. It
has none of the size limits of API Gateway and Lambda. It answers OPTIONS itself. It starts another process for every
concurrent call. It takes every caller for 127.0.0.1.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from io import BytesIO
from typing import Any, Final

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector, web
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

MAX_BODY: Final = 10 * 1024 * 1024  # API Gateway's quota for a request to an HTTP API
MAX_EVENT: Final = 6 * 1024 * 1024  # Lambda's quota for the event of a synchronous call
MAX_HEADERS: Final = 10_240  # API Gateway's quota for the request line and all headers
TIMEOUT: Final = ClientTimeout(total=30)  # API Gateway's own
AT_ONCE: Final = 8  # concurrent calls to the emulator; 200 processes would starve each other
EVENT_OVERHEAD: Final = 16 * 1024  # the most that an event holds besides the body

SERVER: Final[dict[str, Any]] = {
    "access_log": None,
    "logger": logging.getLogger(__name__),
    "auto_decompress": False,
    "max_line_size": MAX_HEADERS,
    "max_field_size": MAX_HEADERS,
}
# The method sent to the emulator for OPTIONS, because it would answer OPTIONS itself. API Gateway sends OPTIONS to its
# route if the API has no CORS configuration ("Configure CORS for HTTP APIs", API Gateway Developer Guide).
PREFLIGHT: Final = "PREFLIGHT"

# The header with the caller's address; ministack_process.py removes it and puts the address into the event.
PEER: Final = "x-local-peer"

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "proxy-authorization"}
NOT_OURS_TO_ADD = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/javascript")

_logger = logging.getLogger(__name__)


def _quotes_no_request(record: logging.LogRecord) -> bool:
    # aiohttp logs a request line that it cannot parse: the url_token and the passphrase in clear text.
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


_logger.addFilter(_quotes_no_request)


class _Protocol(web.RequestHandler):
    """HTTP, with API Gateway's response to a malformed request; aiohttp's response would quote the request."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the status as JSON, without any part of the request."""
        super().handle_error(request, status, exc, message)
        answer = _message(status)
        answer.force_close()
        return answer


class Gateway:
    """A reverse proxy to one API of the emulator."""

    def __init__(self, endpoint: str, api_id: str) -> None:
        self._upstream = f"{endpoint}/_aws/execute-api/{api_id}/$default"
        self._runner: web.AppRunner | None = None
        self._listener: asyncio.Server | None = None
        self._session: ClientSession | None = None
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def start(self, port: int) -> int:
        """Listen on 127.0.0.1 and return the port; 0 chooses a free one."""
        self._session = ClientSession(
            timeout=TIMEOUT, auto_decompress=False, connector=TCPConnector(limit=0), skip_auto_headers=NOT_OURS_TO_ADD
        )
        app = web.Application(client_max_size=MAX_BODY, middlewares=[_in_json])
        # `.` does not match a line feed, which a path may contain as `%0A`.
        app.router.add_route("*", r"/{path:[\s\S]*}", self._forward, expect_handler=_expect)
        runner = self._runner = web.AppRunner(app)
        await runner.setup()
        assert runner.server is not None
        server, loop = runner.server, asyncio.get_running_loop()
        self._listener = await loop.create_server(
            lambda: _Protocol(server, loop=loop, **SERVER), "127.0.0.1", port, backlog=1024
        )
        return int(self._listener.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Stop listening and end the requests in progress."""
        if self._listener:
            self._listener.close()
        if self._runner:
            await self._runner.cleanup()
        if self._session:
            await self._session.close()

    async def _forward(self, request: web.Request) -> web.Response:
        body = await request.read()
        if _event_size(body, request.headers.get("Content-Type", "")) > MAX_EVENT:
            return _message(413)
        if not request.raw_path.startswith("/"):  # an absolute URL, as clients send it to a proxy
            return _message(400)
        try:
            url = URL(self._upstream + request.raw_path, encoded=True)
        except ValueError:
            return _message(400)
        method = PREFLIGHT if request.method == "OPTIONS" else request.method
        data, headers = BytesIO(body) if body else None, _upstream_headers(request)
        assert self._session is not None
        try:
            async with (
                self._turns,
                self._session.request(method, url, headers=headers, data=data, allow_redirects=False) as answer,
            ):
                content, kept = await answer.read(), _without(answer.headers, HOP_BY_HOP | {"content-length"})
                return web.Response(status=answer.status, body=content, headers=kept)
        except (ClientError, TimeoutError):
            return _message(503)


@web.middleware
async def _in_json(request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> Any:
    try:
        return await handler(request)
    except web.HTTPException as refusal:
        return _message(refusal.status)


async def _expect(request: web.Request) -> web.StreamResponse | None:
    """Answer `Expect: 100-continue` (RFC 9110, section 10.1.1)."""
    if request.headers["Expect"].lower() != "100-continue":
        return _message(417)
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return None


def _upstream_headers(request: web.Request) -> CIMultiDict[str]:
    """Return the headers to send to the emulator: the caller's, and those that API Gateway sets."""
    headers = _without(request.headers, HOP_BY_HOP | {"host", PEER})
    headers[PEER] = request.remote or ""
    headers.setdefault("X-Forwarded-Proto", "http")
    return headers


def _without(headers: CIMultiDictProxy[str], names: set[str]) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in names)


def _event_size(body: bytes, content_type: str) -> int:
    """Return the size of the Lambda event with this body, 0 if it surely fits.

    A text body becomes a JSON string, whose escapes count; any other body is base64.
    """
    if len(body) * 4 / 3 + EVENT_OVERHEAD < MAX_EVENT / 2:
        return 0  # Even escaped, it fits.
    if content_type.lower().startswith(_TEXT_TYPES):
        return len(json.dumps(body.decode("utf-8", "replace"), ensure_ascii=False).encode()) + EVENT_OVERHEAD
    return len(body) * 4 // 3 + EVENT_OVERHEAD


def _message(status: int) -> web.Response:
    """Return a response of the gateway itself in API Gateway's words: the status's phrase, nothing of the request."""
    is_large = status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE  # Python 3.13 has another phrase for it
    text = "Request Entity Too Large" if is_large else HTTPStatus(status).phrase
    return web.json_response({"message": text}, status=status)
