"""What a push that is over leaves in S3: found, scheduled and removed."""

from collections.abc import Sequence

from shared.aws import files, store


def with_objects(push_ids: Sequence[str]) -> list[str]:
    """Those of up to a hundred pushes that leave something in S3, or whose record is purged already."""
    # A record may be purged before DynamoDB's TTL removes the secret. Then nobody knows, and to list S3 does no harm.
    without = {push.id for push in store.find_all(push_ids) if not push.has_objects}
    return [push_id for push_id in push_ids if push_id not in without]


def schedule_removals(push_ids: Sequence[str]) -> set[str]:
    """Have the objects of up to ten pushes removed after the queue's delay; return the ids that could not be scheduled.

    Idempotent: to schedule a push twice does no harm.
    """
    return files.schedule_removals(push_ids)


def remove_objects(push_id: str) -> None:
    """Remove everything of a push from S3. Idempotent: a push that has nothing there is fine.

    Raises: NotRemoved, when S3 refuses some of it.
    """
    files.remove_objects(push_id)
