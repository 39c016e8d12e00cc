"""The local stack's second address, with https: a proxy in front of the gateway, the bucket and Cognito's sign-in.

WebKit drops Secure cookies on http://127.0.0.1, so nobody can sign in there. A page from https may not send files to a
bucket with http, so the bucket is at this address, too, under its name. So is the hosted sign-in, whose redirects lead
back to the address where they began. The product knows one base URL; the proxy replaces it, and the others', in headers
and texts, but not in a query, where URLs are encoded. QR codes and mails keep leading to the http address.
"""

import re
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from aiohttp import (
    ClientConnectionResetError,
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    TCPConnector,
    web,
)
from yarl import URL

from infra.local.gateway import HOP_BY_HOP, NOT_OURS_TO_ADD, SERVER

_TEXTS: Final = ("text/html", "application/json")
_SET_HERE: Final = HOP_BY_HOP | {"host", "x-forwarded-proto"}
_CHUNK: Final = 64 * 1024
_PATIENCE: Final = ClientTimeout(total=None, sock_connect=5)  # an upload on a slow line may take an hour


class SecureAddress:
    """A proxy at `url` in front of a gateway's base URL, and of `others`, by the first part of a path."""

    def __init__(self, base_url: str, others: Mapping[str, str]) -> None:
        self.url = ""
        self._base_url, self._others = base_url, others
        self._all = re.compile(rf"({'|'.join(map(re.escape, {base_url, *others.values()}))})(?!\d)")
        self._runner: web.AppRunner | None = None
        self._session: ClientSession | None = None

    async def start(self, port: int, context: ssl.SSLContext) -> None:
        """Listen on 127.0.0.1; port 0 chooses a free one."""
        self._session = ClientSession(
            timeout=_PATIENCE, auto_decompress=False, connector=TCPConnector(limit=0), skip_auto_headers=NOT_OURS_TO_ADD
        )
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._forward)
        runner = self._runner = web.AppRunner(app, **SERVER)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port, ssl_context=context)
        await site.start()
        self.url = f"https://127.0.0.1:{runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Stop listening and end the requests in progress."""
        if self._runner:
            await self._runner.cleanup()
        if self._session:
            await self._session.close()

    async def _forward(self, request: web.Request) -> web.StreamResponse:
        there = self._others.get(request.path.split("/")[1], self._base_url)
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _SET_HERE]
        headers.append(("X-Forwarded-Proto", "https"))
        body = request.content if request.can_read_body else None
        url = URL(there + request.raw_path, encoded=True)
        assert self._session is not None
        try:
            answer = await self._session.request(request.method, url, headers=headers, data=body, allow_redirects=False)
        except (ClientError, TimeoutError):
            raise web.HTTPBadGateway from None
        async with answer:
            return await self._send(request, answer, is_text=there == self._base_url and answer.content_type in _TEXTS)

    async def _send(self, request: web.Request, answer: ClientResponse, *, is_text: bool) -> web.StreamResponse:
        response = web.StreamResponse(status=answer.status)
        skipped = HOP_BY_HOP | {"content-length"} if is_text else HOP_BY_HOP
        for name, value in answer.headers.items():
            if name.lower() not in skipped:
                response.headers.add(name, self._renamed(value))
        with suppress(ClientConnectionResetError):  # the browser has left the page
            await response.prepare(request)
            if is_text:
                await response.write(self._renamed((await answer.read()).decode()).encode())
            else:
                async for chunk in answer.content.iter_chunked(_CHUNK):
                    await response.write(chunk)
            await response.write_eof()
        return response

    def _renamed(self, text: str) -> str:
        return self._all.sub(self.url, text)
