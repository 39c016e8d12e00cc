"""Section 16 of the contract as a plain model, like model.py: asks and their answers."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.drivers.model import (
    BAD_TOKEN,
    BASE,
    DURATIONS,
    FORBIDDEN,
    MALFORMED,
    NOBODY,
    NOT_FOUND,
    OTHER_BODY,
    SWITCHES,
    UNAUTHENTICATED,
    Expected,
    Json,
    number,
    time,
)

A_DAY, AN_HOUR = timedelta(days=1), timedelta(hours=1)
FROM_A_SOURCE = 5  # answers in each hour of the clock
DEFAULTS = {"name": "", "expire_after_days": 7, "answers": 1, "max_bytes": 25 * 2**20}
BOUNDS = {"expire_after_days": (1, 90), "answers": (1, 20), "max_bytes": (1, 2**30)}
LIMITS = {"expire_after_days", "expire_after_duration", "expire_after_views", "deletable_by_viewer", "retrieval_step"}


@dataclass
class Asked:
    """An ask; `answers` has the payload, the time and the key of each answer that it took."""

    ask_token: str
    owner: str
    fields: Json
    created: datetime
    answers: list[tuple[str, datetime, str | None]] = field(default_factory=list)
    ended: datetime | None = None

    @property
    def expires(self) -> datetime:
        return self.created + timedelta(days=self.fields["expire_after_days"])

    @property
    def purged_at(self) -> datetime:
        at = self.expires + timedelta(days=400)
        return at if not at.microsecond else at.replace(microsecond=0) + timedelta(seconds=1)

    @property
    def taken(self) -> int:
        return sum(len(payload.encode()) for payload, _, _ in self.answers)

    def over(self, now: datetime) -> datetime | None:
        if self.ended:
            return self.ended
        if len(self.answers) == self.fields["answers"]:
            return self.answers[-1][1]
        return self.expires if self.expires <= now else None

    def shown(self, now: datetime) -> Json:
        over, fields = self.over(now), self.fields
        same = ("name", "message", "answers", "files", "max_bytes", "push")
        return {name: fields[name] for name in same} | {
            "ask_token": self.ask_token,
            "html_url": f"{BASE}/a/{self.ask_token}",
            "answers_remaining": fields["answers"] - len(self.answers),
            "expired": over is not None,
            "expired_on": over and time(over),
            "created_at": time(self.created),
            "expires_at": time(self.expires),
        }


class Asks:
    """All asks. The owner `without_account` may not create any."""

    def __init__(self, without_account: str) -> None:
        self.without_account = without_account
        self.asks: dict[str, Asked] = {}
        self.given_again = 0
        self._creates: dict[Any, tuple[datetime, Json, Expected]] = {}
        self._sources: Counter[tuple[str, int]] = Counter()

    def create(self, caller: str | None, given: Json, ask_token: str, now: datetime, key: str | None) -> Expected:
        if caller in (NOBODY, BAD_TOKEN):
            return UNAUTHENTICATED
        if caller == self.without_account:
            return FORBIDDEN
        fields, failing = _checked(given)
        if failing:
            return Expected(422, failing)
        before = self._creates.get((caller, key))
        if key and before and before[0] > now - A_DAY:
            self.given_again += int(before[1] == fields)
            return before[2] if before[1] == fields else OTHER_BODY
        assert caller
        assert ask_token not in self.asks
        made = self.asks[ask_token] = Asked(ask_token, caller, fields, now)
        answer = Expected(201, made.shown(now))
        self._creates[caller, key] = (now, fields, answer)
        return answer

    def end(self, caller: str | None, ask_token: str, now: datetime) -> Expected:
        if caller in (NOBODY, BAD_TOKEN):
            return UNAUTHENTICATED
        asked = self._known(ask_token, now)
        if asked is None or asked.owner != caller:
            return FORBIDDEN if asked else NOT_FOUND
        if not asked.over(now):
            asked.ended = now
        return Expected(200, asked.shown(now))

    def listed(self, caller: str | None, page: Any, now: datetime) -> Expected:
        if caller in (NOBODY, BAD_TOKEN):
            return UNAUTHENTICATED
        if page not in range(1, 201):
            return MALFORMED
        own = [one.shown(now) for one in self.asks.values() if one.owner == caller and one.purged_at > now]
        own.sort(key=lambda one: str(one["created_at"]), reverse=True)
        links = {"link": f'<{BASE}/api/v2/asks?page={page - 1}>; rel="prev"'} if page > 1 else {}
        return Expected(200, own if page == 1 else [], {"x-page": str(page), "x-per-page": "50"} | links)

    def answer(self, ask_token: str, payload: str, source: str, now: datetime, key: str | None) -> int:
        """Return the status of the page after an answer."""
        asked = self._known(ask_token, now)
        if asked is None:
            return 410
        if payload.strip() and (payload, key) in [(p, k) for p, at, k in asked.answers if k and at > now - A_DAY]:
            self.given_again += 1
            return 303
        if asked.over(now):
            return 410
        if not payload.strip():
            return 422
        if asked.taken + len(payload.encode()) > asked.fields["max_bytes"]:
            return 413
        hour = (source, int(now.timestamp() // AN_HOUR.total_seconds()))
        if self._sources[hour] == FROM_A_SOURCE:
            return 429
        self._sources[hour] += 1
        asked.answers.append((payload, now, key))
        return 303

    def active(self, owner: str, now: datetime) -> list[tuple[str, str]]:
        """Return the name and creation of each live answer to an owner's asks, newest first."""
        found = [
            (one.fields["name"], at)
            for one in self.asks.values()
            for _, at, _ in one.answers
            if one.owner == owner and at + _lifetime(one.fields["push"]) > now
        ]
        return [(name, time(at)) for name, at in sorted(found, key=lambda row: row[1], reverse=True)]

    def _known(self, ask_token: str, now: datetime) -> Asked | None:
        asked = self.asks.get(ask_token)
        return asked if asked and asked.purged_at > now else None


def _checked(given: Json) -> tuple[Json, set[str]]:
    """Return the fields with their defaults, and the names of the invalid ones."""
    fields: Json = DEFAULTS | given | {name: number(given.get(name, DEFAULTS[name])) for name in BOUNDS}
    fields |= {"files": SWITCHES.get(given.get("files", False))}
    push = {"expire_after_views": 5, "deletable_by_viewer": True, "retrieval_step": True, **given.get("push", {})}
    failing = {name for name, (low, high) in BOUNDS.items() if not low <= fields[name] <= high}
    failing |= {"message"} if not given.get("message", "").strip() or len(given["message"]) > 2_000 else set()
    failing |= {"files"} if fields["files"] is None else set()
    failing |= {"push"} if push.keys() - LIMITS or not 1 <= push["expire_after_views"] <= 100 else set()
    if (index := push.pop("expire_after_duration", None)) is not None and "expire_after_days" not in push:
        push |= {"expire_after_duration": index} if index < 6 else {"expire_after_days": DURATIONS[index].days}
    elif not failing:
        push = {"expire_after_days": 7, **push}
    return fields | {"push": push}, failing


def _lifetime(push: Json) -> timedelta:
    if "expire_after_duration" in push:
        return DURATIONS[push["expire_after_duration"]]
    return timedelta(days=push["expire_after_days"])
