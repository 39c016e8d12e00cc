"""The probe: create, preview and retrieve a push over the network, like any client.

It has only the base URL, an optional API token, and no IAM permissions. Its pushes are random, expire after 15 minutes
and have one view, or as soon and as few as the installation allows.
"""

import json
import re
import secrets
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from shared.runtime import settings

SILENCE = 4.0  # seconds; with this timeout, four requests fit into the function's own
LARGEST = 65_536  # bytes; longer responses are truncated
_PUSHES = "/api/v2/pushes"
_URL_TOKEN = re.compile("[a-z0-9]+")

Answer = dict[str, Any]


class Failed(Exception):
    """A step failed: `step` is its name, `status` the response's status code, 0 without a response."""

    def __init__(self, step: str, status: int = 0) -> None:
        super().__init__(step)
        self.step, self.status = step, status


def run() -> None:
    """Create, preview and retrieve a push, then check that a second retrieve fails.

    Raises: Failed, without any link or response; ValueError, if the token is not allowed in a header.
    """
    if not settings.current().base_url:
        raise Failed("BaseUrl")
    payload = secrets.token_urlsafe(32)
    created = _request_json("Create", "POST", _PUSHES, 201, {"push": _new_push(payload)})
    url_token = created.get("url_token")
    if not isinstance(url_token, str) or not _URL_TOKEN.fullmatch(url_token):
        raise Failed("Create", 201)
    path = f"{_PUSHES}/{url_token}"
    _expect("Preview", f"{path}/preview", {"url": created.get("html_url")})
    left = settings.current().views.lowest - 1
    _expect("Retrieve", path, {"payload": payload, "views_remaining": left})
    if left:
        _request_json("Refusal", "DELETE", path, 200)
    _expect("Refusal", path, {"payload": None, "expired": True})


def _new_push(payload: str) -> dict[str, Any]:
    days, fewest = settings.current().days.lowest, settings.current().views.lowest
    lifetime = {"expire_after_duration": 0} if days == 1 else {"expire_after_days": days}
    views = {"expire_after_views": fewest, "deletable_by_viewer": fewest > 1}
    return {"kind": "text", "payload": payload, **lifetime, **views}


def _expect(step: str, path: str, expected: Answer) -> None:
    answer = _request_json(step, "GET", path, 200)
    if expected != {name: answer.get(name) for name in expected}:
        raise Failed(step, 200)


def _request_json(step: str, method: str, path: str, status: int, document: object = None) -> Answer:
    """Return the response's JSON object; any other status code raises Failed."""
    try:
        answered, body = _send(method, path, document)
    except (OSError, HTTPException) as error:
        raise Failed(step) from error
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if answered != status or not isinstance(answer, dict):
        raise Failed(step, answered)
    return answer


def _send(method: str, path: str, document: object) -> tuple[int, bytes]:
    """Return status code and body. Follows no redirects; uses a new connection for each request."""
    config = settings.current()
    headers = {"content-type": "application/json", "user-agent": "secret-sharing-probe"}
    if config.probe_token:
        headers["authorization"] = f"Bearer {config.probe_token}"
    scheme, host = urlsplit(config.base_url)[:2]
    connection = (HTTPConnection if scheme == "http" else HTTPSConnection)(host, timeout=SILENCE)
    try:
        connection.request(method, path, None if document is None else json.dumps(document), headers)
        response = connection.getresponse()
        return response.status, response.read(LARGEST)
    finally:
        connection.close()
