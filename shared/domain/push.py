"""What a push is, when it is expired, and who may do what to it. Pure: no input, no output, no clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from shared.domain.audit import Caller
from shared.domain.file import Download
from shared.domain.limits import GUESS_WINDOW, MAX_AUDIT_ENTRIES, MAX_GUESSES
from shared.domain.safe_repr import hide_fields


class Ending(StrEnum):
    """What ended a push."""

    LAST_VIEW = "last_view"
    BY_HAND = "by_hand"
    GUESSES = "guesses"
    TIME = "time"


class Push(NamedTuple):
    """All of a push but its secret.

    `id` is the SHA-256 of the url_token in hex. `views` counts the views claimed and `entries` the audit entries
    written; `guesses` holds the times of the last wrong passphrases, oldest first, and `guesses_in_a_row` counts them
    since the last right one. `label` is the sealed name, note and url_token for the owner's lists, under the instance
    key of `key_version`; an anonymous push has none, and a long one is not read with its push (`reads.long_labels`).
    `has_objects` says that something of it is in S3; `awaits_files`, that no view has found all its files there yet.
    `arrival` holds, for files that were uploaded, the stamp of each as the first view found it (`uploads.py`).
    `attempt` is part of the keys of its objects, so that no other attempt at the same create overwrites them.
    At `leased_until` the last lease of a view (lease.py) is over, or was up to 30 s before; `body_mac` tells one body
    of a repeated create from another (idempotency.py). `notify_when_viewed` says whether its owner hears of its
    views by mail, None where that is left to the owner's default. Every moment is aware, in UTC.
    """

    id: str
    owner: str | None
    kind: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    purge_at: datetime
    expire_after_days: int
    expire_after_views: int
    deletable_by_viewer: bool
    retrieval_step: bool
    is_protected: bool
    label: bytes | None = None
    key_version: str | None = None
    views: int = 0
    entries: int = 0
    guesses: Sequence[datetime] = ()
    guesses_in_a_row: int = 0
    is_deleted: bool = False
    has_objects: bool = False
    awaits_files: bool = False
    arrival: list[str] | None = None
    attempt: str | None = None
    leased_until: datetime | None = None
    body_mac: bytes | None = None
    mailed: int | None = None
    notify_when_viewed: bool | None = None

    @property
    def folder(self) -> str:
        """What the keys of its objects begin with."""
        return f"{self.id}/{self.attempt}" if self.attempt else self.id

    @property
    def views_remaining(self) -> int:
        """How many views are left to claim."""
        return max(0, self.expire_after_views - self.views)

    def is_expired(self, now: datetime) -> bool:
        """Whether the push is over, by the clock alone: every early end moves `expires_at`.

        A request that was received before the push ended, and is served after, must not see it alive again.
        """
        return self.expires_at <= max(now, self.updated_at)

    @property
    def ending(self) -> Ending:
        """What ended the push, once it is expired."""
        if not self.is_deleted:
            return Ending.LAST_VIEW if self.views_remaining == 0 else Ending.TIME
        # The guess that ends a push is counted by the write that ends it, so at the same moment.
        return Ending.GUESSES if self.guesses[-1:] == [self.expires_at] else Ending.BY_HAND

    @property
    def is_expired_by_age(self) -> bool:
        """Whether the clock alone ended the push (no view, no expire did), so that its secret is not destroyed yet."""
        return not self.is_deleted and self.views_remaining > 0

    def has_leases(self, now: datetime) -> bool:
        """Whether an answer of this push may still be given again, also after its last view."""
        return not self.is_deleted and self.leased_until is not None and self.leased_until > now

    @property
    def ended_while_leased(self) -> bool:
        """Whether the push was ended while leases lived, so that the last view may have left its ciphertext."""
        return self.leased_until is not None and self.leased_until > self.expires_at

    def is_purged(self, now: datetime) -> bool:
        """Whether the record itself is past its retention, even if DynamoDB has not removed it yet."""
        return self.purge_at <= now

    def days_remaining(self, now: datetime) -> int:
        """Whole days left, counted from the creation (contract, section 2)."""
        # One gateway's clock may be behind that of the gateway which received the create.
        return max(0, self.expire_after_days - max(0, (now - self.created_at).days))

    def is_owned_by(self, caller: Caller) -> bool:
        """Whether the caller is the owner. An anonymous push has none: nobody owns it."""
        return self.owner is not None and self.owner == caller.owner

    def retry_after(self, now: datetime) -> int:
        """Seconds until the next passphrase may be tried: 0 when now."""
        if len(self.guesses) < MAX_GUESSES:
            return 0
        wait = self.guesses[-MAX_GUESSES] + GUESS_WINDOW - now
        return max(0, -(-wait // timedelta(seconds=1)))

    def has_room_for_failures(self, limit: int = MAX_AUDIT_ENTRIES) -> bool:
        """Whether the audit log has room for one more failure; a view is always recorded."""
        return self.entries < limit

    def is_ended_by_guess(self, max_guesses: int) -> bool:
        """Whether one more wrong passphrase ends the push; with `max_guesses` 0 none does."""
        return 0 < max_guesses <= self.guesses_in_a_row + 1

    def date_of_write(self, at: datetime) -> datetime:
        """The date of a view or an end that is written at `at`: not before the last one, not after the time limit.

        Its write asks that `updated_at` is not later (contract, section 4, Dates). So no view is dated after the end.
        """
        return min(max(at, self.updated_at), self.expires_at)

    def after_view(self, at: datetime) -> "Push":
        """The push after one more view, still open: the response to the last view says so (contract, section 4)."""
        return self._replace(views=self.views + 1, updated_at=at)

    def after_guess(self, at: datetime) -> "Push":
        """The push after one more wrong passphrase."""
        guesses = [*self.guesses, at][-MAX_GUESSES:]
        return self._replace(guesses=guesses, guesses_in_a_row=self.guesses_in_a_row + 1)

    def after_end(self, at: datetime) -> "Push":
        """The push ended at this moment; its record is kept for the same time after the end as before."""
        # Retention is in whole days. The store rounds `purge_at` up to seconds, and these must not add up.
        retention = timedelta(days=(self.purge_at - self.expires_at).days)
        return self._replace(expires_at=at, purge_at=at + retention, updated_at=at)

    def after_delete(self, at: datetime) -> "Push":
        """The push ended by an explicit expire."""
        return self.after_end(at)._replace(is_deleted=True)


@hide_fields("url_token", "name", "note", "filenames")
class Label(NamedTuple):
    """What only the owner may read of a push, beside its record.

    `filenames` are those of its files, in their order, where the push awaits some; else there are none.
    """

    url_token: str
    name: str
    note: str
    filenames: tuple[str, ...] = ()


@hide_fields("payload")
class Retrieved(NamedTuple):
    """A push as its recipient sees it; `payload` is None when it is expired.

    `at` is the moment of the claim: an answer that is given again says the same as the first time. `is_leased` says
    whether it is given again, for a while, to whoever brings the same idempotency key.
    """

    push: Push
    payload: str | None
    at: datetime
    files: tuple[Download, ...] = ()
    is_leased: bool = False


class Listed(NamedTuple):
    """A push in its owner's list."""

    push: Push
    label: Label
