"""Queue of removals: the last links have lapsed, so remove the objects of a push."""

from shared import events, service

handler = events.queue(service.remove_objects)
