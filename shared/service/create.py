"""Create a push, once per idempotency key.

With an idempotency key, the url_token is derived from it (`domain/idempotency.py`). So one conditional write decides
which of several repeats creates the push, and all of them can return the same response.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from shared.aws import files, keys, new_pushes, reads
from shared.domain import errors, idempotency, manage_key, owners, rules, seal, url_tokens
from shared.domain.ask import Answered
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.file import Upload
from shared.domain.idempotency import Name
from shared.domain.new_push import Created, NewPush
from shared.domain.push import Label, Push
from shared.domain.sentence import Sentence
from shared.identity import auth
from shared.runtime import metrics, settings
from shared.service import byte_quotas

# Maximum bytes of payload and file list in the Secrets item, leaving 512 for the rest. Writes are priced per KB; above
# 4 KB in total, an object in S3 is cheaper (docs/costs.md).
_MAX_SEALED_IN_ITEM = 4 * 1024 - 512
_ATTEMPT_BYTES = 6
_OTHER_BODY = Sentence("was already used for another push: use a new key")


def create_push(
    parameters: Mapping[str, Any], caller: Caller, *, now: datetime, key: str | None = None, per_body: bool = False
) -> Created:
    """Seal and store a new push; it becomes readable only when it is complete.

    Checks in the contract's order (section 3): permission to push files, the fields, the daily quota.

    `key` is the idempotency key. With it, all repeats of a request within a day create one push and return the same
    response. If an owner repeats a key with a different body, InvalidPush is raised. With `per_body`, and for anonymous
    callers, a different body creates another push instead.

    Raises: Unauthenticated, InvalidPush, TooLarge, QuotaSpent, without storing anything; Contended.
    """
    new = _new_push(parameters, caller)
    if key is None:
        names = [Name(url_tokens.new_url_token(), manage_key=manage_key.new_key() if caller.owner is None else None)]
    else:
        names = candidate_names(new, key, caller.owner, is_bound=per_body or caller.owner is None, now=now)
        # An early check, before any cost; the write below decides.
        if twin := find_twin(new, names, caller.owner, now=now):
            return twin
    created = create_named(new, names, caller, now=now) or find_twin(new, names, caller.owner, now=now)
    if created is None:
        raise errors.Contended
    return created


def _new_push(parameters: Mapping[str, Any], caller: Caller) -> NewPush:
    if settings.current().file_authentication and rules.asks_for_files(parameters):
        auth.require_owner(caller)
    return rules.new_push(
        parameters,
        settings.current(),
        is_owned=caller.owner is not None,
        has_account=owners.account_sub(caller.owner or "") is not None,
    )


def candidate_names(new: NewPush, key: str, owner: str | None, *, is_bound: bool, now: datetime) -> list[Name]:
    """Return the names under which a create with this idempotency key may be stored.

    A name depends on the day: today's is first, then those of other days on which an earlier attempt may have arrived.
    `is_bound` is true if the url_token depends on the body.
    """
    names, days = [], idempotency.possible_days(now)
    for day, instance_key in zip(days, keys.of_days(days), strict=True):
        mac = idempotency.body_mac(new, key, instance_key)
        url_token = idempotency.url_token(key, owner, mac if is_bound else b"", day, instance_key)
        own_key = manage_key.derive_key(url_token, instance_key.material) if owner is None else None
        names.append(Name(url_token, None if is_bound else mac, own_key))
    return names


def find_twin(new: NewPush, names: Sequence[Name], owner: str | None, *, now: datetime) -> Created | None:
    """Return the response to an earlier request with the same idempotency key; None if there was none.

    Raises: InvalidPush, if it had a different body.
    """
    stored = reads.find_all([name.id for name in names])
    found = idempotency.find_twin(names, stored, now=now, if_different=_OTHER_BODY)
    if found is None:
        return None
    name, push = found
    uploads = () if push.is_expired(now) else _upload_forms(push, new, now=now)
    as_created = _build_push(new, owner, name, now=push.created_at)
    return Created(as_created, name.token, new, uploads, name.manage_key if push.manage_digest else None)


def create_named(
    new: NewPush, names: Sequence[Name], caller: Caller, *, now: datetime, answered: Answered | None = None
) -> Created | None:
    """Create the push; return None if a repeat of the request created it first.

    An answer to an ask belongs to the asker, whose quota has counted its bytes already. Also returns None if the ask
    does not accept it.
    """
    name, *twins = names
    instance_key = keys.current()
    push = _labelled_push(new, name, caller, instance_key, answered, now=now)
    cost, file_list = settings.current().passphrase_cost, [file.as_file for file in new.files]
    sealed = seal.seal(new.payload, file_list, name.token, new.passphrase, instance_key, cost=cost)
    sealed, apart = _split_large(sealed)
    if answered is None:
        byte_quotas.spend(caller, new.files, apart.get(files.PAYLOAD), now=now)
    entries = [AuditEntry.of(AuditKind.CREATION, caller, now)._replace(ask_id=push.ask_id)]
    if new.mailing:
        from shared.service import mailing  # loaded here: few creates send mails

        mailing.spend(caller, new.mailing, now=now)
        entries.append(AuditEntry.of_mailing(new.mailing, caller, now))
    if apart or new.files:
        push = push._replace(has_objects=True, attempt=secrets.token_hex(_ATTEMPT_BYTES))
    for which, ciphertext in apart.items():
        files.put_sealed(push.folder, which, ciphertext)
    files.put_files(push.folder, new.files)
    uploads = _upload_forms(push, new, now=now)
    if not new_pushes.create(push, sealed, entries, [twin.id for twin in twins], answered):
        return None
    metrics.count("Created")
    return Created(push, name.token, new, uploads, name.manage_key)


def _labelled_push(
    new: NewPush,
    name: Name,
    caller: Caller,
    instance_key: seal.InstanceKey,
    answered: Answered | None,
    *,
    now: datetime,
) -> Push:
    """Return the push to store; an owned one has a label, and an answer the id of its ask."""
    push = _build_push(new, answered.ask.owner if answered else caller.owner, name, now=now)
    if new.notify_when_viewed is None and caller.notify_when_viewed and settings.current().mails_links:
        push = push._replace(notify_when_viewed=True)
    if answered:
        push = push._replace(ask_id=answered.ask.id)
    if push.owner is None:
        return push
    label = Label(name.token, new.name, new.note, _pending_filenames(new))
    return push._replace(label=seal.seal_label(label, instance_key), key_version=instance_key.version)


def _build_push(new: NewPush, owner: str | None, name: Name, *, now: datetime) -> Push:
    expires_at = now + new.lifetime
    return Push(
        id=name.id,
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
        awaits_files=bool(_pending_filenames(new)),
        body_mac=name.body_mac,
        mailed=len(new.mailing.recipients) if new.mailing else None,
        notify_when_viewed=new.notify_when_viewed,
        networks=new.networks,
        sealed_key_id=new.sealed_key_id,
        manage_digest=manage_key.digest(name.manage_key) if name.manage_key else None,
    )


def _pending_filenames(new: NewPush) -> tuple[str, ...]:
    """Return all filenames while any file awaits its upload, otherwise none."""
    return tuple(file.filename for file in new.files) if any(file.content is None for file in new.files) else ()


def _upload_forms(push: Push, new: NewPush, *, now: datetime) -> tuple[Upload, ...]:
    if not _pending_filenames(new):
        return ()
    from shared.aws import uploads  # loaded here: few creates await files

    return uploads.forms(push.folder, new.files, now=now)


def _split_large(sealed: seal.SealedSecret) -> tuple[seal.SealedSecret, dict[str, bytes]]:
    """Return the secret for the item, and the ciphertexts too large for it, by the names of their S3 objects."""
    apart, payload, file_list = {}, sealed.payload, sealed.files
    if payload and len(payload) + len(file_list or b"") > _MAX_SEALED_IN_ITEM:
        apart[files.PAYLOAD], payload = payload, None
    if file_list and len(file_list) > _MAX_SEALED_IN_ITEM:
        apart[files.FILE_LIST], file_list = file_list, b""
    return sealed._replace(payload=payload, files=file_list), apart
