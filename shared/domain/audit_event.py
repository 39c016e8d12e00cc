"""Events for the event bus, one per audit entry. They contain no secret and no address. Pure."""

from datetime import datetime
from typing import Any, NamedTuple

VERSION = 1  # of the schema; increased when a field is removed or changes its meaning
_DIGITS = 40  # the maximum for a stream's sequence number; padded to this length, numbers sort correctly as text


class Event(NamedTuple):
    """One audit entry as an event (docs/events.md).

    `number` increases with each entry of a push. `entry` is unique within the push. Both stay the same when an event is
    sent again. `owner` is None for an anonymous push. `notify_when_viewed` is the push's value at that time (push.py).
    `ask_id` is the id of the ask that a new push answers.
    """

    number: int
    push_id: str
    entry: str
    kind: str
    owner: str | None
    created_at: datetime
    views_left: int
    notify_when_viewed: bool | None = None
    ask_id: str | None = None

    @property
    def detail(self) -> dict[str, Any]:
        """Return the event's `detail`, ready for JSON."""
        # Left out when None: CloudFormation rejects event patterns with null, so no rule could match it.
        optional = {"notify_when_viewed": self.notify_when_viewed, "ask_id": self.ask_id}
        return {name: value for name, value in optional.items() if value is not None} | {
            "version": VERSION,
            "number": f"{self.number:0{_DIGITS}d}",
            "push_id": self.push_id,
            "entry": self.entry,
            "kind": self.kind,
            "owner": self.owner,
            "created_at": self.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "views_left": self.views_left,
        }
