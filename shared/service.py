"""The use cases, one function each, in the words of the specification.

Plain values in, domain values out, refusals raised (`errors.py`). `now` is an argument; nothing here asks the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared import arrivals, auth, byte_quotas, deadline, errors, files, keys, seal, settings, store, tries
from shared.push import (
    MAX_MISSING_ENTRIES,
    AuditEntry,
    AuditKind,
    Caller,
    Created,
    Download,
    File,
    Label,
    Listed,
    NewPush,
    Push,
    Retrieved,
)

# Bytes of sealed payload and file list in the Secrets item; what else it holds has under 512. A write costs by the KB,
# so that past 8 KB in all an object in S3 is the cheaper place (docs/costs.md).
_MAX_SEALED_IN_ITEM = 8 * 1024 - 512


@dataclass(frozen=True)
class _Opened:
    """Everything that a recipient gets, before the view is claimed."""

    payload: str = field(repr=False)
    downloads: tuple[Download, ...]


def create_push(new: NewPush, caller: Caller, *, now: datetime) -> Created:
    """Seal and store a push; nothing of it can be read until all of it is there.

    Raises: QuotaSpent, before anything is stored.
    """
    chosen, instance_key, url_token = settings.current(), keys.current(), seal.new_url_token()
    made = _made(new, caller.owner, url_token, now=now)
    if caller.owner is not None:
        label = seal.seal_label(Label(url_token, new.name, new.note), instance_key)
        made = replace(made, label=label, key_version=instance_key.version)
    cost = chosen.passphrase_cost
    sealed = seal.seal(new.payload, new.files, url_token, new.passphrase, instance_key, cost=cost)
    apart = _payload_apart(sealed)
    byte_quotas.spend(caller, new.files, apart, now=now)
    if apart is not None:
        files.put_payload(made.id, apart)
        sealed = replace(sealed, payload=None)
    files.put_files(made.id, new.files)
    uploads = files.uploads(made.id, new.files, now=now)
    made = replace(made, has_objects=sealed.payload is None or bool(new.files))
    store.create(made, sealed, _entry(AuditKind.CREATION, caller, now))
    return Created(made, url_token, new, uploads)


def retrieve_push(url_token: str, passphrase: str, caller: Caller, *, now: datetime) -> Retrieved:
    """Hand over the payload and count the view; the secret is in hand before the view is claimed.

    Nothing is claimed with too little time left to answer: a view that nobody gets would be lost.

    NotFound, PassphraseRefused, TooManyAttempts, FilesMissing, FilesReplaced; an expired push is no error but one
    without a payload.
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
            auth.require_owner(caller)
            raise errors.Forbidden
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


def with_objects(push_ids: Sequence[str]) -> list[str]:
    """Those of the pushes that leave something in S3, as far as can be told."""
    # A record may be purged before DynamoDB gets round to the secret; then nobody knows, and a look does no harm.
    without = {found.id for found in store.find_all(push_ids) if not found.has_objects}
    return [push_id for push_id in push_ids if push_id not in without]


def schedule_removals(push_ids: Sequence[str]) -> set[str]:
    """The secrets of these pushes are gone: have what they leave in S3 removed. Gives those that were not scheduled."""
    return files.schedule_removals(push_ids)


def remove_objects(push_id: str) -> None:
    """Remove everything of a push from S3."""
    files.remove_objects(push_id)


def keep_instance_keys() -> None:
    """Have Secrets Manager keep every version of the instance key, for what it sealed."""
    keys.keep_versions()


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


def _payload_apart(sealed: seal.SealedSecret) -> bytes | None:
    """The sealed payload, if it makes the item too large to be kept there."""
    held = len(sealed.payload or b"") + len(sealed.files or b"")
    return sealed.payload if held > _MAX_SEALED_IN_ITEM else None


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
    places = _places(seen, listed)
    ciphertext = sealed.payload if sealed.payload is not None else files.get_payload(seen.id)
    return _Opened(seal.open_payload(push_key, ciphertext, url_token), files.downloads(seen.id, listed, places))


def _places(seen: Push, listed: Sequence[File]) -> list[str] | None:
    """Where the files lie, if they came by forms: of all first views, the one write that takes effect decides."""
    stamps = seen.arrival
    if seen.awaits_files:
        store.keep_arrival(seen.id, arrivals.keep(seen.id, listed))
        kept = store.find(seen.id)
        stamps = kept.arrival if kept else None
    return arrivals.places(seen.id, stamps) if stamps else None


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
    apart = store.long_labels([owned.id for owned in pushes if owned.label is None])
    return [
        Listed(owned, seal.open_label(label, owned.id, keys.version(owned.key_version)))
        for owned in pushes
        if (label := owned.label or apart.get(owned.id)) and owned.key_version
    ]


def _entry(kind: AuditKind, caller: Caller, now: datetime) -> AuditEntry:
    return AuditEntry(kind, caller.ip, caller.user_agent, caller.referrer, now)
