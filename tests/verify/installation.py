"""A client for an installation in use: it sends few requests, and deletes the pushes that it creates."""

import json
import os
import secrets
import time
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tests.drivers.client import Answer
from tests.drivers.http_client import HttpApi

PUSHES = "/api/v2/pushes"
ASKS = "/api/v2/asks"
TRIES = 30  # one a second, while the gateway's rate limit answers 429
GATEWAYS_LIMIT = '{"message":"Too Many Requests"}'


@dataclass
class Installation(HttpApi):
    """The API, which waits for the gateway's rate limit. `made` has each created push's or ask's path and API token."""

    made: list[tuple[str, str | None]] = field(default_factory=list, repr=False)

    def as_owner(self, token: str | None) -> "Installation":
        return replace(self, token=token)  # both share one list of created pushes

    def exchange(self, method: str, path: str, **request: Any) -> tuple[Answer, list[str]]:
        for _ in range(TRIES):
            answer, to_set = super().exchange(method, path, **request)
            if answer.status != 429 or answer.text.replace(" ", "") != GATEWAYS_LIMIT.replace(" ", ""):
                break
            time.sleep(1)
        if answer.status == 201:
            self._remember(answer)
        return answer, to_set

    def _remember(self, answer: Answer) -> None:
        try:
            document = answer.json
            is_ask = "ask_token" in document
            made = f"{ASKS}/{document['ask_token']}" if is_ask else f"{PUSHES}/{document['url_token']}"
            self.made.append((made, self.token))
        except (json.JSONDecodeError, KeyError, TypeError):
            return

    def impatient(self) -> HttpApi:
        """Return the same caller without retries after a rate limit."""
        return HttpApi(base_url=self.base_url, token=self.token)

    def tidy(self) -> int:
        """End each created push and ask; return how many are still alive."""
        # An ended or unknown one is answered 200 or 404.
        ends = [self.as_owner(token).request("DELETE", path).status for path, token in self.made]
        return sum(status not in (200, 404) for status in ends)

    def post(self, path: str, document: Any, *, key: str | None = None) -> Answer:
        """Send a document. Its push may be expired by anybody, so that the tests can clean up."""
        fields = next((one for one in document.values() if isinstance(one, dict)), {})
        if "ask" not in document:
            fields.setdefault("deletable_by_viewer", True)
        return super().post(path, document, key=key)


def fresh_key() -> str:
    """Return an unused idempotency key: an installation remembers those of an earlier run."""
    return secrets.token_hex(16)


@cache
def named() -> Installation | None:
    """Return the installation in the environment, with its owner's API token; None if tests bring their own."""
    url = os.environ.get("VERIFY_URL", "").rstrip("/")
    return Installation(base_url=url, token=os.environ["VERIFY_TOKEN"]) if url else None
