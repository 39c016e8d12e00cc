"""The other tests' client, over HTTP to a running stack."""

import gzip
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit

from tests.drivers.client import Answer, Api, Request

PATIENCE = 240  # seconds: API Gateway answers after 30 at the latest, the local stack on a busy machine later


@dataclass
class HttpApi(Api):
    """The API at `base_url`; the clock and the address are the real ones. `source` is the address to call from."""

    base_url: str = ""
    source: str = ""

    def as_owner(self, token: str | None) -> "HttpApi":
        return replace(self, token=token)

    def send(self, request: Request) -> tuple[Answer, list[str]]:
        """Send a request over HTTP."""
        cookies = {"cookie": "; ".join(request.cookies)} if request.cookies else {}
        scheme, host = urlsplit(self.base_url)[:2]
        connection = (HTTPSConnection if scheme == "https" else HTTPConnection)(
            host, timeout=PATIENCE, source_address=(self.source, 0) if self.source else None
        )
        try:
            url = f"{request.path}?{request.query}" if request.query else request.path
            connection.request(request.method, url, body=request.body, headers=request.headers | cookies)
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            to_set = response.headers.get_all("set-cookie", [])
            raw = response.read()
        finally:
            connection.close()
        return Answer(response.status, received, _decoded(raw, received.get("content-encoding", ""))), to_set


def _decoded(raw: bytes, coding: str) -> str:
    return (gzip.decompress(raw) if coding == "gzip" else raw).decode()
