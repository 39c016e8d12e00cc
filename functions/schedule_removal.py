"""Stream of Secrets: the secrets of pushes are gone, so have their objects removed."""

from shared import removal
from shared.web import batches

handler = batches.stream(removal.with_objects, removal.schedule_removals)
