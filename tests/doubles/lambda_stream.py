"""Lambda's delivery of stream batches, which the emulators lack. README.md in this directory lists AWS's pages."""

from collections.abc import Callable
from typing import Any

from tests.drivers.client import Context

Json = dict[str, Any]


def deliver(handle: Callable[[Json, Any], Any], batch: Json, *, retries: int) -> list[Json]:
    """Deliver a batch to a function until it succeeds or fails for good; return the messages for the dead-letter queue.

    A message has no records, only sequence numbers. The lowest reported sequence number is the checkpoint: from there
    on everything is delivered again. A report of an unknown number fails the whole batch. AWS does not document whether
    progress resets the number of tries: here it does not.
    """
    left = batch["Records"]
    for _ in range(1 + retries):
        left = _undone(handle, left)
        if not left:
            return []
    numbers = [_number(record) for record in left]
    return [{"startSequenceNumber": numbers[0], "endSequenceNumber": numbers[-1], "batchSize": len(numbers)}]


def _undone(handle: Callable[[Json, Any], Any], records: list[Json]) -> list[Json]:
    answer = handle({"Records": records}, Context()) or {}
    reported = {failure["itemIdentifier"] for failure in answer.get("batchItemFailures") or []}
    numbers = [_number(record) for record in records]
    if not reported <= set(numbers):
        return records
    return records[min(map(numbers.index, reported)) :] if reported else []


def _number(record: Json) -> str:
    return str(record["dynamodb"]["SequenceNumber"])
