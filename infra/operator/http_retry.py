"""Idempotent HTTP requests, sent again with back-off and jitter while no answer comes."""

import random
import sys
import time
from collections.abc import Callable

import httpx

# Seconds before each further try, jitter aside: all who were cut off must not come back at once.
PAUSES = (1.0, 2.0, 4.0, 8.0)
LONGEST = 60.0  # seconds that an answer may have us wait
_NO_ANSWER = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError)
_UNAVAILABLE = {500, 502, 503, 504}  # also of S3, and of a gateway or proxy that got no answer itself


def answer(send: Callable[[], httpx.Response], what: str) -> httpx.Response:
    """The first answer that is not 500, 502, 503 or 504, or the last try's; `what` begins the line before each retry.

    Raises: HTTPError, when the last try got no answer, or the request cannot be sent at all.
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
    print(f"{what}: no answer yet, trying again.", file=sys.stderr)
    time.sleep(seconds * random.uniform(1, 1.25))
