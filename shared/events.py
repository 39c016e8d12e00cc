"""The other edge: batches of a stream or a queue, one push at a time, each failure reported by itself."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from shared.logs import described, logger

Work = Callable[[str], None]
Batch = dict[str, Any]


def stream(work: Work) -> Callable[[Batch, Any], Any]:
    """Work on the id of each item that a DynamoDB stream of keys tells of."""
    return _each(work, EventType.DynamoDBStreams, lambda record: str(record.dynamodb.keys["id"]))


def queue(work: Work) -> Callable[[Batch, Any], Any]:
    """Work on the id that each message of a queue holds."""
    return _each(work, EventType.SQS, lambda record: str(record.body))


def _each(work: Work, kind: EventType, push_id: Callable[[Any], str]) -> Callable[[Batch, Any], Any]:
    def handle_record(record: Any) -> None:
        try:
            work(push_id(record))
        except Exception as error:
            logger.error("record", extra={"work": work.__name__, "failure": described(error)})
            raise

    @wraps(work)
    def handle(batch: Batch, context: Any) -> Any:
        processor = BatchProcessor(kind, raise_on_entire_batch_failure=False)
        return process_partial_response(batch, handle_record, processor, context)

    return handle
