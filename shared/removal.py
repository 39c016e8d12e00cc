"""What a push that is over leaves in S3: found, scheduled and removed."""

from collections.abc import Sequence

from shared.aws import files, store


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
