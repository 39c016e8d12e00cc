"""A slow line: a proxy before the stack that keeps every answer back for half a second.

It passes bytes on and knows nothing of HTTP. What a browser asked for before it turned away is still asked for.
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
def slow_line(base_url: str, delay: float = DELAY) -> Iterator[str]:
    """Where the same stack answers, later."""
    there, connections = urlsplit(base_url), list[socket.socket]()

    class Line(BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((there.hostname, there.port)) as stack:
                connections.extend((stack, self.request))
                answers = Thread(target=_pass_on, args=(stack, self.request, delay))
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
    with suppress(OSError):  # whoever is not there any more needs nothing
        while data := source.recv(_CHUNK):
            time.sleep(delay)
            sink.sendall(data)
