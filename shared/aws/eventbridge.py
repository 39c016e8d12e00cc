"""Send audit entries from the table's stream to the event bus."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from shared.aws import clients, items
from shared.aws.tables import AuditEntries
from shared.domain.audit_event import Event
from shared.runtime import settings

_SOURCE, _DETAIL_TYPE = "secret-sharing", "Audit entry"


def to_event(number: str, image: Mapping[str, Any]) -> Event:
    """Return the event for an entry, from its sequence number and the item in DynamoDB's format."""
    entry = items.from_item(AuditEntries, image)
    fields = ("push_id", "at", "kind", "owner", "created_at", "views_left", "notify_when_viewed", "ask_id")
    return Event(int(number), *(entry[name] for name in fields))


def put_events(events: Sequence[Event]) -> int:
    """Send up to ten events in order; return the number of events before the first failure.

    EventBridge responds with 200 even if some fail, and may have accepted later ones.
    """
    answer = clients.client("events").put_events(Entries=[_entry(event) for event in events])
    refused = [number for number, entry in enumerate(answer["Entries"]) if "ErrorCode" in entry]
    return min(refused, default=len(events))


def _entry(event: Event) -> dict[str, Any]:
    return {
        "EventBusName": settings.current().event_bus,
        "Source": _SOURCE,
        "DetailType": _DETAIL_TYPE,
        "Time": event.created_at,
        "Detail": json.dumps(event.detail),
    }
