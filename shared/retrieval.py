"""Retrieve a push: hand over the payload and count the view, or refuse and record that.

The secret is in hand before the view is claimed, and one write decides (`store.py`); whoever lost a race looks again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from shared import deadline, settings
from shared.aws import arrivals, files, keys, retry, store
from shared.domain import errors, seal
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.file import Download, File
from shared.domain.limits import MAX_MISSING_ENTRIES
from shared.domain.push import Push, Retrieved, existing


def retrieve_push(url_token: str, passphrase: str, caller: Caller, *, now: datetime) -> Retrieved:
    """Hand over the payload and count the view. An expired push is no error, but one without a payload.

    Nothing is claimed with too little time left to answer: a view that nobody gets would be lost.

    Raises: NotFound, PassphraseRefused, TooManyAttempts, FilesMissing, FilesReplaced, Contended.
    """
    retrieval = _Retrieval(url_token, passphrase, caller, now)
    for _ in retry.attempts():
        if retrieved := retrieval.attempt():
            return retrieved
    raise errors.Contended


@dataclass(frozen=True)
class _Opened:
    """Everything that a recipient gets, before the view is claimed."""

    payload: str = field(repr=False)
    downloads: tuple[Download, ...]


class _Retrieval:
    """What one caller asks for. What it opened once stays open, and what was refused once stays refused."""

    def __init__(self, url_token: str, passphrase: str, caller: Caller, now: datetime) -> None:
        self._url_token = url_token
        self._passphrase = passphrase
        self._caller = caller
        self._now = now
        self._opened: _Opened | None = None
        self._is_refused = False

    def attempt(self) -> Retrieved | None:
        """One look and one write; None when somebody else wrote in between."""
        found, sealed = store.load(seal.digest(self._url_token))
        seen = existing(found, self._now)
        if seen.is_expired(self._now):
            return Retrieved(seen, None) if self._record_failed_view(seen, sealed) else None
        if sealed is None:  # The last view was claimed between the two reads.
            return None
        if wait := seen.retry_after(self._now):
            raise errors.TooManyAttempts(wait, seen)
        if not (self._opened or self._is_refused):
            self._opened = self._open(seen, sealed)
            self._is_refused = self._opened is None
        if deadline.left() < retry.RESERVE:
            raise errors.Contended
        if self._opened:
            return self._claim(seen, self._opened)
        self._refuse(seen)
        return None

    def _open(self, seen: Push, sealed: seal.SealedSecret) -> _Opened | None:
        """Everything that the recipient gets, None when the passphrase is missing or wrong."""
        if seen.is_protected and not self._passphrase:
            return None
        try:
            push_key = seal.unwrap(sealed, self._url_token, self._passphrase, keys.version(sealed.key_version))
        except seal.CannotOpen:
            if not seen.is_protected:
                raise
            return None
        listed = seal.open_files(push_key, sealed.files, self._url_token) if sealed.files else ()
        places = _places(seen, listed)
        ciphertext = sealed.payload if sealed.payload is not None else files.get_payload(seen.id)
        payload = seal.open_payload(push_key, ciphertext, self._url_token)
        return _Opened(payload, files.downloads(seen.id, listed, places))

    def _claim(self, seen: Push, opened: _Opened) -> Retrieved | None:
        kind = AuditKind.OWNER_VIEW if seen.is_owned_by(self._caller) else AuditKind.VIEW
        if not store.claim(seen, self._entry(kind), now=self._now):
            return None
        return Retrieved(seen.viewed(self._now), opened.payload, opened.downloads)

    def _refuse(self, seen: Push) -> None:
        # A missing passphrase is no guess, so it does not count towards the limits.
        is_recorded = self._record_guess(seen) if self._passphrase else self._record_missing_passphrase(seen)
        if is_recorded:
            raise errors.PassphraseRefused(seen)

    def _record_missing_passphrase(self, seen: Push) -> bool:
        if not seen.has_room_for_failures(MAX_MISSING_ENTRIES):
            return True
        return store.record_missing_passphrase(seen, self._entry(AuditKind.FAILED_PASSPHRASE), now=self._now)

    def _record_guess(self, seen: Push) -> bool:
        guess = self._entry(AuditKind.FAILED_PASSPHRASE) if seen.has_room_for_failures() else None
        is_end = seen.is_ended_by_guess(settings.current().max_guesses)
        return store.record_guess(seen, guess, self._entry(AuditKind.EXPIRE) if is_end else None, now=self._now)

    def _record_failed_view(self, seen: Push, sealed: seal.SealedSecret | None) -> bool:
        if seen.has_room_for_failures():
            return store.record_failed_view(seen, self._entry(AuditKind.FAILED_VIEW), destroy=sealed is not None)
        if sealed is not None:
            store.destroy(seen.id)
        return True

    def _entry(self, kind: AuditKind) -> AuditEntry:
        return AuditEntry.of(kind, self._caller, self._now)


def _places(seen: Push, listed: Sequence[File]) -> list[str] | None:
    """Where the files lie, if they came by forms: of all first views, the one write that takes effect decides."""
    stamps = seen.arrival
    if seen.awaits_files:
        store.keep_arrival(seen.id, arrivals.keep(seen.id, listed))
        kept = store.find(seen.id)
        stamps = kept.arrival if kept else None
    return arrivals.places(seen.id, stamps) if stamps else None
