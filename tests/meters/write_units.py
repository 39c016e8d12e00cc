"""The cost of writes on AWS in write request units, computed from the items by AWS's documentation.

moto's own units ignore item sizes, transactions and indexes. The rules:
- an item's size: names and values, in bytes (developer guide, "DynamoDB item sizes and formats");
- a write costs a unit for each KB begun of the larger of the item before and after, a failed or unnecessary one at
  least one ("DynamoDB read and write operations");
- in a transaction it costs twice ("Amazon DynamoDB Transactions: How it works", capacity management);
- an index is written when its entry changes: once when it comes, goes or keeps its key, twice when its key changes
  ("Using Global Secondary Indexes in DynamoDB", storage and throughput). The index follows the write, and
  transactions do not double it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from infra.build import template
from tests.engines import resources
from tests.meters import wire_tap

KB = 1024
Item = dict[str, dict[str, Any]]
_VERBS = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}


@dataclass
class Bill:
    """Counted writes: units by table or index, and the largest item of each table."""

    units: Counter[str] = field(default_factory=Counter)
    largest: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.units.total()


@contextmanager
def billed() -> Iterator[Bill]:
    """Count the units of every write in this block."""
    bill = Bill()

    def watch(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        writes, factor = _writes(operation, parameters)
        before = [_read(write) for write in writes]
        answer = call()
        for write, old in zip(writes, before, strict=True):
            _count(bill, write["TableName"].removeprefix("test-"), old, _read(write), factor)
        return answer

    with wire_tap.around(watch):
        yield bill


def size(item: Item) -> int:
    """Return an item's size in bytes."""
    return sum(len(name.encode()) + _size(value) for name, value in item.items())


def _size(value: dict[str, Any]) -> int:
    [(kind, content)] = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            return len(content)
        case "N":
            return _digits(content)
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + _size(element) for element in content)
        case "M":
            return 3 + sum(1 + len(name.encode()) + _size(element) for name, element in content.items())
    raise ValueError(kind)


def _digits(number: str) -> int:
    """Return a number's size: a byte for two digits and one more; AWS says "approximately", so a sign counts, too."""
    sign, digits, _ = Decimal(number).normalize().as_tuple()
    return (len(digits) + 1) // 2 + 1 + sign


def _writes(operation: str, parameters: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
    if operation == "TransactWriteItems":
        return [write for one in parameters["TransactItems"] for write in one.values()], 2
    return ([parameters], 1) if operation in _VERBS else ([], 1)


def _read(write: dict[str, Any]) -> Item | None:
    name = write["TableName"]
    keys = [key["AttributeName"] for key in _table(name.removeprefix("test-"))["KeySchema"]]
    held = write.get("Key") or write["Item"]
    found = resources.client("dynamodb").get_item(
        TableName=name, Key={key: held[key] for key in keys}, ConsistentRead=True
    )
    item: Item | None = found.get("Item")
    return item


def _count(bill: Bill, name: str, old: Item | None, new: Item | None, factor: int) -> None:
    largest = max(size(old or {}), size(new or {}))
    bill.units[name] += factor * _kilobytes(largest)
    bill.largest[name] = max(largest, bill.largest.get(name, 0))
    for index in _table(name).get("GlobalSecondaryIndexes", []):
        units = _index_units(_entry(name, index, old), _entry(name, index, new), index)
        if units:
            bill.units[f"{name}/index/{index['IndexName']}"] += units


def _index_units(old: Item | None, new: Item | None, index: dict[str, Any]) -> int:
    if old == new:
        return 0
    if old is None or new is None:
        return _kilobytes(size(old or new or {}))
    keys = [key["AttributeName"] for key in index["KeySchema"]]
    if any(old[key] != new[key] for key in keys):
        return _kilobytes(size(old)) + _kilobytes(size(new))
    return _kilobytes(max(size(old), size(new)))


def _entry(name: str, index: dict[str, Any], item: Item | None) -> Item | None:
    """Return an item's entry in an index: empty if the item lacks a key."""
    keys = [key["AttributeName"] for key in index["KeySchema"]]
    if item is None or any(key not in item for key in keys):
        return None
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    kept = {
        *keys,
        *(key["AttributeName"] for key in _table(name)["KeySchema"]),
        *projection.get("NonKeyAttributes", []),
    }
    return {key: item[key] for key in kept if key in item}


def _kilobytes(length: int) -> int:
    return max(1, -(-length // KB))


def _table(name: str) -> dict[str, Any]:
    return template.resources("AWS::DynamoDB::Table")[name]
