"""Queue of removals: the last links have lapsed, so remove the objects of a push."""

from shared.service import cold_start, removal
from shared.web import batches

cold_start.make_clients("s3")

handler = batches.sqs(removal.remove_objects)
