"""The use cases, one function each, in the words of the specification.

Plain values in, domain values out, refusals raised (`errors.py`). `now` is an argument; nothing here asks the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared import auth, deadline, errors, files, keys, seal, settings, store, tries
from shared.push import (
    MAX_MISSING_ENTRIES,
    AuditEntry,
    AuditKind,
    Caller,
    Created,
    Download,
    Label,
    Listed,
    NewPush,
    Push,
    Retrieved,
)

# A DynamoDB item holds 400 KB; more than this goes to S3.
_MAX_ITEM_PAYLOAD = 300 * 1024


@dataclass(frozen=True)
class _Opened:
    """Everything that a recipient gets, before the view is claimed."""

    payload: str = field(repr=False)
    downloads: tuple[Download, ...]


def create_push(new: NewPush, caller: Caller, *, now: datetime) -> Created:
    """Seal and store a push; nothing of it can be read until all of it is there."""
    chosen, instance_key, url_token = settings.current(), keys.current(), seal.new_url_token()
    made = _made(new, caller.owner, url_token, now=now)
    if caller.owner is not None:
        label = seal.seal_label(Label(url_token, new.name, new.note), instance_key)
        made = replace(made, label=label, key_version=instance_key.version)
    cost = chosen.passphrase_cost
    sealed = seal.seal(new.payload, new.files, url_token, new.passphrase, instance_key, cost=cost)
    if sealed.payload and len(sealed.payload) > _MAX_ITEM_PAYLOAD:
        files.put_payload(made.id, sealed.payload)
        sealed = replace(sealed, payload=None)
    files.put_files(made.id, new.files)
    uploads = files.uploads(made.id, new.files, now=now)
    made = replace(made, has_objects=sealed.payload is None or bool(new.files))
    store.create(made, sealed, _entry(AuditKind.CREATION, caller, now))
    return Created(made, url_token, new, uploads)


def retrieve_push(url_token: str, passphrase: str, caller: Caller, *, now: datetime) -> Retrieved:
    """Hand over the payload and count the view; the secret is in hand before the view is claimed.

    Nothing is claimed with too little time left to answer: a view that nobody gets would be lost.

    NotFound, PassphraseRefused, TooManyAttempts, FilesMissing; an expired push is no error but one without a payload.
    """
    opened: _Opened | errors.PassphraseRefused | None = None
    for _ in tries.attempts():
        found, sealed = store.load(seal.digest(url_token))
        seen = _existing(found, now)
        if seen.is_expired(now):
            if _record_failed_view(seen, sealed, _entry(AuditKind.FAILED_VIEW, caller, now)):
                return Retrieved(seen, None)
        elif sealed is not None:  # It is None when the last view was claimed between the two reads.
            if wait := seen.retry_after(now):
                raise errors.TooManyAttempts(wait)
            opened = opened or _open(seen, sealed, url_token, passphrase)
            if deadline.left() < tries.RESERVE:
                break
            if result := _settle(seen, opened, passphrase, caller, now=now):
                return result
    raise errors.Contended


def preview_push(url_token: str, _caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, expired or not; no view, no audit entry."""
    return _existing(store.find(seal.digest(url_token)), now)


def expire_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """End a push now, with its key and its ciphertext. Nothing changes if it is over already."""
    for _ in tries.attempts():
        seen = _existing(store.find(seal.digest(url_token)), now)
        if not seen.may_be_expired_by(caller):
            refusal = errors.Unauthenticated if caller.owner is None else errors.Forbidden
            raise refusal(errors.ONLY_ITS_SENDER)
        if seen.is_expired(now):
            if seen.is_expired_by_age:
                store.destroy(seen.id)
            return seen
        if store.expire(seen, _entry(AuditKind.EXPIRE, caller, now), now=now):
            return seen.deleted(now)
    raise errors.Contended


def active_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page of the owner's active pushes, and whether another follows."""
    pushes, more = store.active(owner, page, now=now)
    return _labelled(pushes), more


def expired_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page of the owner's expired pushes, and whether another follows."""
    # The record's own end is kept in whole seconds, rounded up: this is the same moment, seen from the push's end.
    since = (now - settings.current().retention(owner)).replace(microsecond=0)
    pushes, more = store.expired(owner, page, now=now, since=since)
    return _labelled(pushes), more


def owned_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, if the caller owns it: Unauthenticated, then NotFound, then Forbidden."""
    auth.require_owner(caller)
    found = _existing(store.find(seal.digest(url_token)), now)
    if not found.is_owned_by(caller):
        raise errors.Forbidden
    return found


def listed_push(push_id: str, caller: Caller, *, now: datetime) -> Listed:
    """An owner's push by its id, with its label: NotFound, also when it is somebody else's."""
    found = _existing(store.find(push_id), now)
    if not found.is_owned_by(caller):
        raise errors.NotFound
    return _labelled([found])[0]


def audit_log(owned: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """A page of the audit log, and whether another follows."""
    return store.audit_log(owned.id, page)


def schedule_removal(push_id: str) -> None:
    """The secret of a push is gone: have what it leaves in S3 removed, if it leaves anything."""
    over = store.find(push_id)
    # The record may be purged before DynamoDB gets round to the secret; then nobody knows, and a look does no harm.
    if over is None or over.has_objects:
        files.schedule_removal(push_id)


def remove_objects(push_id: str) -> None:
    """Remove everything of a push from S3."""
    files.remove_objects(push_id)


def _existing(found: Push | None, now: datetime) -> Push:
    if found is None or found.is_purged(now):
        raise errors.NotFound
    return found


def _made(new: NewPush, owner: str | None, url_token: str, *, now: datetime) -> Push:
    expires_at = now + new.lifetime
    return Push(
        id=seal.digest(url_token),
        owner=owner,
        kind=new.kind,
        created_at=now,
        updated_at=now,
        expires_at=expires_at,
        purge_at=expires_at + settings.current().retention(owner),
        expire_after_days=new.expire_after_days,
        expire_after_views=new.expire_after_views,
        deletable_by_viewer=new.deletable_by_viewer,
        retrieval_step=new.retrieval_step,
        is_protected=new.passphrase is not None,
        awaits_files=any(file.content is None for file in new.files),
    )


def _open(seen: Push, sealed: seal.SealedSecret, url_token: str, passphrase: str) -> _Opened | errors.PassphraseRefused:
    if seen.is_protected and not passphrase:
        return errors.PassphraseRefused()
    try:
        push_key = seal.unwrap(sealed, url_token, passphrase, keys.version(sealed.key_version))
    except seal.CannotOpen:
        if not seen.is_protected:
            raise
        return errors.PassphraseRefused()
    listed = seal.open_files(push_key, sealed.files, url_token) if sealed.files else ()
    if seen.awaits_files and not files.have_arrived(seen.id, listed):
        raise errors.FilesMissing
    ciphertext = sealed.payload if sealed.payload is not None else files.get_payload(seen.id)
    return _Opened(seal.open_payload(push_key, ciphertext, url_token), files.downloads(seen.id, listed))


def _settle(
    seen: Push, opened: _Opened | errors.PassphraseRefused, passphrase: str, caller: Caller, *, now: datetime
) -> Retrieved | None:
    """Count the view, or the failure; None when somebody else wrote first."""
    if isinstance(opened, errors.PassphraseRefused):
        record = _record_guess if passphrase else _record_missing_passphrase
        if record(seen, caller, now):
            raise opened
        return None
    kind = AuditKind.OWNER_VIEW if seen.is_owned_by(caller) else AuditKind.VIEW
    if not store.claim(seen, _entry(kind, caller, now), now=now):
        return None
    return Retrieved(seen.viewed(now), opened.payload, opened.downloads)


def _record_missing_passphrase(seen: Push, caller: Caller, now: datetime) -> bool:
    if not seen.has_room_for_failures(MAX_MISSING_ENTRIES):
        return True
    return store.record_missing_passphrase(seen, _entry(AuditKind.FAILED_PASSPHRASE, caller, now), now=now)


def _record_guess(seen: Push, caller: Caller, now: datetime) -> bool:
    guess = _entry(AuditKind.FAILED_PASSPHRASE, caller, now) if seen.has_room_for_failures() else None
    is_end = seen.is_ended_by_guess(settings.current().max_guesses)
    return store.record_guess(seen, guess, _entry(AuditKind.EXPIRE, caller, now) if is_end else None, now=now)


def _record_failed_view(seen: Push, sealed: seal.SealedSecret | None, entry: AuditEntry) -> bool:
    if seen.has_room_for_failures():
        return store.record_failed_view(seen, entry, destroy=sealed is not None)
    if sealed is not None:
        store.destroy(seen.id)
    return True


def _labelled(pushes: Sequence[Push]) -> list[Listed]:
    return [
        Listed(owned, seal.open_label(owned.label, owned.id, keys.version(owned.key_version)))
        for owned in pushes
        if owned.label and owned.key_version
    ]


def _entry(kind: AuditKind, caller: Caller, now: datetime) -> AuditEntry:
    return AuditEntry(kind, caller.ip, caller.user_agent, caller.referrer, now)
