"""Stream of Secrets: the secrets of pushes are gone, so have their objects removed."""

from shared import cold_start, removal
from shared.web import batches

cold_start.make_clients("sqs")

handler = batches.stream(removal.with_objects, removal.schedule_removals)
