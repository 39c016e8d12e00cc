"""The other edge: batches of a stream or a queue, each failure reported by itself.

Of a queue, only what is reported comes again. Of a stream, everything from the first that is reported on
(https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html): work on it may be done twice.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from math import inf
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from shared import deadline
from shared.web.logs import described, logger

Batch = dict[str, Any]
Handler = Callable[[Batch, Any], Any]
_AT_ONCE = 10  # ids that are worked on at once: what SQS takes in one call


def stream(
    choose: Callable[[Sequence[str]], Sequence[str]], work: Callable[[Sequence[str]], Collection[str]]
) -> Handler:
    """Work on the ids of a DynamoDB stream of keys, ten at a time.

    `choose` names those that need it; when it cannot tell, all do. `work` gives the ids that it failed on.
    """

    @wraps(work)
    def handle(batch: Batch, context: Any) -> Any:
        numbers = {
            record["dynamodb"]["SequenceNumber"]: record["dynamodb"]["Keys"]["id"]["S"] for record in batch["Records"]
        }
        with _in_time(context):
            failed = _failed(choose, work, list(dict.fromkeys(numbers.values())))
        return {"batchItemFailures": [{"itemIdentifier": number} for number, one in numbers.items() if one in failed]}

    return handle


def queue(work: Callable[[str], None]) -> Handler:
    """Work on the id that each message of a queue holds."""

    def handle_record(record: Any) -> None:
        try:
            work(str(record.body))
        except Exception as error:
            _log("record", work, error)
            raise

    @wraps(work)
    def handle(batch: Batch, context: Any) -> Any:
        processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
        with _in_time(context):
            return process_partial_response(batch, handle_record, processor, context)

    return handle


def _failed(
    choose: Callable[[Sequence[str]], Sequence[str]],
    work: Callable[[Sequence[str]], Collection[str]],
    push_ids: Sequence[str],
) -> set[str]:
    try:
        chosen = choose(push_ids)
    except Exception as error:  # noqa: BLE001 (logged, and done without)
        _log("choice", choose, error)
        chosen = push_ids
    failed: set[str] = set()
    # What follows a failure is worked on all the same, though Lambda sends it again: in the end it may give up on all.
    for start in range(0, len(chosen), _AT_ONCE):
        ten = chosen[start : start + _AT_ONCE]
        try:
            refused = set(work(ten))
            if refused:
                logger.error("record", extra={"work": work.__name__, "refused": len(refused)})
            failed |= refused
        except Exception as error:  # noqa: BLE001 (logged, and reported)
            _log("record", work, error)
            failed |= set(ten)
    return failed


def _in_time(context: Any) -> AbstractContextManager[None]:
    """No call is begun that Lambda would end: what was not worked on is reported, and what was is not done again."""
    return deadline.within(context.get_remaining_time_in_millis() / 1000 if context else inf)


def _log(message: str, work: Callable[..., Any], error: Exception) -> None:
    logger.error(message, extra={"work": work.__name__, "failure": described(error)})
