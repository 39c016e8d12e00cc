"""The API on moto behind one local socket, and moto's S3 behind another: for clients that use HTTP."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.drivers.client import Answer, Api
from tests.engines import resources

Broken = Callable[[str, str, Answer], Answer]
_SET_BY_THE_SERVER = {"content-length", "content-encoding"}  # the text of a response is complete and decoded
_IDLE = 5  # seconds until an idle connection is closed


def whole(_method: str, _path: str, answer: Answer) -> Answer:
    """Return a response unchanged."""
    return answer


@contextmanager
def serving(
    api: Api, broken: Broken = whole, *, real_time: bool = False, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Serve the API and yield its base URL, until the block ends and all threads with it.

    Connections are parallel, but requests are handled one at a time, because moto in process lets racing writes
    through.

    Args:
        api: The caller whose clock and address requests have.
        broken: A function that changes responses.
        real_time: Whether each request has the real time instead of the caller's.
        tls: The server's certificate, to serve https instead of http.
    """
    turn, scheme = Lock(), "https" if tls else "http"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _IDLE
        disable_nagle_algorithm = True

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            at, headers = urlsplit(self.path), dict(self.headers.items())
            cookies = [cookie for cookie in headers.pop("Cookie", "").split("; ") if cookie]
            with turn:
                caller = replace(api, now=datetime.now(UTC)) if real_time else api
                answer, to_set = caller.exchange(
                    self.command, at.path, query=at.query, headers=headers, body=body or None, cookies=cookies
                )
            self.send(broken(self.command, self.path, answer), to_set)

        do_GET = do_POST = do_HEAD = do_DELETE = do_OPTIONS = answer  # noqa: N815 (the library's names)

        def send(self, answer: Answer, to_set: list[str]) -> None:
            content = answer.text.encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name not in _SET_BY_THE_SERVER:
                    self.send_header(name, value)
            for cookie in to_set:
                self.send_header("set-cookie", cookie)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Log nothing: a path has a url_token."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"{scheme}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.hang_up()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for all of them

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._connections: list[socket.socket] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.append(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        """End idle connections: a browser that the next test uses, too, would keep them."""
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def s3(tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve moto's S3 in this process and yield its endpoint, which the code under test uses in signed links."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        def log(self, *_: object) -> None:
            """Log nothing."""

    app = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler, ssl_context=tls)
    endpoint = f"{'https' if tls else 'http'}://127.0.0.1:{server.port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL_S3", endpoint)
            patch.setenv("MOTO_S3_CUSTOM_ENDPOINTS", endpoint)  # calls from this process need no socket
            resources.forget()
            yield endpoint
    finally:
        resources.forget()
        server.shutdown()
        thread.join()
        server.server_close()
