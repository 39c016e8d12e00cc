"""How Lambda delivers a batch of a stream: what the emulators do not do. README.md here names AWS's pages."""

from collections.abc import Callable
from typing import Any

from tests.drivers.client import Context

Json = dict[str, Any]


def deliver(handle: Callable[[Json, Any], Any], batch: Json, *, retries: int) -> list[Json]:
    """Give a batch to a function until it is done; return what ends in the dead-letter queue, which names no record.

    The lowest sequence number that is reported is the checkpoint: from there on everything comes again. A report of
    what was not sent counts as a failure of the whole. Whether progress begins the count of tries anew is not
    documented: here it does not.
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
