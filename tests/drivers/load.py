"""Many concurrent clients that do everything clients do, and checks of the stored result.

Every request has its own user agent. The audit log stores it, so that each counted view can be matched with its request
and response.
"""

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from typing import Any, ClassVar

from shared.domain import digests
from tests.drivers.client import Answer, Api

Item = dict[str, Any]
_VIEWS = ("view", "owner_view")
_MAX_VIEWS = 6
_LIVE = 12  # pushes that the clients share: few, so that their requests collide


@dataclass(frozen=True)
class Sent:
    """A request and its response; None if the connection was lost."""

    agent: str
    act: str
    url_token: str
    answer: Answer | None
    started: float
    ended: float

    @property
    def failed(self) -> bool:
        return self.answer is None or self.answer.status >= 500

    @property
    def payload(self) -> str | None:
        if self.answer is None or self.failed or self.act != "retrieve":
            return None
        found: str | None = self.answer.json.get("payload")
        return found


@dataclass
class Load:
    """A load of `clients` threads that send `requests` requests."""

    owner: Api
    clients: int
    may_repeat: ClassVar[Collection[str]] = ()  # kinds of audit entries
    sent: list[Sent] = field(default_factory=list)
    limits: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _live: list[str] = field(default_factory=list)

    def run(self, requests: int) -> None:
        """Send this many requests, ignoring failures."""
        with ThreadPoolExecutor(self.clients) as pool:
            list(pool.map(lambda _: self._act(), range(requests)))

    def run_while(self, is_wanted: Callable[[], bool]) -> None:
        """Send requests while `is_wanted` returns true."""

        def act(_: int) -> None:
            while is_wanted():
                self._act()

        with ThreadPoolExecutor(self.clients) as pool:
            list(pool.map(act, range(self.clients)))

    def use_up(self) -> None:
        """Retrieve each push like a patient client until it has ended, retrying failures."""
        with ThreadPoolExecutor(self.clients) as pool:
            list(pool.map(self._use_up, self.limits))

    def check(self, items: list[Item]) -> Counter[str]:
        """Check the promises against every stored item; return figures for the report."""
        pushes = {item["id"]["S"]: item for item in items if "expire_after_views" in item}
        entries: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            if "push_id" in item:
                entries[item["push_id"]["S"]].append(item)
        for push_id, push in pushes.items():
            recorded = Counter(entry["kind"]["S"] for entry in entries[push_id])
            views = sum(recorded[kind] for kind in _VIEWS)
            assert int(push["views"]["N"]) == views <= int(push["expire_after_views"]["N"])
            assert int(push["entries"]["N"]) == len(entries[push_id])
            assert recorded["creation"] == 1
            assert recorded["expire"] == int(push["is_deleted"]["BOOL"])
        ours = {request.agent for request in self.sent}  # the stack has other tests' pushes as well
        written = [(entry["kind"]["S"], entry["user_agent"]["S"]) for rows in entries.values() for entry in rows]
        written = [(kind, agent) for kind, agent in written if agent in ours]
        once = [row for row in written if row[0] not in self.may_repeat]
        assert len(set(once)) == len(once), "a request was recorded twice"
        self._check_creates({agent for kind, agent in written if kind == "creation"}, pushes)
        figures = self._check_views(pushes, entries)
        left = {item["id"]["S"] for item in items if "wrapped_key" in item}
        assert not left & {digests.digest(url_token) for url_token in self.limits}, "a push is over, its key is there"
        return figures

    def _check_creates(self, agents: set[str], pushes: dict[str, Item]) -> None:
        creates = {request.agent: request for request in self.sent if request.act == "create"}
        made = {agent for agent, request in creates.items() if not request.failed}
        assert made <= agents
        assert all(creates[agent].failed for agent in agents - made)
        assert {digests.digest(url_token) for url_token in self.limits} <= pushes.keys()

    def _check_views(self, pushes: dict[str, Item], entries: dict[str, list[Item]]) -> Counter[str]:
        by_payload = sorted(self.sent, key=lambda request: request.payload is not None)
        retrieves = {request.agent: request for request in by_payload if request.act == "retrieve"}
        served = Counter(request.url_token for request in retrieves.values() if request.payload is not None)
        figures: Counter[str] = Counter()
        for url_token, limit in self.limits.items():
            push_id = digests.digest(url_token)
            counted = [entry["user_agent"]["S"] for entry in entries[push_id] if entry["kind"]["S"] in _VIEWS]
            delivered = [agent for agent in counted if retrieves[agent].payload is not None]
            lost = [agent for agent in counted if retrieves[agent].payload is None]
            assert len(delivered) == served[url_token], "a payload was handed out that no view was counted for"
            self._check_lost(pushes[push_id], [retrieves[agent] for agent in lost])
            assert all(retrieves[agent].payload == f"payload of {limit}" for agent in delivered)
            if not pushes[push_id]["is_deleted"]["BOOL"]:
                assert len(delivered) + len(lost) == limit
            figures += Counter(delivered=len(delivered), lost=len(lost))
        self._check_nothing_after_the_end()
        return figures + self._figures()

    def _check_lost(self, _push: Item, requests: list[Sent]) -> None:
        assert all(request.failed for request in requests), "a view was counted for an answer without a payload"

    def _check_nothing_after_the_end(self) -> None:
        ended = {request.url_token: request.ended for request in self.sent if request.act == "expire" and request.answer
                 and request.answer.status == 200}  # fmt: skip
        for request in self.sent:
            if request.payload is not None and request.url_token in ended:
                assert request.started < ended[request.url_token], "a payload after the answer to an expire"

    def _figures(self) -> Counter[str]:
        acts = Counter(request.act for request in self.sent)
        again = Counter(failed=sum(request.failed for request in self.sent))
        return Counter(sent=len(self.sent), pushes=len(self.limits)) + acts + again

    def _act(self) -> None:
        with self._lock:
            url_token = random.choice(self._live) if len(self._live) >= _LIVE else ""
        act = random.choices(["retrieve", "create", "expire", "preview", "audit", "active", "expired"],
                             [60, 12, 2, 4, 4, 9, 9])[0] if url_token else "create"  # fmt: skip
        if act == "create":
            self._create()
        else:
            request = self._send(act, url_token if act not in ("active", "expired") else "")
            if act == "expire" or (act == "retrieve" and not request.failed and request.payload is None):
                self._forget(url_token)

    def _create(self) -> None:
        limit = random.randint(1, _MAX_VIEWS)
        request = self._send("create", "", payload=f"payload of {limit}", expire_after_views=limit)
        if not request.failed:
            assert request.answer
            with self._lock:
                self.limits[request.answer.json["url_token"]] = limit
                self._live.append(request.answer.json["url_token"])

    def _forget(self, url_token: str) -> None:
        with self._lock:
            if url_token in self._live:
                self._live.remove(url_token)

    def _use_up(self, url_token: str) -> None:
        for _ in range(200):
            request = self._send("retrieve", url_token)
            if not request.failed and request.payload is None:
                return
        raise AssertionError("a push that can never be used up")

    def _send(self, act: str, url_token: str, **fields: Any) -> Sent:
        return self._send_as(new_agent(), act, url_token, **fields)

    def _send_as(self, agent: str, act: str, url_token: str, **fields: Any) -> Sent:
        caller = replace(self.owner, headers={"user-agent": agent})
        started = time.monotonic()
        try:
            answer = getattr(caller, act)(*filter(None, [url_token]), **fields)
        except (OSError, HTTPException):
            answer = None
        request = Sent(agent, act, url_token, answer, started, time.monotonic())
        with self._lock:
            self.sent.append(request)
        return request


def new_agent() -> str:
    """Return the user agent of one request."""
    return f"request {random.getrandbits(64):016x}"
