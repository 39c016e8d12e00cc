"""Asks: links by which people without an account send an owner a secret (contract, section 16). Pure."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from shared.domain import cipher, digests
from shared.domain.audit import Caller
from shared.domain.safe_repr import hide_fields
from shared.domain.seal import InstanceKey


class Ask(NamedTuple):
    """An ask, without the part that is sealed.

    `id` is the SHA-256 of the ask_token in hex. `limit` is the number of answers that it accepts, `answers` the number
    so far, `answered_at` the time of the last one. `taken_bytes` is the size of all answers. `ended_at` is the time of
    a DELETE, else None. `label` is the sealed `Terms`, under the version `key_version` of the instance key. `body_mac`
    detects a different body in a repeated create (idempotency.py). `is_quiet` is true once the asker has stopped the
    mails about answers (notices.py). From `purge_at` on, the record counts as removed.

    All times are aware, in UTC.
    """

    id: str
    owner: str
    created_at: datetime
    expires_at: datetime
    purge_at: datetime
    limit: int
    label: bytes
    key_version: str
    answers: int = 0
    answered_at: datetime | None = None
    ended_at: datetime | None = None
    body_mac: bytes | None = None
    taken_bytes: int = 0
    is_quiet: bool | None = None

    @property
    def answers_remaining(self) -> int:
        """Return the number of answers left."""
        return self.limit - self.answers

    def ended_on(self, now: datetime) -> datetime | None:
        """Return when the ask ended: by a DELETE, its last answer or its time limit; None while it accepts answers."""
        if self.ended_at is not None:
            return self.ended_at
        if self.answers_remaining == 0:
            return self.answered_at
        return self.expires_at if self.expires_at <= now else None

    def is_purged(self, now: datetime) -> bool:
        """Return whether the record is past its retention, even if DynamoDB has not removed it yet."""
        return self.purge_at <= now

    def is_owned_by(self, caller: Caller) -> bool:
        """Return whether the caller is the asker."""
        return self.owner == caller.owner


@hide_fields("name", "message", "push")
class NewAsk(NamedTuple):
    """An ask to create, fully checked; `push` has the limits of each answer, as fields of a new push."""

    message: str
    name: str
    expire_after_days: int
    answers: int
    files: bool
    max_bytes: int
    notify_when_answered: bool
    push: Mapping[str, Any]


@hide_fields("ask_token", "name", "message", "address", "push")
class Terms(NamedTuple):
    """The sealed part of an ask: its link, its texts, and what an answer may be.

    `address` is the asker's e-mail address at that time. `max_bytes` is for all answers together. `locale` is the
    language of the page that created the ask; empty if a program did.
    """

    ask_token: str
    name: str
    message: str
    address: str
    files: bool
    max_bytes: int
    notify_when_answered: bool
    push: Mapping[str, Any]
    locale: str = ""


class Answered(NamedTuple):
    """An ask, the size in bytes of an answer to it, and the most for all its answers together."""

    ask: Ask
    size: int
    max_bytes: int

    @property
    def fits(self) -> bool:
        """Return whether the ask has room for this answer."""
        return self.ask.taken_bytes + self.size <= self.max_bytes


class Opened(NamedTuple):
    """An ask with its decrypted terms."""

    ask: Ask
    terms: Terms


def seal_terms(terms: Terms, instance_key: InstanceKey) -> bytes:
    """Seal the terms of an ask, under a key derived from the instance key."""
    ask_id = digests.digest(terms.ask_token)
    plain = json.dumps(terms, ensure_ascii=False, separators=(",", ":")).encode()
    return cipher.encrypt(_key(instance_key, ask_id), plain, f"{ask_id}/ask")


def open_ask(ask: Ask, instance_key: InstanceKey) -> Opened:
    """Return an ask with its terms. Raises: CannotOpen."""
    plain = cipher.decrypt(_key(instance_key, ask.id), ask.label, f"{ask.id}/ask")
    return Opened(ask, Terms(*json.loads(plain)))


def _key(instance_key: InstanceKey, ask_id: str) -> bytes:
    return cipher.derive(instance_key.material, f"secret-sharing ask v1 {ask_id}".encode())
