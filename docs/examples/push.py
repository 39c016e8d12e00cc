"""Push a secret that can be seen once, and retrieve it.

BASE_URL=http://127.0.0.1:8000 python push.py 'correct horse'
"""

import json
import os
import secrets
import sys
import time
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

TRIES = 5


def send(method: str, url: str, body: Any = None) -> Any:
    """Send a request until it is answered: with the same key each time, so that it counts once."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(16)}
    if token := os.environ.get("TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    for number in range(1, TRIES + 1):
        try:
            request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 (the installation's)
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                return json.load(answer)
        except (OSError, HTTPException) as error:  # HTTPError is an OSError
            refused = isinstance(error, HTTPError) and error.code < 500
            if refused or number == TRIES:
                raise
            time.sleep(number)
    return None


created = send(
    "POST", f"{os.environ['BASE_URL']}/api/v2/pushes", {"push": {"payload": sys.argv[1], "expire_after_views": 1}}
)
print(created["html_url"])
print(json.dumps(send("GET", created["json_url"])))
