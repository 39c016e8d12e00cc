"""Queue of removals: the last links have lapsed, so remove the objects of a push."""

from shared import events, removal

handler = events.queue(removal.remove_objects)
