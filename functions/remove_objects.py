"""Queue of removals: delete a push's S3 objects after its last download links have expired."""

from shared.service import cold_start, removal
from shared.web import batches

cold_start.make_clients("s3")

handler = batches.sqs(removal.remove_objects)
