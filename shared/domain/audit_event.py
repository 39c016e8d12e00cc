"""What the event bus is told of an audit entry: nothing that opens a push, and nobody's address. Pure."""

from datetime import datetime
from typing import Any, NamedTuple

VERSION = 1  # of the schema: another where something that is there now goes, or means something else
_DIGITS = 40  # that a number of a stream may have: with all of them written, text sorts as the numbers do


class Event(NamedTuple):
    """One audit entry, as docs/events.md describes it.

    `number` grows in the order in which the entries of a push were written; `entry` is what the entry is called among
    those of its push. Both are the same each time that it is told. `owner` is None for an anonymous push.
    `notify_when_viewed` is what the push said then (push.py).
    """

    number: int
    push_id: str
    entry: str
    kind: str
    owner: str | None
    created_at: datetime
    views_left: int
    notify_when_viewed: bool | None = None

    @property
    def detail(self) -> dict[str, Any]:
        """What the bus is told, as JSON."""
        # A rule cannot ask for null: CloudFormation takes no template with one.
        optional = {} if self.notify_when_viewed is None else {"notify_when_viewed": self.notify_when_viewed}
        return optional | {
            "version": VERSION,
            "number": f"{self.number:0{_DIGITS}d}",
            "push_id": self.push_id,
            "entry": self.entry,
            "kind": self.kind,
            "owner": self.owner,
            "created_at": self.created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "views_left": self.views_left,
        }
