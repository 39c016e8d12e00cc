"""Tell the event bus of every audit entry."""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.aws import eventbridge


def publish(entries: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
    """Publish up to ten audit entries in order; return how many were, before the first that was not.

    Each is a number of the stream's and an item as DynamoDB writes it. An entry may be published twice, with the same
    number: whoever listens can tell.
    """
    return eventbridge.put_events([eventbridge.to_event(number, image) for number, image in entries])
