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
    """One caller's retrieve, over all its attempts: the push is opened, or the passphrase refused, only once."""

    def __init__(self, url_token: str, passphrase: str, caller: Caller, now: datetime) -> None:
        self._url_token = url_token
        self._passphrase = passphrase
        self._caller = caller
        self._now = now
        self._opened: _Opened | None = None
        self._is_refused = False

    def attempt(self) -> Retrieved | None:
        """One read and one write; None when another write came between the two, so that both must be done again.

        Raises: what `retrieve_push` does.
        """
        record, sealed = store.load(seal.digest(self._url_token))
        push = existing(record, self._now)
        if push.is_expired(self._now):
            return Retrieved(push, None, self._now) if self._record_failed_view(push, sealed) else None
        if sealed is None:  # The last view was claimed between the two reads.
            return None
        if wait := push.retry_after(self._now):
            raise errors.TooManyAttempts(wait, push)
        if not (self._opened or self._is_refused):
            self._opened = self._open(push, sealed)
            self._is_refused = self._opened is None
        if deadline.left() < retry.RESERVE:
            raise errors.Contended
        if self._opened:
            return self._claim(push, self._opened)
        self._refuse(push)
        return None

    def _open(self, push: Push, sealed: seal.SealedSecret) -> _Opened | None:
        """Everything that the recipient gets, None when the passphrase is missing or wrong."""
        if push.is_protected and not self._passphrase:
            return None
        try:
            push_key = seal.unwrap(sealed, self._url_token, self._passphrase, keys.version(sealed.key_version))
        except seal.CannotOpen:
            if not push.is_protected:
                raise
            return None
        file_list = seal.open_files(push_key, sealed.files, self._url_token) if sealed.files else ()
        places = _places(push, file_list)
        ciphertext = sealed.payload if sealed.payload is not None else files.get_payload(push.id)
        payload = seal.open_payload(push_key, ciphertext, self._url_token)
        return _Opened(payload, files.downloads(push.id, file_list, places))

    def _claim(self, push: Push, opened: _Opened) -> Retrieved | None:
        kind = AuditKind.OWNER_VIEW if push.is_owned_by(self._caller) else AuditKind.VIEW
        if not store.claim(push, self._entry(kind), now=self._now):
            return None
        return Retrieved(push.viewed(self._now), opened.payload, self._now, opened.downloads)

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
        if push.has_room_for_failures():
            return store.record_failed_view(push, self._entry(AuditKind.FAILED_VIEW), destroy=sealed is not None)
        if sealed is not None:
            store.destroy(push.id)
        return True

    def _entry(self, kind: AuditKind) -> AuditEntry:
        return AuditEntry.of(kind, self._caller, self._now)


def _places(push: Push, file_list: Sequence[File]) -> list[str] | None:
    """Where the files lie, None for files that came with the request.

    Of several first views at once, the one whose write takes effect decides for all of them.
    """
    stamps = push.arrival
    if push.awaits_files:
        store.keep_arrival(push.id, arrivals.keep(push.id, file_list))
        settled = store.find(push.id)
        stamps = settled.arrival if settled else None
    return arrivals.places(push.id, stamps) if stamps else None
