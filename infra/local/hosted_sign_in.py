"""A double of Cognito's hosted sign-in, with an OIDC provider behind it, for the local stack and the tests.

MiniStack 1.5 has these endpoints, but checks neither PKCE nor the client's secret for the provider's users. moto has
none.
"""

import json
from collections.abc import Callable
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from infra.local.emulator import REGION, Emulator
from infra.local.hosted_endpoints import PROVIDER_PAGE, Answer, Endpoints
from infra.local.user_pool import Refused, UserPool

# The template's parameters that turn on sign-in by a provider. The emulator uses neither the issuer nor the secret.
PROVIDER: Final = {
    "OidcIssuer": "https://provider.example.com",
    "OidcClientId": "local",
    "OidcClientSecretArn": f"arn:aws:secretsmanager:{REGION}:000000000000:secret:local",
    "OidcName": "Demo provider",
}
_COOKIE: Final = "cognito"  # of Cognito's own session


class HostedSignIn:
    """A server of these endpoints on a port of 127.0.0.1; 0 chooses a free one. `url` is Cognito's domain."""

    def __init__(self, endpoints: Endpoints, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.endpoints = endpoints
        self._thread: Thread | None = None
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Serve, in a thread."""
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        """Stop serving, if it has started, and free the port."""
        if self._thread:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


def of_emulator(emulator: Emulator, port: int) -> HostedSignIn:
    """Return the server for the emulator's user pool, which need not exist yet."""
    return HostedSignIn(Endpoints(UserPool(emulator.client("cognito-idp"))), port)


class _Server(ThreadingHTTPServer):
    endpoints: Endpoints


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 5  # seconds; a browser opens connections that it does not use

    def do_GET(self) -> None:
        endpoints, query, session = self.server.endpoints, dict(parse_qsl(urlsplit(self.path).query)), self._session()
        pages: dict[str, Callable[[], Answer]] = {
            "/oauth2/authorize": lambda: endpoints.authorize(query, session),
            "/logout": lambda: endpoints.end_session(query),
            PROVIDER_PAGE: lambda: endpoints.show_provider(query),
        }
        self._answer(pages)

    def do_POST(self) -> None:
        endpoints, form = self.server.endpoints, dict(parse_qsl(self._body()))
        pages: dict[str, Callable[[], Answer]] = {
            "/oauth2/token": lambda: endpoints.exchange(form, self.headers.get("authorization", "")),
            PROVIDER_PAGE: lambda: endpoints.answer_provider(form),
        }
        self._answer(pages)

    def _answer(self, pages: dict[str, Callable[[], Answer]]) -> None:
        act = pages.get(urlsplit(self.path).path)
        try:
            answer = act() if act else Answer(HTTPStatus.NOT_FOUND)
        except Refused as refused:
            body = json.dumps({"error": str(refused)})
            answer = Answer(HTTPStatus.BAD_REQUEST, body, "application/json")
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        content = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("content-type", f"{answer.content_type}; charset=utf-8")
        self.send_header("content-length", str(len(content)))
        self.send_header("cache-control", "no-store")
        if answer.location:
            self.send_header("location", answer.location)
        if answer.session is not None:
            # The path keeps it away from the app, which has another port of the same host.
            ended = "" if answer.session else "; Max-Age=0"
            self.send_header("set-cookie", f"{_COOKIE}={answer.session}; Path=/oauth2; HttpOnly{ended}")
        self.end_headers()
        self.wfile.write(content)

    def _body(self) -> str:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        return body if self.headers.get_content_type() == "application/x-www-form-urlencoded" else ""

    def _session(self) -> str:
        kept = SimpleCookie(self.headers.get("cookie", "")).get(_COOKIE)
        return kept.value if kept else ""

    def log_message(self, *_: object) -> None:
        """Log nothing, because a path may contain a code."""
