"""Clients that give each operation an idempotency key and repeat it until they get a response, sometimes concurrently.

The repeats of an operation share a user agent. So a view is lost if its agent got no payload, and an operation was
counted twice if its agent is in the audit log twice.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.drivers.load import Item, Load, Sent, new_agent

_PATIENCE = 200  # requests
_KEYED = ("create", "retrieve")
_DOUBLE_PRESSES = 0.2  # of all requests with a key


@dataclass
class Repeating(Load):
    """A load of such clients."""

    may_repeat: ClassVar[Collection[str]] = ("failed_view",)

    def check(self, items: list[Item]) -> Counter[str]:
        """Check the promises of any load, and that all responses to an operation are the same; return figures.

        An explicit expire may end leases that clients still need, also of an ended push, whose record does not show it.
        In these cases a response may differ from the one before, and `ended` counts the views of clients without a
        response. No other view was lost.
        """
        figures = super().check(items)
        figures["ended"] = figures.pop("lost", 0)  # a Counter drops zeroes
        expired = self._expired()
        intents: dict[str, list[Sent]] = defaultdict(list)
        for request in self.sent:
            if request.act in _KEYED:
                intents[request.agent].append(request)
        for requests in intents.values():
            texts = {request.answer.text for request in requests if request.answer and not request.failed}
            assert len(texts) == 1 or requests[0].url_token in expired, "an intent got two answers, or none"
        figures["repeated"] = sum(len(requests) - 1 for requests in intents.values())
        return figures

    def _expired(self) -> set[str]:
        return {request.url_token for request in self.sent if request.act == "expire"}

    def _check_lost(self, _push: Item, requests: list[Sent]) -> None:
        lost = {request.url_token for request in requests}
        assert lost <= self._expired(), "a view was counted whose client never got the payload"

    def _send(self, act: str, url_token: str, **fields: Any) -> Sent:
        agent, presses = new_agent(), 1
        if act in _KEYED:
            fields["key"] = f"key-{random.getrandbits(64):016x}"
            presses += random.random() < _DOUBLE_PRESSES
        with ThreadPoolExecutor(presses) as pool:
            answered = pool.map(lambda _: self._until_answered(agent, act, url_token, **fields), range(presses))
        return next(answered)

    def _until_answered(self, agent: str, act: str, url_token: str, **fields: Any) -> Sent:
        for _ in range(_PATIENCE):
            request = self._send_as(agent, act, url_token, **fields)
            if not request.failed:
                return request
        raise AssertionError("a request that nobody ever answers")
