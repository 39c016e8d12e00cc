"""A global index as AWS has it: it follows its table some time later, while every emulator's is exact at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from infra import template
from tests import engine, wire_tap


@contextmanager
def index(table: str) -> Iterator[None]:
    """In this block, the table's index shows what it showed at the start; it gives all keys, whatever the range."""
    [declared] = template.resources("AWS::DynamoDB::Table")[table]["GlobalSecondaryIndexes"]
    names = [key["AttributeName"] for key in declared["KeySchema"]]
    seen = [{name: item[name] for name in names} for item in engine.items(table) if names[0] in item]

    asked = []

    def lag(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if operation != "Query" or parameters["TableName"] != f"test-{table}" or "IndexName" not in parameters:
            return call()
        asked.append(table)
        [wanted] = parameters["ExpressionAttributeValues"].values()
        rows = [row for row in seen if row[names[0]] == wanted]
        return {"Items": rows, "Count": len(rows), "ScannedCount": len(rows)}

    with wire_tap.around(lag):
        yield
    assert asked, f"the index of {table} was never asked"
