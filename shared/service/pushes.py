"""The use cases for existing pushes, except for retrieve (`retrieve.py`)."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from shared.aws import backoff, files, keys, lists, reads, store
from shared.domain import access, digests, errors, seal
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.push import Listed, Push
from shared.identity import auth
from shared.runtime import deadline, settings
from shared.service import failures


def preview_push(url_token: str, *, now: datetime) -> Push:
    """Return the push with this url_token, expired or not; no view, no audit entry.

    Raises: NotFound.
    """
    return access.require_existing(reads.find(digests.digest(url_token)), now)


def check_health() -> None:
    """Health check: raises an SDK error unless the Pushes table responds."""
    reads.find(digests.digest(""))  # no url_token is empty


def find_managed(url_token: str, manage_key: str, *, now: datetime) -> Push:
    """Return the anonymous push with this url_token, expired or not, if the manage key is its own; no audit entry.

    Raises: NotFound.
    """
    push = preview_push(url_token, now=now)
    access.check_manage_key(push, manage_key)
    return push


def expire_push(url_token: str, caller: Caller, *, now: datetime, manage_key: str | None = None) -> Push:
    """End a push now and destroy its key and ciphertext. Idempotent: an expired push is unchanged.

    With a manage key, only the push's own one allows it, from any network.

    Raises: NotFound, WrongNetwork, Unauthenticated, Forbidden, Contended.
    """
    return _expire(digests.digest(url_token), caller, manage_key, now=now)


def expire_several(push_ids: Iterable[str], caller: Caller, *, now: datetime) -> tuple[int, int]:
    """End pushes of the caller, each in a write of its own; return how many are expired now, and how many are not."""
    done = failed = 0
    for push_id in push_ids:
        try:
            _expire(_find_own(push_id, caller, now=now).id, caller, None, now=now)
            done += 1
        except (errors.NotFound, errors.Contended):
            failed += 1
    return done, failed


def _expire(push_id: str, caller: Caller, manage_key: str | None, *, now: datetime) -> Push:
    for _ in backoff.attempts():
        push = access.require_existing(reads.find(push_id), now)
        if manage_key is None and access.is_elsewhere(push, caller.ip) and not push.is_owned_by(caller):
            if failures.record_wrong_network(push, caller, now=now):
                raise errors.WrongNetwork
            continue
        access.check_may_expire(push, caller, manage_key)
        if push.is_expired(now):
            # Also the leases' ciphertext, because this gateway's clock may be wrong about them.
            if push.is_expired_by_age or push.ended_while_leased:
                store.destroy(push.id)
            return push
        at = push.date_of_write(now + deadline.elapsed())
        if store.expire(push, AuditEntry.of(AuditKind.EXPIRE, caller, at), now=now):
            return push.after_delete(at)
    raise errors.Contended


def set_notices(push: Push, *, is_on: bool) -> None:
    """Switch notices for a push on or off. Idempotent.

    Raises: NotFound.
    """
    if not store.set_notify_when_viewed(push.id, is_on=is_on):
        raise errors.NotFound


def active_pushes(caller: Caller, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """Return a page (from 1) of the owner's active pushes, newest first, and whether there is a next page.

    Raises: Unauthenticated.
    """
    pushes, more = lists.active_pushes(auth.require_owner(caller), page, now=now)
    return _open_labels(pushes), more


def expired_pushes(caller: Caller, page: int, *, now: datetime) -> tuple[list[Listed], bool]:
    """Return a page (from 1) of the owner's expired pushes, last expired first, and whether there is a next page.

    Raises: Unauthenticated.
    """
    owner = auth.require_owner(caller)
    # DynamoDB stores `purge_at` in whole seconds, rounded up. Subtracted from now, that means rounding down.
    since = (now - settings.current().retention(owner)).replace(microsecond=0)
    pushes, more = lists.expired_pushes(owner, page, now=now, since=since)
    return _open_labels(pushes), more


def find_owned(url_token: str, caller: Caller, *, now: datetime) -> Push:
    """Return the push with this url_token, if the caller owns it.

    Raises, in this order: Unauthenticated, NotFound, Forbidden.
    """
    auth.require_owner(caller)
    push = access.require_existing(reads.find(digests.digest(url_token)), now)
    if not push.is_owned_by(caller):
        raise errors.Forbidden
    return push


def find_listed(push_id: str, caller: Caller, *, now: datetime) -> Listed:
    """Return an owner's push by its id, with its label.

    Raises: NotFound, also for another owner's push.
    """
    return _open_labels([_find_own(push_id, caller, now=now)])[0]


def _find_own(push_id: str, caller: Caller, *, now: datetime) -> Push:
    if not digests.is_digest(push_id):
        raise errors.NotFound
    push = access.require_existing(reads.find(push_id), now)
    if not push.is_owned_by(caller):
        raise errors.NotFound
    return push


def audit_log(owned: Push, page: int) -> tuple[list[AuditEntry], bool]:
    """Return a page (from 1) of the audit log, oldest entry first, and whether there is a next page."""
    return lists.audit_entries(owned, page)


def missing_files(listed: Listed) -> tuple[str, ...]:
    """Return the names of files not uploaded yet."""
    if not listed.push.awaits_files:
        return ()
    from shared.aws import uploads  # loaded here: few pushes await files

    arrived = uploads.uploaded_numbers(listed.push.folder)
    return tuple(name for number, name in enumerate(listed.label.filenames) if number not in arrived)


def files_origin() -> str:
    """Return scheme and host for uploads and downloads."""
    return files.origin()


def is_download_available(link: str, *, now: datetime) -> bool:
    """Return whether a download link is unexpired and its file exists."""
    return files.is_download_available(link, now=now)


def label_instance_keys() -> None:
    """Label every version of the instance key, so that Secrets Manager keeps it. Idempotent."""
    keys.label_versions()


def _open_labels(pushes: Sequence[Push]) -> list[Listed]:
    apart = reads.long_labels([owned.id for owned in pushes if owned.label is None])
    return [
        Listed(owned, seal.open_label(label, owned.id, keys.version(owned.key_version)))
        for owned in pushes
        if (label := owned.label or apart.get(owned.id)) and owned.key_version
    ]
