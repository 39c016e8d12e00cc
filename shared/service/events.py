"""Publish audit entries on the event bus."""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.aws import eventbridge


def publish(entries: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
    """Publish up to ten audit entries in order; return the number of entries before the first failure.

    Each has its sequence number in the stream and its item in DynamoDB's format. An entry may be published twice with
    the same number, so that consumers can detect duplicates.
    """
    return eventbridge.put_events([eventbridge.to_event(number, image) for number, image in entries])
