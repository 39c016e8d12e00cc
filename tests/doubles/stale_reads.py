"""A double of DynamoDB's eventually consistent reads, which every emulator answers consistently.

"DynamoDB read consistency" (Amazon DynamoDB Developer Guide): a read without `ConsistentRead: true` may miss a write
that has just completed. Reads of a global secondary index are always eventually consistent; tests/doubles/lagging.py
has a double for those.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.engines import resources
from tests.meters import wire_tap

_PLAIN_WRITES = ("PutItem", "UpdateItem", "DeleteItem")
_HASH_KEYS = ("id", "push_id", "digest")
Item = dict[str, dict[str, Any]]


@contextmanager
def answered() -> Iterator[dict[str, int]]:
    """Give eventually consistent reads the table before its last write; count both kinds of reads."""
    before: dict[str, list[Item]] = {}
    counted = {"stale": 0, "consistent": 0}

    def answer(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        for name in _written(operation, parameters):
            before[name] = resources.items(name.removeprefix("test-"))
        asked = _read(operation, parameters)
        stale = {name for name, one in asked.items() if not one.get("ConsistentRead")}
        counted["stale" if stale else "consistent"] += bool(asked)
        old = {name: before[name] for name in stale if name in before}
        if not old:
            return call()
        if operation == "Query":
            return _queried(old[parameters["TableName"]], parameters)
        if operation == "GetItem":
            found = _picked(old[parameters["TableName"]], [parameters["Key"]])
            return {"Item": found[0]} if found else {}
        responses = call()["Responses"]
        return {"Responses": responses | {name: _picked(old[name], asked[name]["Keys"]) for name in old}}

    with wire_tap.around(answer):
        yield counted


def _written(operation: str, parameters: dict[str, Any]) -> set[str]:
    if operation == "TransactWriteItems":
        return {action["TableName"] for one in parameters["TransactItems"] for action in one.values()}
    return {parameters["TableName"]} if operation in _PLAIN_WRITES else set()


def _read(operation: str, parameters: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Yield the reads of each table; only tests use Scan."""
    if operation == "BatchGetItem":
        return dict(parameters["RequestItems"])
    if operation == "GetItem" or (operation == "Query" and "IndexName" not in parameters):
        return {parameters["TableName"]: parameters}
    return {}


def _picked(items: list[Item], keys: list[Item]) -> list[Item]:
    return [item for item in items for key in keys if key.items() <= item.items()]


def _queried(items: list[Item], parameters: dict[str, Any]) -> dict[str, Any]:
    [wanted] = parameters["ExpressionAttributeValues"].values()
    rows = [item for item in items if wanted in [item.get(name) for name in _HASH_KEYS]]
    rows = sorted(rows, key=lambda item: item["at"]["S"])[: parameters.get("Limit")]
    return {"Items": rows, "Count": len(rows), "ScannedCount": len(rows)}
