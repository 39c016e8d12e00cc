"""Push a secret that opens once, print its link, then retrieve it. The secret is standard input.

printf %s 'correct horse' | BASE_URL=http://127.0.0.1:8000 python push.py
BASE_URL=https://push.example.com TOKEN=your-api-token python push.py <key.pem
"""

import json
import os
import secrets
import sys
import time
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

TRIES = 5
LONGEST = 60  # seconds; a longer Retry-After is for a person to wait


class NoRedirects(HTTPRedirectHandler):
    """urllib would take the token along to another host."""

    def redirect_request(self, *_: Any) -> None:
        """Follow none: the service never redirects these requests."""


opener = build_opener(NoRedirects)


def send(method: str, url: str, body: Any = None) -> Any:
    """Send a request. Repeat it after a 429, a 5xx or no response, with the same key, so that it counts once."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(16)}
    if token := os.environ.get("TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    failure = ""
    for number in range(1, TRIES + 1):
        wait = number
        try:
            status, answer, retry_after = send_once(Request(url, data, headers, method=method))  # noqa: S310 (yours)
            if status < 300:
                return json.loads(answer)
            failure, wait = f"{status}: {answer}", max(number, retry_after)
            if (status < 500 and status != 429) or wait > LONGEST:
                break
        except (OSError, HTTPException) as error:
            failure = f"no response: {error}"
        if number < TRIES:
            time.sleep(wait)
    sys.exit(failure)


def send_once(request: Request) -> tuple[int, str, int]:
    """Return the status, the body and the seconds in `Retry-After`."""
    try:
        response = opener.open(request, timeout=30)
    except HTTPError as error:
        response = error
    with response:
        seconds = response.headers.get("Retry-After", "")
        return response.status, response.read().decode(), int(seconds) if seconds.isdecimal() else 0


base_url = os.environ.get("BASE_URL", "").rstrip("/")
secret = b"" if sys.stdin.isatty() or len(sys.argv) > 1 else sys.stdin.buffer.read()
if not base_url or not secret:
    sys.exit(__doc__)

created = send("POST", f"{base_url}/api/v2/pushes", {"push": {"payload": secret.decode(), "expire_after_views": 1}})
print(created["html_url"])
print(json.dumps(send("GET", f"{base_url}/api/v2/pushes/{created['url_token']}")))
