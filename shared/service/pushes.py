"""The use cases, one function each, in the specification's words.

Create and retrieve have modules of their own, `create.py` and `retrieve.py`.

Arguments are plain values, results are domain values, refusals are raised (`errors.py`). `now` is in UTC.
"""

from collections.abc import Sequence
from datetime import datetime

from shared.aws import backoff, files, keys, lists, reads, store, uploads
from shared.domain import access, errors, seal
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.push import Listed, Push
from shared.identity import auth
from shared.runtime import deadline, settings


def preview_push(url_token: str, *, now: datetime) -> Push:
    """The push behind a url_token, expired or not; no view, no audit entry.

    Raises: NotFound.
    """
    return access.require_existing(reads.find(seal.digest(url_token)), now)


def check_health() -> None:
    """Read from the table of pushes, for whoever asks whether it can be reached.

    Raises: whatever keeps it from answering.
    """
    reads.find(seal.digest(""))  # no url_token is empty


def expire_push(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """End a push now, with its key and its ciphertext. Idempotent: one that is over already stays as it is.

    Raises: NotFound, Unauthenticated, Forbidden, Contended.
    """
    for _ in backoff.attempts():
        push = access.require_existing(reads.find(seal.digest(url_token)), now)
        access.check_may_expire(push, caller)
        if push.is_expired(now):
            # Of leases too, whether or not they live by this gateway's clock.
            if push.is_expired_by_age or push.ended_while_leased:
                store.destroy(push.id)
            return push
        at = push.date_of_write(now + deadline.elapsed())
        if store.expire(push, AuditEntry.of(AuditKind.EXPIRE, caller, at), now=now):
            return push.after_delete(at)
    raise errors.Contended


def set_notices(push: Push, *, is_on: bool) -> None:
    """Say whether the owner of a push hears of its views by mail. Idempotent.

    Raises: NotFound.
    """
    if not store.set_notify_when_viewed(push.id, is_on=is_on):
        raise errors.NotFound


def active_pushes(caller: Caller, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page (from 1) of the owner's active pushes, newest first, and whether another page follows.

    Raises: Unauthenticated.
    """
    pushes, more = lists.active_pushes(auth.require_owner(caller), page, now=now)
    return _open_labels(pushes), more


def expired_pushes(caller: Caller, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """A page (from 1) of the owner's expired pushes, last expired first, and whether another page follows.

    Raises: Unauthenticated.
    """
    owner = auth.require_owner(caller)
    # DynamoDB has `purge_at` in whole seconds, rounded up; counted back from now that means rounded down.
    since = (now - settings.current().retention(owner)).replace(microsecond=0)
    pushes, more = lists.expired_pushes(owner, page, now=now, since=since)
    return _open_labels(pushes), more


def find_owned(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """The push behind a url_token, if the caller owns it.

    Raises, checked in this order: Unauthenticated, NotFound, Forbidden.
    """
    auth.require_owner(caller)
    push = access.require_existing(reads.find(seal.digest(url_token)), now)
    if not push.is_owned_by(caller):
        raise errors.Forbidden
    return push


def find_listed(push_id: str, caller: Caller, *, now: datetime) -> Listed:
    """An owner's push by its id, with its label.

    Raises: NotFound, also when it is somebody else's.
    """
    push = access.require_existing(reads.find(push_id), now)
    if not push.is_owned_by(caller):
        raise errors.NotFound
    return _open_labels([push])[0]


def audit_log(owned: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """A page (from 1) of the audit log, oldest entry first, and whether another page follows."""
    return lists.audit_entries(owned, page)


def missing_files(listed: Listed) -> tuple[str, ...]:
    """The names of the files that a push still awaits."""
    if not listed.push.awaits_files:
        return ()
    arrived = uploads.uploaded_numbers(listed.push.folder)
    return tuple(name for number, name in enumerate(listed.label.filenames) if number not in arrived)


def files_origin() -> str:
    """Scheme and host that a browser brings files to, and has them from."""
    return files.origin()


def is_download_available(link: str, *, now: datetime) -> bool:
    """Whether a link to a file, as a view gave it, works on and leads to a file."""
    return files.is_download_available(link, now=now)


def label_instance_keys() -> None:
    """Have Secrets Manager keep every version of the instance key, since each opens what it sealed. Idempotent."""
    keys.label_versions()


def _open_labels(pushes: Sequence[Push]) -> list[Listed]:
    apart = reads.long_labels([owned.id for owned in pushes if owned.label is None])
    return [
        Listed(owned, seal.open_label(label, owned.id, keys.version(owned.key_version)))
        for owned in pushes
        if (label := owned.label or apart.get(owned.id)) and owned.key_version
    ]
