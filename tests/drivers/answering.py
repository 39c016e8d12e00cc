"""Many concurrent senders of answers to a few asks; each repeats its answer, with its key, until it gets a response."""

import random
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from shared.domain import digests
from tests.drivers.browser import FORM
from tests.drivers.client import Answer, Api
from tests.drivers.load import new_agent

Item = dict[str, Any]
_PATIENCE = 200  # requests
_DOUBLE_PRESSES = 0.2  # of all answers
_FINAL = {HTTPStatus.SEE_OTHER, HTTPStatus.GONE}  # accepted, or refused because the ask has ended


@dataclass
class Answering:
    """Senders of answers to asks, by ask_token with their limits. `sent` has each response, by user agent."""

    api: Api
    limits: dict[str, int]
    sent: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    slowest: float = 0.0  # seconds
    _asked: dict[str, str] = field(default_factory=dict)  # ask_token by user agent

    def run(self, answers: int, clients: int) -> None:
        """Send so many answers, equally many to each ask."""
        wanted = list(self.limits) * (answers // len(self.limits))
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(self._answer, wanted))

    def check(self, items: list[Item]) -> Counter[str]:
        """Check that each ask took exactly its number, and whoever was thanked was taken; return figures."""
        pushes = {item["id"]["S"] for item in items if "expire_after_views" in item}
        taken: dict[str, list[str]] = defaultdict(list)
        for item in items:
            if "ask_id" in item and "push_id" in item:
                taken[item["ask_id"]["S"]].append(item["user_agent"]["S"])
                assert item["push_id"]["S"] in pushes
        counted = {item["id"]["S"]: int(item["answers"]["N"]) for item in items if "label" in item and "limit" in item}
        for ask_token, limit in self.limits.items():
            agents = taken[digests.digest(ask_token)]
            thanked = {agent for agent, asked in self._asked.items() if asked == ask_token and self._is_thanked(agent)}
            assert counted[digests.digest(ask_token)] == len(agents) == limit
            assert (len(set(agents)), set(agents)) == (limit, thanked)
        assert len(pushes) == sum(self.limits.values())
        answers = [answer for given in self.sent.values() for answer in given]
        failed = sum(answer.status not in _FINAL for answer in answers)
        return Counter(sent=len(answers), failed=failed, senders=len(self.sent), taken=len(pushes))

    def _is_thanked(self, agent: str) -> bool:
        statuses = {answer.status for answer in self.sent[agent] if answer.status in _FINAL}
        assert len(statuses) == 1, "one answer was told two things, or none"
        return statuses == {HTTPStatus.SEE_OTHER}

    def _answer(self, ask_token: str) -> None:
        agent = new_agent()
        self._asked[agent] = ask_token
        form = {"push[payload]": agent, "idempotency_key": f"key-{random.getrandbits(64):016x}"}
        presses = 1 + (random.random() < _DOUBLE_PRESSES)
        with ThreadPoolExecutor(presses) as pool:
            list(pool.map(lambda _: self._until_answered(agent, ask_token, form), range(presses)))

    def _until_answered(self, agent: str, ask_token: str, form: dict[str, str]) -> None:
        for _ in range(_PATIENCE):
            started = time.monotonic()
            answer = self._send(agent, ask_token, form)
            self.slowest = max(self.slowest, time.monotonic() - started)
            self.sent[agent].append(answer)
            if answer.status in _FINAL:
                return
        raise AssertionError("an answer that nobody ever takes or refuses")

    def _send(self, agent: str, ask_token: str, form: dict[str, str]) -> Answer:
        headers = {"content-type": FORM, "sec-fetch-site": "same-origin", "user-agent": agent}
        # A source may try five times an hour.
        caller = Api(now=self.api.now, ip=f"2001:db8:{random.getrandbits(16):x}:{random.getrandbits(16):x}::1")
        return caller.request("POST", f"/a/{ask_token}", headers=headers, body=urlencode(form).encode())
