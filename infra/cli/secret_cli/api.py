"""Requests to the service, repeated until there is a response."""

import random
import time
from collections.abc import Callable
from typing import Any, Self

import httpx

from .failure import Exit, Failure
from .terminal import say

PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before each retry, without jitter
_LONGEST_WAIT = 60.0  # seconds: what a Retry-After header may ask for
_RETRIED = {429, 500, 502, 503, 504}
_HOPELESS = (httpx.UnsupportedProtocol, httpx.ProxyError, httpx.LocalProtocolError)  # no retry helps
_TIMEOUT = httpx.Timeout(30)


class Service:
    """The API of one installation, asked with an API token or anonymously: `with Service(…) as service`."""

    def __init__(self, base_url: str, token: str | None) -> None:
        headers = {"User-Agent": "secret-sharing-cli"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._client = httpx.Client(base_url=base_url, headers=headers, timeout=_TIMEOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, method: str, path: str, *, headers: dict[str, str] | None = None, body: Any = None) -> Any:
        """Return the document of a successful response.

        Args:
            method: A method that may be sent twice: GET, DELETE, or POST with an Idempotency-Key header.
            path: The path below the base URL. It holds no secret but the link's token.
            headers: More headers, such as the idempotency key.
            body: The JSON body.

        Raises: Failure, if there is no response, or one that is no success.

        """
        answered = repeat(lambda: self._client.request(method, path, headers=headers, json=body), "The service")
        try:
            document = answered.json()
        except ValueError:
            document = None
        if not answered.is_success:
            raise _refusal(answered.status_code, document)
        if document is None:
            raise Failure(Exit.FAILED, "The response is not from this API. Is the base URL right?")
        return document


def repeat(send: Callable[[], httpx.Response], what: str) -> httpx.Response:
    """Return the first response that is no 429 or 5xx, or the last one.

    Args:
        send: Sends a request that may be sent again.
        what: Starts the sentence for a person, such as "The service".

    Raises: Failure, if the last try got no response.

    """
    for pause in PAUSES:
        try:
            answered = send()
        except httpx.TransportError as error:
            if isinstance(error, _HOPELESS):
                raise _no_response(what, error) from None
            pause_for(pause, what)
            continue
        asked = _retry_after(answered)
        if answered.status_code not in _RETRIED or asked > _LONGEST_WAIT:
            return answered
        pause_for(max(pause, asked), what)
    try:
        return send()
    except httpx.TransportError as error:
        raise _no_response(what, error) from None


def pause_for(seconds: float, what: str) -> None:
    """Say that a try failed and wait, with jitter, so that clients do not all return at once after an outage."""
    say(f"{what}: no usable response, trying again.")
    time.sleep(seconds * random.uniform(1, 1.25))


def _no_response(what: str, error: httpx.TransportError) -> Failure:
    return Failure(
        Exit.FAILED, f"{what} does not respond ({type(error).__name__}). Check the connection and try again."
    )


def _retry_after(answered: httpx.Response) -> float:
    seconds = answered.headers.get("retry-after", "")
    return float(seconds) if seconds.isascii() and seconds.isdecimal() else 0.0


def _refusal(status: int, document: Any) -> Failure:
    if status == httpx.codes.NOT_FOUND:
        return Failure(Exit.GONE, "There is nothing behind this link, or the API is elsewhere.")
    sentence = _sentence(document) or f"The service responded with {status}."
    if status == httpx.codes.UNAUTHORIZED and isinstance(document, dict) and document.get("status") == "unauthorized":
        return Failure(Exit.PASSPHRASE, sentence)
    retried = status in _RETRIED and status != httpx.codes.TOO_MANY_REQUESTS
    return Failure(Exit.FAILED if retried or status == httpx.codes.CONFLICT else Exit.REFUSED, sentence)


def _sentence(document: Any) -> str:
    """Return the service's reason."""
    if not isinstance(document, dict):
        return ""
    reason = document.get("error") or document.get("message")
    if reason and not isinstance(reason, list):  # a list: the messages of a field that has this name
        return str(reason)
    return "; ".join(f"{field}: {', '.join(map(str, why))}" for field, why in document.items() if isinstance(why, list))
