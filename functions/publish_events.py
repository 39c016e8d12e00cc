"""Stream of AuditEntries: publish each audit entry as an event on the stack's bus."""

from shared.service import cold_start, events
from shared.web import batches

cold_start.make_clients("events")

handler = batches.stream_in_order(events.publish)
