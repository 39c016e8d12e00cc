"""The contract as a plain model: the expected response to a request, from the earlier requests and the time.

It shares no code with the service and knows no database: a push is a record in a dictionary, and requests come one
after another. If the contract leaves the wording open, `Expected.body` is the set of the error's keys.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from unicodedata import normalize

Json = dict[str, Any]

BASE = "https://api.example.test"
MINUTES, HOURS, DAYS = (15, 30, 45), (1, 6, 12), (1, 2, 3, 4, 5, 6, 7, 14, 21, 30, 60, 90)
DURATIONS = [
    *(timedelta(minutes=number) for number in MINUTES),
    *(timedelta(hours=number) for number in HOURS),
    *(timedelta(days=number) for number in DAYS),
]
SWITCHES: dict[Any, bool] = {True: True, "Y ": True, "enabled": True, False: False, "off": False, "": False, "f": False}
NOBODY = None
BAD_TOKEN = "nonsense"


HERE, ELSEWHERE = "192.0.2.0/24", "198.51.100.0/24"  # all requests come from 192.0.2.1


@dataclass
class Expected:
    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


UNAUTHENTICATED = Expected(401, {"error"}, {"www-authenticate": "Bearer"})
PASSPHRASE_REFUSED = Expected(401, {"error", "message", "status"})
FORBIDDEN = Expected(403, {"error"})
NOT_FOUND = Expected(404, {"error": "not-found"})
MALFORMED = Expected(400, {"error"})
OTHER_BODY = Expected(422, {"idempotency_key"})


@dataclass
class Lease:
    """A response that is repeated until `ends` (section 11)."""

    answer: Expected
    ends: datetime
    repeats: int = 0  # of a protected push, at most ten


@dataclass
class Push:
    url_token: str
    owner: str | None
    fields: Json
    created: datetime
    ends: datetime
    updated: datetime
    log: list[tuple[str, datetime]]
    views: int = 0
    deleted: bool = False
    ended_by: str = "time"
    viewed: list[datetime] = field(default_factory=list)
    manage_key: str | None = None  # of an anonymous push
    guesses: list[datetime] = field(default_factory=list)
    guesses_in_a_row: int = 0
    leases: dict[str, Lease] = field(default_factory=dict)  # by idempotency key

    @property
    def purged_at(self) -> datetime:
        # The contract leaves this to the installation. DynamoDB removes items at a full second.
        at = self.ends + timedelta(days=400 if self.owner else 1)
        return at if not at.microsecond else at.replace(microsecond=0) + timedelta(seconds=1)

    def end(self, now: datetime) -> None:
        self.ends = self.updated = now

    @property
    def is_elsewhere(self) -> bool:
        return bool(self.fields["allowed_ips"] == ELSEWHERE)

    def is_opened_by(self, passphrase: str | None) -> bool:
        wanted = self.fields.get("passphrase")
        return not wanted or normalize("NFC", passphrase or "") == normalize("NFC", wanted)


def time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def number(sent: Any) -> int | None:
    """Return a number as these senders may write it: 3, 3.0 or "3"."""
    return None if sent is None else int(sent)


class Model:
    def __init__(self, max_guesses: int, lease: timedelta) -> None:
        self.max_guesses, self.lease = max_guesses, lease
        self.pushes: dict[str, Push] = {}
        self.creates: dict[Any, tuple[datetime, Json, Expected]] = {}
        self.given_again = 0

    def create(
        self,
        caller: str | None,
        fields: Json,
        url_token: str,
        now: datetime,
        key: str | None = None,
        *,
        manage_key: str = "",
    ) -> Expected:
        if caller == BAD_TOKEN or (caller is NOBODY and fields.get("kind") == "file"):
            return UNAUTHENTICATED
        days, views = number(fields.get("expire_after_days")), number(fields.get("expire_after_views", 5))
        index = number(fields.get("expire_after_duration")) if days is None else None
        failing = {"payload"} if not fields.get("payload", "").strip() else set()
        failing |= {"files"} if fields.get("kind") == "file" else set()
        failing |= {"expire_after_views"} if not 1 <= (views or 0) <= 100 else set()
        failing |= {"expire_after_days"} if days is not None and not 1 <= days <= 90 else set()
        failing |= {"expire_after_duration"} if index is not None and not 0 <= index < len(DURATIONS) else set()
        switches = {name: SWITCHES.get(fields.get(name, True)) for name in ("deletable_by_viewer", "retrieval_step")}
        failing |= {name for name, value in switches.items() if value is None}
        if failing:
            return Expected(422, failing)
        lifetime = DURATIONS[index] if index is not None else timedelta(days=days or 7)
        chosen = {"name": "", "note": "", "kind": "text", "allowed_ips": None, **fields, **switches}
        chosen |= {"expire_after_days": max(1, lifetime.days), "expire_after_views": views}
        body = {**chosen, "expire_after_duration": lifetime}
        request = (caller, key, None if caller else repr(sorted(body.items())))
        if key and request in self.creates and self.creates[request][0] > now - timedelta(days=1):
            self.given_again += 1
            return self.creates[request][2] if self.creates[request][1] == body else OTHER_BODY
        assert url_token not in self.pushes
        made = Push(url_token, caller, chosen, now, now + lifetime, now, [("creation", now)])
        self.pushes[url_token] = made
        shown = self._label(made) | {"passphrase": chosen.get("passphrase") or ""}
        if caller is NOBODY:
            made.manage_key = manage_key
            shown["manage_url"] = f"{BASE}/m/{url_token}/{manage_key}"
        answer = Expected(201, self._base(made, now) | shown)
        self.creates[request] = (now, body, answer)
        return answer

    def retrieve(
        self, caller: str | None, url_token: str, passphrase: str | None, now: datetime, key: str | None = None
    ) -> Expected:
        if caller == BAD_TOKEN:
            return UNAUTHENTICATED
        push = self._known(url_token, now)
        if push is None:
            return NOT_FOUND
        if push.is_elsewhere:
            return self._refuse_network(push, now)
        lease = push.leases.get(key or "")
        if lease and lease.ends > now:
            return self._repeat(push, lease, passphrase, now)
        if push.ends <= now:
            push.log.append(("failed_view", now))
            return Expected(200, self._base(push, now) | {"payload": None, "files": []})
        lately = [guess for guess in push.guesses if guess > now - timedelta(seconds=60)]
        if len(lately) >= 5:
            wait = lately[-5] + timedelta(seconds=60) - now
            return Expected(429, {"error"}, {"retry-after": str(-(-wait // timedelta(seconds=1)))})
        if not push.is_opened_by(passphrase):
            push.log.append(("failed_passphrase", now))
            if passphrase:
                self._guess(push, now)
            return PASSPHRASE_REFUSED
        push.views, push.updated, push.guesses_in_a_row = push.views + 1, now, 0
        push.viewed.append(now)
        push.log.append(("owner_view" if caller and caller == push.owner else "view", now))
        answer = Expected(200, self._base(push, now) | {"payload": push.fields["payload"], "files": []})
        if key:
            push.leases[key] = Lease(answer, min(now + self.lease, push.ends))
        if push.views == push.fields["expire_after_views"]:
            push.end(now)
            push.ended_by = "last_view"
        return answer

    def _repeat(self, push: Push, lease: Lease, passphrase: str | None, now: datetime) -> Expected:
        if push.fields.get("passphrase"):
            if not passphrase:
                push.log.append(("failed_passphrase", now))
                return PASSPHRASE_REFUSED
            if lease.repeats == 10:
                return Expected(429, {"error"}, {"retry-after": str(-(-(lease.ends - now) // timedelta(seconds=1)))})
            lease.repeats += 1
        if not push.is_opened_by(passphrase):
            push.log.append(("failed_passphrase", now))
            self._guess(push, now)
            return PASSPHRASE_REFUSED
        self.given_again += 1
        return lease.answer

    def preview(self, caller: str | None, url_token: str, now: datetime) -> Expected:
        if caller == BAD_TOKEN:
            return UNAUTHENTICATED
        push = self._known(url_token, now)
        return Expected(200, {"url": self._base(push, now)["html_url"]}) if push else NOT_FOUND

    def status(self, caller: str | None, url_token: str, manage_key: str | None, now: datetime) -> Expected:
        if caller == BAD_TOKEN:
            return UNAUTHENTICATED
        push = self._known(url_token, now)
        if push is None or push.manage_key is None or push.manage_key != manage_key:
            return NOT_FOUND
        base = self._base(push, now)
        same = ("expired", "views_remaining", "expire_after_views", "created_at", "expires_at", "expired_on")
        moments = {"first_viewed_at": push.viewed[:1], "last_viewed_at": push.viewed[-1:]}
        return Expected(
            200,
            {name: base[name] for name in same}
            | {name: time(seen[0]) if seen else None for name, seen in moments.items()}
            | {"ended_by": push.ended_by if base["expired"] else None},
        )

    def expire(self, caller: str | None, url_token: str, now: datetime, manage_key: str | None = None) -> Expected:
        if caller == BAD_TOKEN:
            return UNAUTHENTICATED
        push = self._known(url_token, now)
        if push is None:
            return NOT_FOUND
        if manage_key is not None and manage_key != push.manage_key:
            return NOT_FOUND
        if manage_key is None and push.is_elsewhere and (caller is NOBODY or caller != push.owner):
            return self._refuse_network(push, now)
        if manage_key is None and not push.fields["deletable_by_viewer"] and (caller is NOBODY or caller != push.owner):
            return UNAUTHENTICATED if caller is NOBODY else FORBIDDEN
        push.leases.clear()
        if push.ends > now:
            self._delete(push, now)
        return Expected(200, self._base(push, now))

    def _refuse_network(self, push: Push, now: datetime) -> Expected:
        push.log.append(("failed_view", now))
        return FORBIDDEN

    def _guess(self, push: Push, now: datetime) -> None:
        push.guesses.append(now)
        push.guesses_in_a_row += 1
        if push.guesses_in_a_row != self.max_guesses:
            return
        if push.ends > now:
            self._delete(push, now)
            push.ended_by = "guesses"
        push.leases.clear()

    def _delete(self, push: Push, now: datetime) -> None:
        push.end(now)
        push.ended_by = "deleted"
        push.leases.clear()
        push.deleted = True
        push.log.append(("expire", now))

    def audit(self, caller: str | None, url_token: str, page: Any, now: datetime) -> Expected:
        if caller in (NOBODY, BAD_TOKEN):
            return UNAUTHENTICATED
        push = self._known(url_token, now)
        if push is None or caller != push.owner:
            return FORBIDDEN if push else NOT_FOUND
        entries = [{"kind": kind, "created_at": time(at), "updated_at": time(at)} for kind, at in push.log]
        same = {"ip": "192.0.2.1", "user_agent": "", "referrer": ""}
        return self._page(f"/{url_token}/audit", [entry | same for entry in entries], page, key="logs")

    def listed(self, caller: str | None, which: str, page: Any, now: datetime) -> Expected:
        if caller in (NOBODY, BAD_TOKEN):
            return UNAUTHENTICATED
        own = [push for push in self.pushes.values() if push.owner == caller and push.purged_at > now]
        own = [push for push in own if (push.ends > now) == (which == "active")]
        own.sort(key=lambda push: push.created if which == "active" else push.ends, reverse=True)
        return self._page(f"/{which}", [self._base(push, now) | self._label(push) for push in own], page)

    def _known(self, url_token: str, now: datetime) -> Push | None:
        push = self.pushes.get(url_token)
        return push if push and push.purged_at > now else None

    def _page(self, path: str, items: list[Json], page: Any, key: str = "") -> Expected:
        if page not in range(1, 201):
            return MALFORMED
        shown, more = items[(page - 1) * 50 : page * 50], len(items) > page * 50 and page < 200
        beside = [(page - 1, "prev")] * (page > 1) + [(page + 1, "next")] * more
        links = ", ".join(f'<{BASE}/api/v2/pushes{path}?page={number}>; rel="{rel}"' for number, rel in beside)
        headers = {"x-page": str(page), "x-per-page": "50"} | ({"link": links} if links else {})
        return Expected(200, {key: shown} if key else shown, headers)

    def _label(self, push: Push) -> Json:
        networks = {"allowed_ips": [push.fields["allowed_ips"]]} if push.fields["allowed_ips"] else {}
        return {"name": push.fields["name"], "note": push.fields["note"], **networks}

    def _base(self, push: Push, now: datetime) -> Json:
        is_over, fields = push.ends <= now, push.fields
        is_aged = is_over and push.ended_by == "time"
        return {
            "expire_after_views": fields["expire_after_views"],
            "expire_after_days": fields["expire_after_days"],
            "views_remaining": fields["expire_after_views"] - push.views,
            "days_remaining": 0 if is_aged else max(0, fields["expire_after_days"] - (now - push.created).days),
            "expired": is_over,
            "expired_on": time(push.ends) if is_over else None,
            "expires_at": time(push.ends),
            "url_token": push.url_token,
            "kind": fields["kind"],
            "deletable_by_viewer": fields["deletable_by_viewer"],
            "retrieval_step": fields["retrieval_step"],
            "passphrase": None if is_over else "********" if fields.get("passphrase") else "",
            "created_at": time(push.created),
            "updated_at": time(push.updated),
            "deleted": push.deleted,
            "html_url": f"{BASE}/p/{push.url_token}" + ("/r" if fields["retrieval_step"] else ""),
            "json_url": f"{BASE}/p/{push.url_token}.json",
        }
