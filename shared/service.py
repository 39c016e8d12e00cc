"""The use cases, one function each, in the specification's words; retrieve has a module of its own, `retrieval.py`.

Arguments are plain values, results are domain values, refusals are raised (`errors.py`). `now` is in UTC.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from shared import auth, byte_quotas, settings
from shared.aws import files, keys, lists, retry, store
from shared.domain import errors, seal
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.push import Created, Label, Listed, NewPush, Push, existing

# Bytes that sealed payload and file list may have in the Secrets item; all else in it has under 512. A write costs by
# the KB, so that past 8 KB in all an object in S3 is the cheaper place (docs/costs.md).
_MAX_SEALED_IN_ITEM = 8 * 1024 - 512


def create_push(
    parameters: Mapping[str, Any], caller: Caller, *, now: datetime, key: str | None = None, per_body: bool = False
) -> Created:
    """Seal and store what a sender asks for; nothing of it can be read until all of it is there.

    The order of checks is the contract's (section 3): who may push files, then the fields, then the day's quota.
    With an idempotency key (`idempotency.py`) the same request makes one push in a day, and gets the same answer each
    time. Another body under an owner's key is InvalidPush; with `per_body`, as for anonymous callers, another push.

    Raises: Unauthenticated, InvalidPush, TooLarge, QuotaSpent; then nothing is stored.
    """
    new = _new_push(parameters, caller)
    instance_key, url_token = keys.current(), seal.new_url_token()
    push = _push(new, caller.owner, url_token, now=now)
    if caller.owner is not None:
        push = _with_label(push, Label(url_token, new.name, new.note), instance_key)
    cost = settings.current().passphrase_cost
    sealed = seal.seal(new.payload, new.files, url_token, new.passphrase, instance_key, cost=cost)
    apart = _payload_apart(sealed)
    byte_quotas.spend(caller, new.files, apart, now=now)
    if apart is not None:
        files.put_payload(push.id, apart)
        sealed = replace(sealed, payload=None)
    files.put_files(push.id, new.files)
    uploads = files.uploads(push.id, new.files, now=now)
    push = replace(push, has_objects=sealed.payload is None or bool(new.files))
    store.create(push, sealed, AuditEntry.of(AuditKind.CREATION, caller, now))
    return Created(push, url_token, new, uploads)


def preview_push(url_token: str, _caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, expired or not; no view, no audit entry.

    Raises: NotFound.
    """
    return existing(store.find(seal.digest(url_token)), now)


def expire_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """End a push now, with its key and its ciphertext. Idempotent: one that is over already stays as it is.

    Raises: NotFound, Unauthenticated, Forbidden, Contended.
    """
    for _ in retry.attempts():
        push = existing(store.find(seal.digest(url_token)), now)
        if not push.may_be_expired_by(caller):
            refusal = errors.Unauthenticated if caller.owner is None else errors.Forbidden
            raise refusal(errors.ONLY_ITS_SENDER)
        if push.is_expired(now):
            if push.is_expired_by_age:
                store.destroy(push.id)
            return push
        if store.expire(push, AuditEntry.of(AuditKind.EXPIRE, caller, now), now=now):
            return push.deleted(now)
    raise errors.Contended


def active_pushes(caller: Caller, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page (from 1) of the owner's active pushes, newest first, and whether another page follows.

    Raises: Unauthenticated.
    """
    pushes, more = lists.active(auth.require_owner(caller), page, now=now)
    return _labelled(pushes), more


def expired_pushes(caller: Caller, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page (from 1) of the owner's expired pushes, last expired first, and whether another page follows.

    Raises: Unauthenticated.
    """
    owner = auth.require_owner(caller)
    # DynamoDB has `purge_at` in whole seconds, rounded up; counted back from now that means rounded down.
    since = (now - settings.current().retention(owner)).replace(microsecond=0)
    pushes, more = lists.expired(owner, page, now=now, since=since)
    return _labelled(pushes), more


def owned_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, if the caller owns it.

    Raises, checked in this order: Unauthenticated, NotFound, Forbidden.
    """
    auth.require_owner(caller)
    push = existing(store.find(seal.digest(url_token)), now)
    if not push.is_owned_by(caller):
        raise errors.Forbidden
    return push


def listed_push(push_id: str, caller: Caller, *, now: datetime) -> Listed:
    """An owner's push by its id, with its label.

    Raises: NotFound, also when it is somebody else's.
    """
    push = existing(store.find(push_id), now)
    if not push.is_owned_by(caller):
        raise errors.NotFound
    return _labelled([push])[0]


def audit_log(owned: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """A page (from 1) of the audit log, oldest entry first, and whether another page follows."""
    return lists.audit_log(owned.id, page)


def upload_origin() -> str:
    """Scheme and host that a browser brings the files of a new push to."""
    return files.upload_origin()


def keep_instance_keys() -> None:
    """Have Secrets Manager keep every version of the instance key, since each opens what it sealed. Idempotent."""
    keys.keep_versions()


def _new_push(parameters: Mapping[str, Any], caller: Caller) -> NewPush:
    from shared.domain import rules  # loaded here, since nothing else asks for them

    auth.permit_files(caller, settings.current(), wanted=rules.asks_for_files(parameters))
    return rules.new_push(parameters, settings.current())


def _push(new: NewPush, owner: str | None, url_token: str, *, now: datetime) -> Push:
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


def _with_label(push: Push, label: Label, instance_key: seal.InstanceKey) -> Push:
    return replace(push, label=seal.seal_label(label, instance_key), key_version=instance_key.version)


def _payload_apart(sealed: seal.SealedSecret) -> bytes | None:
    """The sealed payload, if the item would be too large with it."""
    size = len(sealed.payload or b"") + len(sealed.files or b"")
    return sealed.payload if size > _MAX_SEALED_IN_ITEM else None


def _labelled(pushes: Sequence[Push]) -> list[Listed]:
    apart = store.long_labels([owned.id for owned in pushes if owned.label is None])
    return [
        Listed(owned, seal.open_label(label, owned.id, keys.version(owned.key_version)))
        for owned in pushes
        if (label := owned.label or apart.get(owned.id)) and owned.key_version
    ]
