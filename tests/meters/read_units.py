"""The cost of reads on AWS in read request units, computed from the items by AWS's documentation.

"DynamoDB read and write operations" (developer guide): each 4 KB begun is a unit, half a unit for an eventually
consistent read. A Query is charged for the total size of the whole items that it evaluates, even if it returns less. In
a batch each item is charged separately, and a missing one as the smallest.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.engines import resources
from tests.meters import wire_tap
from tests.meters.write_units import size

UNIT = 4096  # bytes
Parameters = dict[str, Any]


@dataclass
class Reads:
    """Counted reads: calls of every kind, rows evaluated by queries, and units."""

    calls: int = 0
    rows: int = 0
    units: float = 0


@contextmanager
def counted() -> Iterator[Reads]:
    """Count every read in this block."""
    reads = Reads()
    looking: list[bool] = []  # reads of whole items are the meter's own

    def watch(_client: Any, call: Callable[[], Any], operation: str, parameters: Parameters) -> Any:
        answer = call()
        if looking:
            return answer
        reads.calls += 1
        reads.rows += answer["ScannedCount"] if operation == "Query" else 0
        looking.append(True)
        reads.units += _units(operation, parameters, answer)
        looking.clear()
        return answer

    with wire_tap.around(watch):
        yield reads


def _units(operation: str, parameters: Parameters, answer: Any) -> float:
    match operation:
        case "Query":
            whole = resources.client("dynamodb").query(**_of_whole_items(parameters))
            return _charged(sum(map(size, whole["Items"])), parameters)
        case "GetItem":
            return _charged(size(answer.get("Item", {})), parameters)
        case "BatchGetItem":
            return sum(_of_batch(asked, answer["Responses"].get(table, []))
                       for table, asked in parameters["RequestItems"].items())  # fmt: skip
    return 0


def _of_whole_items(query: Parameters) -> Parameters:
    """Return the same query for all evaluated items: not counted, filtered or projected."""
    changed = {"Select", "ProjectionExpression", "FilterExpression"}
    kept = {name: value for name, value in query.items() if name not in changed}
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        held = query.get(name, {})
        kept[name] = {key: held[key] for key in held if key in query["KeyConditionExpression"]}
    return {name: value for name, value in kept.items() if value not in ({}, None)}


def _of_batch(asked: Parameters, found: list[Any]) -> float:
    missing = len(asked["Keys"]) - len(found)
    return sum(_charged(size(item), asked) for item in found) + missing * _charged(0, asked)


def _charged(length: int, parameters: Parameters) -> float:
    units = max(1, -(-length // UNIT))
    return units if parameters.get("ConsistentRead") else units / 2
