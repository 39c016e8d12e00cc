"""A slow connection: a proxy in front of the stack that delays every response by half a second.

It forwards bytes without parsing HTTP. Requests of a browser that has moved on still reach the server.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from urllib.parse import urlsplit

DELAY = 0.5  # seconds
_CHUNK = 1024 * 1024


@contextmanager
def slow_line(base_url: str) -> Iterator[str]:
    """Yield the slow address of the same stack."""
    there, connections = urlsplit(base_url), list[socket.socket]()

    class Line(BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((there.hostname, there.port)) as stack:
                connections.extend((stack, self.request))
                answers = Thread(target=_pass_on, args=(stack, self.request, DELAY))
                answers.start()
                _pass_on(self.request, stack, 0)
                answers.join()

    with ThreadingTCPServer(("127.0.0.1", 0), Line, bind_and_activate=True) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
            for connection in connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _pass_on(source: socket.socket, sink: socket.socket, delay: float) -> None:
    with suppress(OSError):  # the other side may be gone
        while data := source.recv(_CHUNK):
            time.sleep(delay)
            sink.sendall(data)
