"""Queue of removals: the last links have lapsed, so remove the objects of a push."""

from shared import removal
from shared.web import batches

handler = batches.queue(removal.remove_objects)
