"""A push: its data, its expiry and its changes. Pure: no input, no output, no clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from shared.domain.audit import Caller
from shared.domain.file import Download
from shared.domain.limits import MAX_AUDIT_ENTRIES, MAX_GUESSES
from shared.domain.safe_repr import hide_fields


class Ending(StrEnum):
    """The reason for the end of a push."""

    LAST_VIEW = "last_view"
    DELETED = "deleted"
    GUESSES = "guesses"
    TIME = "time"


class Push(NamedTuple):
    """A push without its secret.

    `id` is the SHA-256 of the url_token in hex. `owner` is None for an anonymous push. `views` counts the views so far,
    `entries` the audit entries. `is_protected` is true if the push has a passphrase, `is_deleted` after an end by
    DELETE or by guesses. From `purge_at` on, the record counts as removed.

    `guesses` has the times of the latest wrong passphrases, oldest first, at most MAX_GUESSES. `guesses_in_a_row` is
    the number of wrong passphrases since the latest view.

    `label` is the sealed name, note and url_token for the owner's lists, under the instance key `key_version`. It is
    None for an anonymous push, and when a long label was not read with the push (`reads.long_labels`).

    `has_objects` is true if the push has objects in S3: files, or ciphertexts too long for the table. `attempt` is part
    of their keys, so that a repeat of the create cannot overwrite them.

    `awaits_files` is true if the sender uploads files directly to S3, until a retrieve finds all files there. That
    retrieve sets `arrival`: for each file one stamp, a digest by which later retrieves detect a replaced file
    (`uploads.py`). `arrival` is None before that, and for a push without such uploads.

    `leased_until` is the end of the last lease, at most 30 s too late, or None without any (lease.py). `body_mac`
    detects a different body in a repeated create (idempotency.py). `mailed` is the number of recipients that the link
    was mailed to, or None. `notify_when_viewed` is true if the owner gets notices about the push (notice.py), and None
    if nobody has chosen: then there are none. `networks` are those that the push can be opened from, packed
    (networks.py), or None.

    `sealed_key_id` names the key that the sender sealed the payload with (jwe.py); None if nobody but this service
    sealed it.

    `manage_digest` checks the key in an anonymous sender's own link (manage_key.py); None for an owned push. Only with
    it, `first_viewed_at` and `last_viewed_at` are kept.

    `ask_id` is the id of the ask that the push answers, else None.

    All times are aware, in UTC.
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
    networks: bytes | None = None
    sealed_key_id: bytes | None = None
    manage_digest: bytes | None = None
    first_viewed_at: datetime | None = None
    last_viewed_at: datetime | None = None
    ask_id: str | None = None

    @property
    def folder(self) -> str:
        """Return the prefix of the keys of the push's objects in S3."""
        return f"{self.id}/{self.attempt}" if self.attempt else self.id

    @property
    def views_remaining(self) -> int:
        """Return the number of views left."""
        return max(0, self.expire_after_views - self.views)

    def is_expired(self, now: datetime) -> bool:
        """Return whether the push has expired, by the clock alone: an early end sets `expires_at` to its own time.

        `now` is the time of receipt. If `updated_at` is later, it counts in place of `now`: a request that was received
        before the end may be handled after it.
        """
        return self.expires_at <= max(now, self.updated_at)

    @property
    def ending(self) -> Ending:
        """Return the reason for the end of an expired push."""
        if not self.is_deleted:
            return Ending.LAST_VIEW if self.views_remaining == 0 else Ending.TIME
        # The final guess and the end are one write, so they have the same time.
        return Ending.GUESSES if self.guesses[-1:] == [self.expires_at] else Ending.DELETED

    @property
    def is_expired_by_age(self) -> bool:
        """Return whether the push expired by time alone, so that its secret may still exist."""
        return not self.is_deleted and self.views_remaining > 0

    def has_leases(self, now: datetime) -> bool:
        """Return whether a lease may be active, even after the last view; a DELETE or an end by guesses ends all."""
        return not self.is_deleted and self.leased_until is not None and self.leased_until > now

    @property
    def ended_while_leased(self) -> bool:
        """Return whether the push ended during a lease, so that its ciphertext may still exist."""
        return self.leased_until is not None and self.leased_until > self.expires_at

    def is_purged(self, now: datetime) -> bool:
        """Return whether the record is past its retention, even if DynamoDB has not removed it yet."""
        return self.purge_at <= now

    def days_remaining(self, now: datetime) -> int:
        """Return the whole days left, counted from the creation; 0 once the time limit has passed.

        See the contract, section 2.
        """
        if self.is_expired_by_age and self.is_expired(now):
            return 0  # a lifetime below a day ends before the day does
        # This gateway's clock may be behind the clock of the gateway for the create.
        return max(0, self.expire_after_days - max(0, (now - self.created_at).days))

    def is_owned_by(self, caller: Caller) -> bool:
        """Return whether the caller is the owner; always false for an anonymous push."""
        return self.owner is not None and self.owner == caller.owner

    def has_room_for_failures(self, limit: int = MAX_AUDIT_ENTRIES) -> bool:
        """Return whether the audit log has room for another failure; views are always recorded."""
        return self.entries < limit

    def is_ended_by_guess(self, max_guesses: int) -> bool:
        """Return whether the next wrong passphrase ends the push; never if `max_guesses` is 0."""
        return 0 < max_guesses <= self.guesses_in_a_row + 1

    def date_of_write(self, at: datetime) -> datetime:
        """Return the date for a view or an end: at least `updated_at`, at most `expires_at`.

        The write requires that `updated_at` is not later (contract, section 4, Dates). So no view is dated after the
        end.
        """
        return min(max(at, self.updated_at), self.expires_at)

    def after_view(self, at: datetime) -> "Push":
        """Return the push with one more view, as the response shows it: not expired, even by the last view.

        See the contract, section 4.
        """
        return self._replace(views=self.views + 1, updated_at=at)

    def after_guess(self, at: datetime) -> "Push":
        """Return the push after one more wrong passphrase."""
        guesses = [*self.guesses, at][-MAX_GUESSES:]
        return self._replace(guesses=guesses, guesses_in_a_row=self.guesses_in_a_row + 1)

    def after_end(self, at: datetime) -> "Push":
        """Return the push, ended at this time; its record is kept as long after the end as planned before."""
        # Whole days, because the store rounds `purge_at` up to seconds, and the rounding must not add up.
        retention = timedelta(days=(self.purge_at - self.expires_at).days)
        return self._replace(expires_at=at, purge_at=at + retention, updated_at=at)

    def after_delete(self, at: datetime) -> "Push":
        """Return the push after an explicit expire."""
        return self.after_end(at)._replace(is_deleted=True)


@hide_fields("url_token", "name", "note", "filenames")
class Label(NamedTuple):
    """The encrypted part of a push's record, for its owner only.

    `filenames` has the names of all files, in order, if the sender uploads any of them directly to S3; otherwise it is
    empty.
    """

    url_token: str
    name: str
    note: str
    filenames: tuple[str, ...] = ()


@hide_fields("payload")
class Retrieved(NamedTuple):
    """A push as its recipient sees it; `payload` is None if the push has expired.

    `at` is the time at which the view was claimed; a repeated response has the time of the first. `leased_until` is the
    end of the view's lease (lease.py), if it has one: until then, a repeat with the same idempotency key gets the same
    response. `key_version` is the version of the instance key that sealed the push.
    """

    push: Push
    payload: str | None
    at: datetime
    files: tuple[Download, ...] = ()
    leased_until: datetime | None = None
    key_version: str = ""


class Listed(NamedTuple):
    """A push in its owner's list."""

    push: Push
    label: Label
