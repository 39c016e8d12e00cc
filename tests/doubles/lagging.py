"""A global index as on AWS: it lags behind its table, while an emulator's is always up to date."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from infra.build import template
from tests.engines import resources
from tests.meters import wire_tap

Item = dict[str, dict[str, Any]]


@contextmanager
def index(table: str) -> Iterator[None]:
    """Freeze the table's indexes in this block. A query returns all rows of its hash key, whatever the range."""
    declared = template.resources("AWS::DynamoDB::Table")[table]["GlobalSecondaryIndexes"]
    keys = {one["IndexName"]: [key["AttributeName"] for key in one["KeySchema"]] for one in declared}
    seen = resources.items(table)

    asked = []

    def lag(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if operation != "Query" or parameters["TableName"] != f"test-{table}" or "IndexName" not in parameters:
            return call()
        asked.append(table)
        return _queried(seen, keys[parameters["IndexName"]], parameters)

    with wire_tap.around(lag):
        yield
    assert asked, f"the index of {table} was never asked"


def _queried(seen: list[Item], keys: list[str], parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the first rows of the old index, in its order."""
    wanted = parameters["ExpressionAttributeValues"].values()
    rows = [item for item in seen if all(key in item for key in keys) and item[keys[0]] in wanted]
    rows.sort(key=lambda item: _order(item[keys[1]]), reverse=parameters.get("ScanIndexForward") is False)
    first = rows[: parameters.get("Limit")]
    answer = {"Items": first, "Count": len(first), "ScannedCount": len(first)}
    return answer if len(first) == len(rows) else {**answer, "LastEvaluatedKey": first[-1]}


def _order(value: dict[str, Any]) -> Any:
    return int(value["N"]) if "N" in value else value["S"]
