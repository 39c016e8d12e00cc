"""Stream of Secrets: the secret of a push is gone, so have its objects removed."""

from shared import events, service

handler = events.stream(service.schedule_removal)
