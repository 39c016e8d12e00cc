"""Cleanup after a push has expired: ciphertext of leases, S3 objects, and the list of active pushes."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from shared.aws import files, reads, store
from shared.domain import digests
from shared.domain.push import Push
from shared.runtime import metrics


class LeasesLive(Exception):
    """Leases of the push are still active; rare, because the queue's delay is longer than any lease."""


def select_due(changes: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Return two lists: the ids of pushes whose objects must be removed, and the ids of pushes to `unlist`.

    `changes` has up to 100 ids of pushes whose secret has changed, and for each whether the secret is gone. If the
    push's record is gone already, its objects must be removed, too.
    """
    # Ignore leases, whose ids are no digests. The template's filter excludes them, but not every emulator filters.
    changes = {push_id: is_gone for push_id, is_gone in changes.items() if digests.is_digest(push_id)}
    pushes = {push.id: push for push in reads.find_all(list(changes))}
    leaving = [id_ for id_, is_gone in changes.items() if _needs_removal(pushes.get(id_), is_gone=is_gone)]
    # These expired by time, without a write. Their secrets are removed only afterwards.
    return leaving, [push.id for push in pushes.values() if push.owner and push.is_expired_by_age]


def _needs_removal(push: Push | None, *, is_gone: bool) -> bool:
    # The record may be purged before DynamoDB's TTL removes the secret. Then schedule a removal to be safe.
    if push is None:
        return True
    # Ciphertext kept for leases needs one removal. Objects get one whenever the secret is gone, because an earlier
    # change may have been lost.
    return push.has_objects or (push.ended_while_leased and not is_gone)


def schedule_removals(push_ids: Sequence[str]) -> set[str]:
    """Queue the removal of up to ten pushes' objects; return the ids that could not be queued.

    Idempotent: queueing a push twice is harmless.
    """
    return files.schedule_removals(push_ids)


def unlist(push_ids: Sequence[str]) -> None:
    """Remove pushes expired by time from their owners' lists of active pushes.

    Idempotent. Until then, the lists filter them out.

    Raises: ClientError.
    """
    for push_id in push_ids:
        store.unlist(push_id)


def remove_objects(push_id: str, *, now: datetime) -> None:
    """Remove a push's objects from S3, and its ciphertext kept for leases.

    Idempotent.

    Raises: LeasesLive, if leases are still active; NotRemoved, if S3 fails to delete some objects.
    """
    push = reads.find(push_id)
    if push and push.has_leases(now):
        raise LeasesLive
    store.destroy_ciphertext(push_id)
    files.remove_objects(push_id)
    # Not measured for pushes expired by time: DynamoDB's TTL removes those days later, as expected.
    if push and not push.is_expired_by_age:
        metrics.measure("RemovalLag", (now - push.expires_at).total_seconds())
