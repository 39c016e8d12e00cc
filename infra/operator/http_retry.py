"""Send idempotent HTTP requests, with back-off and jitter until a response arrives."""

import random
import sys
import time
from collections.abc import Callable

import httpx

# Seconds before each retry, without jitter, so that clients do not all return at once after an outage.
PAUSES = (1.0, 2.0, 4.0, 8.0)
LONGEST = 60.0  # the longest wait in seconds that a response can request
_NO_ANSWER = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)
_UNAVAILABLE = {500, 502, 503, 504}  # also from S3, or from a gateway or proxy that got no response


def answer(send: Callable[[], httpx.Response], what: str) -> httpx.Response:
    """Return the first response that is not 500, 502, 503 or 504, or the last one.

    Each retry prints a line that starts with `what`.

    Raises: HTTPError, if the last try got no response, or the request cannot be sent at all.
    """
    for pause in PAUSES:
        try:
            answered = send()
        except _NO_ANSWER:
            wait = pause
        else:
            if answered.status_code not in _UNAVAILABLE:
                return answered
            wait = max(pause, _retry_after(answered))
        _wait(wait, what)
    return send()


def _retry_after(answered: httpx.Response) -> float:
    seconds = answered.headers.get("retry-after", "")
    return min(float(seconds), LONGEST) if seconds.isascii() and seconds.isdecimal() else 0.0


def _wait(seconds: float, what: str) -> None:
    print(f"{what}: no response, trying again.", file=sys.stderr)
    time.sleep(seconds * random.uniform(1, 1.25))
