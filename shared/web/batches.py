"""The edge of batches: handlers for DynamoDB streams, SQS queues and EventBridge, with partial batch failures.

SQS retries only the messages reported as failed. A stream retries everything from the first failed record
(https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html), so work must be idempotent.
Records that fail too often go to the dead-letter queue in template.yaml.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from shared.runtime import deadline, metrics
from shared.web.logs import describe_error, lambda_handler, logger, write_metrics

Batch = dict[str, Any]
Handler = Callable[[Batch, Any], Any]
Work = Callable[[Sequence[str]], Collection[str] | None]
Ordered = Callable[[Sequence[tuple[str, Mapping[str, Any]]]], int]
Select = Callable[[Mapping[str, bool]], tuple[Sequence[str], Sequence[str]]]
_AT_ONCE = 10  # ids in one call of `work`; the limit of SQS's SendMessageBatch


class EventFailed(Exception):
    """The work on an event failed. It has no message, because Lambda logs it."""


def removal_stream(select: Select, remove: Work, unlist: Work) -> Handler:
    """Return a handler that passes the ids of a DynamoDB stream's keys to `remove` and `unlist`, ten at a time.

    `select` gets a dict of the ids; a value is true if the stream reports only the item's removal. It returns the ids
    to remove and the ids to unlist. If it fails, both get every id. Both return the ids that failed, if any, and must
    be idempotent.
    """

    @lambda_handler
    @wraps(select)
    def handle(batch: Batch, context: Any) -> Any:
        numbers, changes = {}, dict[str, bool]()
        for record in batch["Records"]:
            id_ = record["dynamodb"]["Keys"]["id"]["S"]
            numbers[record["dynamodb"]["SequenceNumber"]] = id_
            changes[id_] = changes.get(id_, True) and record["eventName"] == "REMOVE"
        with _invocation_scope(context):
            to_remove, to_unlist = _select(select, changes)
            failed = _run_work(remove, to_remove) | _run_work(unlist, to_unlist)
        return {"batchItemFailures": [{"itemIdentifier": number} for number, id_ in numbers.items() if id_ in failed]}

    return handle


def stream_in_order(work: Ordered) -> Handler:
    """Return a handler that passes a DynamoDB stream's new items to `work` in order, ten at a time.

    `work` gets each item's sequence number and image, and returns how many items it finished before the first failure.
    The handler reports that item as failed and starts none of the later ones, so that the order is kept. The retry may
    repeat work.
    """

    @lambda_handler
    @wraps(work)
    def handle(batch: Batch, context: Any) -> Any:
        new = [
            (record["dynamodb"]["SequenceNumber"], record["dynamodb"]["NewImage"])
            for record in batch["Records"]
            if record["eventName"] == "INSERT"
        ]
        with _invocation_scope(context):
            done = _run_until_failure(work, new)
        return {"batchItemFailures": [{"itemIdentifier": number} for number, _ in new[done : done + 1]]}

    return handle


def sqs(work: Callable[..., None]) -> Handler:
    """Return a handler that calls `work(body, now=…)` for each message of a queue. The work must be idempotent."""
    return _message_handler(work, lambda message: work(str(message.body), now=datetime.now(UTC)))


def mail_queue(work: Callable[..., None], tries: int) -> Handler:
    """Return a handler for a queue of audit entries, which arrive as events of our event bus.

    It calls `work(push_id, entry, now=…, is_last_try=…)`. The last try is receive number `tries`.
    """

    def do(message: Any) -> None:
        detail = json.loads(message.body)["detail"]
        is_last = int(message.attributes.approximate_receive_count) >= tries
        work(detail["push_id"], detail["entry"], now=datetime.now(UTC), is_last_try=is_last)

    return _message_handler(work, do)


def eventbridge(work: Callable[..., None]) -> Handler:
    """Return a handler that calls `work(detail, now=…)` for one event of AWS's own bus. Lambda retries twice.

    Raises: EventFailed, without details of the event.
    """

    @lambda_handler
    @wraps(work)
    def handle(event: Batch, context: Any) -> Any:
        with _invocation_scope(context):
            try:
                work(event["detail"], now=datetime.now(UTC))
            except Exception as error:  # noqa: BLE001 (logged, and raised again without its message)
                _log("event", work, error)
                raise EventFailed from None

    return handle


def _message_handler(work: Callable[..., None], do: Callable[[Any], None]) -> Handler:
    """Return a handler that calls `do` with each message of a queue. Failures are logged under the name of `work`."""

    def handle_record(record: Any) -> None:  # Powertools calls it by this name
        try:
            do(record)
        except Exception as error:
            _log("record", work, error)
            raise

    @lambda_handler
    @wraps(work)
    def handle(batch: Batch, context: Any) -> Any:
        processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
        with _invocation_scope(context):
            return process_partial_response(batch, handle_record, processor, context)

    return handle


def _select(select: Select, changes: Mapping[str, bool]) -> tuple[Sequence[str], Sequence[str]]:
    try:
        return select(changes)
    except Exception as error:  # noqa: BLE001 (logged; both kinds of work get every id)
        _log("choice", select, error)
        return list(changes), list(changes)


def _run_work(work: Work, due: Sequence[str]) -> set[str]:
    failed: set[str] = set()
    # Work goes on after a failure, although Lambda sends all of it again: after the last try, Lambda drops the rest.
    for start in range(0, len(due), _AT_ONCE):
        ten = due[start : start + _AT_ONCE]
        try:
            refused = set(work(ten) or ())
            if refused:
                logger.error("record", extra={"work": work.__name__, "refused": len(refused)})
                metrics.count("WorkFailed")
            failed |= refused
        except Exception as error:  # noqa: BLE001 (logged, and reported)
            _log("record", work, error)
            failed |= set(ten)
    return failed


def _run_until_failure(work: Ordered, new: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
    for start in range(0, len(new), _AT_ONCE):
        ten = new[start : start + _AT_ONCE]
        try:
            done = work(ten)
        except Exception as error:  # noqa: BLE001 (logged, and reported)
            _log("record", work, error)
            return start
        if done < len(ten):
            logger.error("record", extra={"work": work.__name__, "refused": len(ten) - done})
            metrics.count("WorkFailed")
            return start + done
    return len(new)


@contextmanager
def _invocation_scope(context: Any) -> Iterator[None]:
    """Limit AWS calls to Lambda's remaining time and write the metrics.

    A slow batch can then still report the records that failed.
    """
    with metrics.collecting() as collected:
        with deadline.within(context.get_remaining_time_in_millis() / 1000):
            yield
        write_metrics(collected)


def _log(message: str, work: Callable[..., Any], error: Exception) -> None:
    metrics.count("WorkFailed")
    logger.error(message, extra={"work": work.__name__, "failure": describe_error(error)})
