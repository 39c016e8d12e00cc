"""The use cases, one function each, in the words of the specification; retrieve has `retrieval.py` to itself.

Plain values in, domain values out, refusals raised (`errors.py`). `now` is an argument; nothing here asks the time.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from shared import auth, byte_quotas, settings
from shared.aws import files, keys, lists, retry, store
from shared.domain import errors, seal
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.push import Created, Label, Listed, NewPush, Push, existing

# Bytes of sealed payload and file list in the Secrets item; what else it holds has under 512. A write costs by the KB,
# so that past 8 KB in all an object in S3 is the cheaper place (docs/costs.md).
_MAX_SEALED_IN_ITEM = 8 * 1024 - 512


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
    store.create(made, sealed, AuditEntry.of(AuditKind.CREATION, caller, now))
    return Created(made, url_token, new, uploads)


def preview_push(url_token: str, _caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, expired or not; no view, no audit entry."""
    return existing(store.find(seal.digest(url_token)), now)


def expire_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """End a push now, with its key and its ciphertext. Nothing changes if it is over already."""
    for _ in retry.attempts():
        seen = existing(store.find(seal.digest(url_token)), now)
        if not seen.may_be_expired_by(caller):
            refusal = errors.Unauthenticated if caller.owner is None else errors.Forbidden
            raise refusal(errors.ONLY_ITS_SENDER)
        if seen.is_expired(now):
            if seen.is_expired_by_age:
                store.destroy(seen.id)
            return seen
        if store.expire(seen, AuditEntry.of(AuditKind.EXPIRE, caller, now), now=now):
            return seen.deleted(now)
    raise errors.Contended


def active_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page of the owner's active pushes, and whether another follows."""
    pushes, more = lists.active(owner, page, now=now)
    return _labelled(pushes), more


def expired_pushes(owner: str, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page of the owner's expired pushes, and whether another follows."""
    # The record's own end is kept in whole seconds, rounded up: this is the same moment, seen from the push's end.
    since = (now - settings.current().retention(owner)).replace(microsecond=0)
    pushes, more = lists.expired(owner, page, now=now, since=since)
    return _labelled(pushes), more


def owned_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, if the caller owns it: Unauthenticated, then NotFound, then Forbidden."""
    auth.require_owner(caller)
    found = existing(store.find(seal.digest(url_token)), now)
    if not found.is_owned_by(caller):
        raise errors.Forbidden
    return found


def listed_push(push_id: str, caller: Caller, *, now: datetime) -> Listed:
    """An owner's push by its id, with its label: NotFound, also when it is somebody else's."""
    found = existing(store.find(push_id), now)
    if not found.is_owned_by(caller):
        raise errors.NotFound
    return _labelled([found])[0]


def audit_log(owned: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """A page of the audit log, and whether another follows."""
    return lists.audit_log(owned.id, page)


def upload_origin() -> str:
    """Where a browser brings the files of a new push."""
    return files.upload_origin()


def keep_instance_keys() -> None:
    """Have Secrets Manager keep every version of the instance key, for what it sealed."""
    keys.keep_versions()


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


def _labelled(pushes: Sequence[Push]) -> list[Listed]:
    apart = store.long_labels([owned.id for owned in pushes if owned.label is None])
    return [
        Listed(owned, seal.open_label(label, owned.id, keys.version(owned.key_version)))
        for owned in pushes
        if (label := owned.label or apart.get(owned.id)) and owned.key_version
    ]
