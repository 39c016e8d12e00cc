"""Stream of Secrets: the secrets of pushes are gone, so have their objects removed."""

from shared import events, removal

handler = events.stream(removal.with_objects, removal.schedule_removals)
