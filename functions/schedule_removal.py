"""Stream of Secrets: of pushes whose secrets are gone, objects are removed, and lists do without what ended by age."""

from shared.service import cold_start, removal
from shared.web import batches

cold_start.make_clients("sqs")

handler = batches.stream(removal.select_due, removal.schedule_removals, removal.unlist)
