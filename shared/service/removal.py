"""What a push that is over leaves behind, in S3, for its leases or in a list: found, scheduled and removed."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from shared.aws import files, reads, store
from shared.domain import seal
from shared.domain.push import Push
from shared.runtime import metrics


class LeasesLive(Exception):
    """Answers of a push may still be given again; the queue's delay is longer than any lease, so this is rare."""


def select_due(changes: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Of up to a hundred pushes, the ids of those to schedule a removal for, and of those to unlist.

    `changes` has the ids whose secrets have changed, and whether each of them is gone. A push whose record is purged
    already gets a removal.
    """
    # An id that is no digest is a lease's: the template's filter keeps those away, where the emulator has filters.
    changes = {push_id: is_gone for push_id, is_gone in changes.items() if seal.is_digest(push_id)}
    pushes = {push.id: push for push in reads.find_all(list(changes))}
    leaving = [id_ for id_, is_gone in changes.items() if _needs_removal(pushes.get(id_), is_gone=is_gone)]
    # No write of ours ended these, only the clock. Their secrets go when they are over, and not before.
    return leaving, [push.id for push in pushes.values() if push.owner and push.is_expired_by_age]


def _needs_removal(push: Push | None, *, is_gone: bool) -> bool:
    # A record may be purged before DynamoDB's TTL removes the secret. Then nobody knows, and to list S3 does no harm.
    if push is None:
        return True
    # Ciphertext that a last view has left for its leases needs a removal of its own, once. Objects get one whenever the
    # secret goes: the change that scheduled the first may have been lost, or was none (a last view by 0.5.0).
    return push.has_objects or (push.ended_while_leased and not is_gone)


def schedule_removals(push_ids: Sequence[str]) -> set[str]:
    """Have the objects of up to ten pushes removed after the queue's delay; return the ids that could not be scheduled.

    Idempotent: to schedule a push twice does no harm.
    """
    return files.schedule_removals(push_ids)


def unlist(push_ids: Sequence[str]) -> None:
    """Take pushes that ended by age off their owners' lists of active ones.

    Idempotent. Until then the lists pass over them.

    Raises: TransactWriteError.
    """
    for push_id in push_ids:
        store.unlist(push_id)


def remove_objects(push_id: str, *, now: datetime) -> None:
    """Remove everything of a push from S3, and what its last view has left for its leases.

    Idempotent: a push that has nothing there is fine.

    Raises: LeasesLive, when it comes too early; NotRemoved, when S3 refuses some of it.
    """
    push = reads.find(push_id)
    if push and push.has_leases(now):
        raise LeasesLive
    store.destroy_ciphertext(push_id)
    files.remove_objects(push_id)
    # What the clock ended goes when DynamoDB's TTL comes round, days later, and that is as it should be.
    if push and not push.is_expired_by_age:
        metrics.measure("RemovalLag", (now - push.expires_at).total_seconds())
