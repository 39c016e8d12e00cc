"""Retrieve a push: hand over the payload and count the view, or refuse and record that.

The secret is in hand before the view is claimed, and one write decides (`store.py`); whoever lost a race looks again.
A claim with an idempotency key leaves a lease (`domain/lease.py`), by which the same answer is given again.
"""

from datetime import datetime
from typing import NamedTuple

from shared.aws import backoff, keys, reads, store
from shared.domain import access, errors, lease, seal
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.cipher import CannotOpen
from shared.domain.lease import Lease
from shared.domain.limits import DOWNLOAD_LIFETIME, MAX_MISSING_ENTRIES
from shared.domain.push import Push, Retrieved
from shared.domain.safe_repr import hide_fields
from shared.runtime import deadline, metrics, settings
from shared.service import contents
from shared.service.contents import Contents


def retrieve_push(
    url_token: str, passphrase: str, caller: Caller, *, now: datetime, key: str | None = None, once: bool = False
) -> Retrieved:
    """Hand over the payload and count the view; `passphrase` is empty when none was sent.

    With an idempotency key (`idempotency.py`) the same answer again, uncounted, while the lease of the view lives;
    after it another view, or with `once` the refusal SeenAlready.

    An expired push is no error: what is retrieved has no payload. Nothing is claimed when too little time is left to
    answer, since a view that nobody gets would be lost.

    Raises: NotFound, PassphraseRefused, TooManyAttempts, FilesMissing, FilesReplaced, SeenAlready, Contended.
    """
    with_key = _Key(key, lease.lease_id(url_token, key), once) if key and settings.current().lease else None
    retrieval = _Retrieval(url_token, passphrase, caller, now, with_key)
    for _ in backoff.attempts():
        if retrieved := retrieval.attempt():
            return retrieved
    raise errors.Contended


@hide_fields("value", "lease_id")
class _Key(NamedTuple):
    """An idempotency key and its lease's id; with `once` it may claim no second view when its lease is over."""

    value: str
    lease_id: str
    once: bool


class _Retrieval:
    """One caller's retrieve, over all its attempts: the push is opened, or the passphrase refused, only once."""

    def __init__(self, url_token: str, passphrase: str, caller: Caller, now: datetime, key: _Key | None) -> None:
        self._url_token = url_token
        self._passphrase = passphrase
        self._caller = caller
        self._now = now
        self._key = key
        self._opened: Contents | None = None
        self._is_refused = False

    def attempt(self) -> Retrieved | None:
        """One read and one write; None when another write came between the two, so that both must be done again.

        Raises: what `retrieve_push` does.
        """
        record, sealed, leased = reads.load(seal.digest(self._url_token), self._key.lease_id if self._key else None)
        push = access.require_existing(record, self._now)
        if self._key and (retrieved := self._again(push, sealed, leased, self._key)):
            return retrieved
        if push.is_expired(self._now):
            return Retrieved(push, None, self._now) if self._record_failed_view(push, sealed) else None
        if sealed is None or sealed.wrapped_key is None:  # The last view was claimed between the reads.
            return None
        if wait := push.retry_after(self._now):
            raise errors.TooManyAttempts(wait, push)
        if not (self._opened or self._is_refused):
            self._opened = self._open(push, sealed)
            self._is_refused = self._opened is None
        if deadline.seconds_left() < backoff.RESERVE:
            raise errors.Contended
        if self._opened:
            return self._claim(push, sealed, self._opened)
        self._refuse(push)
        return None

    def _again(self, push: Push, sealed: seal.SealedSecret | None, leased: Lease | None, key: _Key) -> Retrieved | None:
        """The answer that this key has got before, None when there is none, or it is not for this caller.

        Raises: SeenAlready.
        """
        if leased is None and push.is_expired(self._now) and push.has_leases(self._now):
            # The last view may have been claimed under this very lease between the reads.
            leased = reads.find_lease(key.lease_id)
        if leased is None or sealed is None or sealed.lease_salt is None or push.is_deleted:
            return None
        if leased.is_over(self._now):
            if key.once and not push.is_expired(self._now):
                raise errors.SeenAlready(push)
            return None
        wrapping_key = seal.wrapping_key(sealed, self._url_token, self._passphrase, keys.version(sealed.key_version))
        try:
            push_key = lease.unwrap(leased, wrapping_key, sealed.lease_salt, self._url_token, key.value)
        except CannotOpen:  # another passphrase
            return None
        links = leased.claimed_at + DOWNLOAD_LIFETIME - self._now
        opened = contents.open_contents(push, sealed, seal.Keys(push_key, wrapping_key), self._url_token, links=links)
        return Retrieved(leased.restore_push(push), opened.payload, leased.claimed_at, opened.downloads, is_leased=True)

    def _open(self, push: Push, sealed: seal.SealedSecret) -> Contents | None:
        """Everything that the recipient gets, None when the passphrase is missing or wrong."""
        if push.is_protected and not self._passphrase:
            return None
        try:
            unwrapped = seal.unwrap(sealed, self._url_token, self._passphrase, keys.version(sealed.key_version))
        except CannotOpen:
            if not push.is_protected:
                raise
            return None
        return contents.open_contents(push, sealed, unwrapped, self._url_token, links=DOWNLOAD_LIFETIME)

    def _claim(self, push: Push, sealed: seal.SealedSecret, opened: Contents) -> Retrieved | None:
        kind = AuditKind.OWNER_VIEW if push.is_owned_by(self._caller) else AuditKind.VIEW
        given = self._lease(push, sealed, opened.keys)
        if not store.claim(push, self._entry(kind), given, now=self._now):
            return None
        metrics.count("Viewed")
        viewed, is_leased = push.after_view(self._now), given is not None
        return Retrieved(viewed, opened.payload, self._now, opened.downloads, is_leased=is_leased)

    def _lease(self, push: Push, sealed: seal.SealedSecret, unwrapped: seal.Keys) -> Lease | None:
        """The lease of this view, None without a key, or where the push is from before there were leases."""
        if self._key is None or sealed.lease_salt is None:
            return None
        lifetime = settings.current().lease if sealed.files is None else DOWNLOAD_LIFETIME
        return Lease(
            id=self._key.lease_id,
            wrapped_key=lease.wrap(unwrapped, sealed.lease_salt, self._url_token, self._key.value),
            claimed_at=self._now,
            until=min(self._now + lifetime, push.expires_at),
            views=push.views + 1,
            push_expires_at=push.expires_at,
        )

    def _refuse(self, push: Push) -> None:
        # A missing passphrase is no guess, so it does not count towards the limits.
        is_recorded = self._record_guess(push) if self._passphrase else self._record_missing_passphrase(push)
        if is_recorded:
            raise errors.PassphraseRefused(push)

    def _record_missing_passphrase(self, push: Push) -> bool:
        if not push.has_room_for_failures(MAX_MISSING_ENTRIES):
            return True
        return store.record_missing_passphrase(push, self._entry(AuditKind.FAILED_PASSPHRASE), now=self._now)

    def _record_guess(self, push: Push) -> bool:
        guess = self._entry(AuditKind.FAILED_PASSPHRASE) if push.has_room_for_failures() else None
        is_end = push.is_ended_by_guess(settings.current().max_guesses)
        return store.record_guess(push, guess, self._entry(AuditKind.EXPIRE) if is_end else None, now=self._now)

    def _record_failed_view(self, push: Push, sealed: seal.SealedSecret | None) -> bool:
        # What a last view has left for its leases stays until they are over.
        is_due = sealed is not None and not push.has_leases(self._now)
        if push.has_room_for_failures():
            return store.record_failed_view(push, self._entry(AuditKind.FAILED_VIEW), destroy=is_due)
        if is_due:
            store.destroy(push.id)
        return True

    def _entry(self, kind: AuditKind) -> AuditEntry:
        return AuditEntry.of(kind, self._caller, self._now)
