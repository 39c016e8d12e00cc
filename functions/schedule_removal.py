"""Stream of Secrets: the secrets of pushes are gone, so have their objects removed."""

from shared import events, service

handler = events.stream(service.with_objects, service.schedule_removals)
