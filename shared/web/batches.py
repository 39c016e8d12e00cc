"""The edge of batches: records of a stream or messages of a queue; each failure is reported by itself.

A queue sends again only what was reported. A stream sends everything again from the first record that was reported
(https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html), so the work must be idempotent.
What fails too often goes to the dead-letter queue that template.yaml names.
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
Choose = Callable[[Mapping[str, bool]], Sequence[Sequence[str]]]
_AT_ONCE = 10  # ids in one call of `work`: what SQS takes in one call


class EventFailed(Exception):
    """The work on an event failed; Lambda prints this, so it says nothing of why."""


def stream(choose: Choose, *works: Work) -> Handler:
    """Make a handler that works on the ids of a DynamoDB stream of keys, ten at a time.

    `choose` is given each id, and whether the stream says only that its item is gone; it returns the ids that need each
    of the works, and when it fails, all of them get all. A work may return ids that it failed on, and is idempotent.
    """

    @lambda_handler
    @wraps(choose)
    def handle(batch: Batch, context: Any) -> Any:
        numbers, changes = {}, dict[str, bool]()
        for record in batch["Records"]:
            id_ = record["dynamodb"]["Keys"]["id"]["S"]
            numbers[record["dynamodb"]["SequenceNumber"]] = id_
            changes[id_] = changes.get(id_, True) and record["eventName"] == "REMOVE"
        with _invocation_scope(context):
            failed = _run_works(choose, works, changes)
        return {"batchItemFailures": [{"itemIdentifier": number} for number, id_ in numbers.items() if id_ in failed]}

    return handle


def stream_in_order(work: Ordered) -> Handler:
    """Make a handler that works on the new items of a DynamoDB stream, ten at a time and in the stream's order.

    `work` is given each item's number and image, and returns how many it has done before the first that failed. What
    follows is left for the next try, so that nothing overtakes what failed. The work may be done twice.
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
    """Make a handler that works on the id in each message of a queue, and is told the time. The work is idempotent."""
    return _message_handler(work, lambda message: work(str(message.body), now=datetime.now(UTC)))


def mail_queue(work: Callable[..., None], tries: int) -> Handler:
    """Make a handler that works on the audit entry that each message of a queue names, an event of our bus.

    The work is given the push's id and the entry's name, the time, and whether it is the last of so many tries.
    """

    def do(message: Any) -> None:
        detail = json.loads(message.body)["detail"]
        is_last = int(message.attributes.approximate_receive_count) >= tries
        work(detail["push_id"], detail["entry"], now=datetime.now(UTC), is_last_try=is_last)

    return _message_handler(work, do)


def eventbridge(work: Callable[..., None]) -> Handler:
    """Make a handler that works on one event of AWS's own bus, and is told the time; Lambda tries twice again.

    Raises: EventFailed, without a word of the event.
    """

    @lambda_handler
    @wraps(work)
    def handle(event: Batch, context: Any) -> Any:
        with _invocation_scope(context):
            try:
                work(event["detail"], now=datetime.now(UTC))
            except Exception as error:  # noqa: BLE001 (logged, and raised without what it says)
                _log("event", work, error)
                raise EventFailed from None

    return handle


def _message_handler(work: Callable[..., None], do: Callable[[Any], None]) -> Handler:
    """Make a handler that does something with each message of a queue; the log names the `work` that fails."""

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


def _run_works(choose: Choose, works: Sequence[Work], changes: Mapping[str, bool]) -> set[str]:
    try:
        ids_by_work = choose(changes)
    except Exception as error:  # noqa: BLE001 (logged; all the work is done for all)
        _log("choice", choose, error)
        ids_by_work = [list(changes)] * len(works)
    return {id_ for work, due in zip(works, ids_by_work, strict=True) for id_ in _run_work(work, due)}


def _run_work(work: Work, due: Sequence[str]) -> set[str]:
    failed: set[str] = set()
    # What follows a failure is worked on all the same, though Lambda sends it again: after the last try it drops all.
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
    """Bound the calls by Lambda's time-out: a batch that takes too long then reports what is left, and only that."""
    with metrics.collecting() as collected:
        with deadline.within(context.get_remaining_time_in_millis() / 1000):
            yield
        write_metrics(collected)


def _log(message: str, work: Callable[..., Any], error: Exception) -> None:
    metrics.count("WorkFailed")
    logger.error(message, extra={"work": work.__name__, "failure": describe_error(error)})
