"""The same client as the other tests', over HTTP to a running stack."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.drivers.client import Answer, Api

PATIENCE = 30  # seconds, after which API Gateway would have answered for a function that is late


@dataclass
class HttpApi(Api):
    """The API at `base_url`; the clock and the address are the real ones."""

    base_url: str = ""

    def as_owner(self, token: str | None) -> "HttpApi":
        return replace(self, token=token)

    def exchange(
        self,
        method: str,
        path: str,
        *,
        query: str | dict[str, Any] = "",
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
        cookies: Sequence[str] = (),
    ) -> tuple[Answer, list[str]]:
        sent = {**self.headers, **(headers or {})}
        if cookies:
            sent["cookie"] = "; ".join(cookies)
        if self.token is not None:
            sent.setdefault("authorization", f"Bearer {self.token}")
        text = query if isinstance(query, str) else urlencode(query)
        scheme, host = urlsplit(self.base_url)[:2]
        connection = (HTTPSConnection if scheme == "https" else HTTPConnection)(host, timeout=PATIENCE)
        try:
            connection.request(method, f"{path}?{text}" if text else path, body=body, headers=sent)
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            to_set = response.headers.get_all("set-cookie", [])
            raw = response.read()
        finally:
            connection.close()
        return Answer(response.status, received, _decoded(raw, received.get("content-encoding", ""))), to_set


def _decoded(raw: bytes, coding: str) -> str:
    return (gzip.decompress(raw) if coding == "gzip" else raw).decode()
