"""Stream of Secrets: after a push's secret is deleted, schedule its objects' removal and update its owner's lists."""

from shared.service import cold_start, removal
from shared.web import batches

cold_start.make_clients("sqs")

handler = batches.removal_stream(removal.select_due, removal.schedule_removals, removal.unlist)
