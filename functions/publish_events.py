"""Stream of AuditEntries: every audit entry becomes an event on the bus of the stack."""

from shared.service import cold_start, events
from shared.web import batches

cold_start.make_clients("events")

handler = batches.stream_in_order(events.publish)
