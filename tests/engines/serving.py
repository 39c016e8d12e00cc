"""The API on moto behind a socket of this machine, for whoever asks it over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from tests.drivers.client import Answer, Api

Broken = Callable[[str, str, Answer], Answer]


def whole(_method: str, _path: str, answer: Answer) -> Answer:
    """Leave an answer as it is."""
    return answer


@contextmanager
def serving(api: Api, broken: Broken = whole) -> Iterator[str]:
    """Serve the API, one request after the other; give its base URL. `broken` may change each answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            answer = api.request(self.command, self.path, headers=dict(self.headers), body=body or None)
            answer = broken(self.command, self.path, answer)
            self.send_response(answer.status)
            self.end_headers()
            self.wfile.write(answer.text.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing: a path has a url_token."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
