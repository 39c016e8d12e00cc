"""Create thousands of pushes of one owner, or entries of one log, without a request for each."""

from typing import Any

from tests.engines import resources

Item = dict[str, dict[str, Any]]
# The attributes in the indexes; a list reads no others, except for its own page. moto ends a response after 1 MB of
# whole items, so with small items it ends at the same row as AWS, which counts the index's rows.
_INDEXED = ("id", "owner", "created_at", "expires_at", "active_since")


def copies(push_id: str, count: int, *, whole: range = range(0), **shifts: int) -> list[str]:
    """Copy a push, each copy `shifts` milliseconds after the last in the named attributes; return the ids in order.

    Copies in `whole` are whole, the others have only the indexes' attributes.
    """
    [item] = [item for item in resources.items("Pushes") if item["id"]["S"] == push_id]
    items = [_shifted(item, number + 1, shifts) for number in range(count)]
    put("Pushes", [one if n in whole else {k: one[k] for k in _INDEXED if k in one} for n, one in enumerate(items)])
    return [one["id"]["S"] for one in items]


def put(table: str, items: list[Item]) -> None:
    """Put items unchanged."""
    for start in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[start : start + 25]]
        answer = resources.client("dynamodb").batch_write_item(RequestItems={f"test-{table}": requests})
        assert not answer["UnprocessedItems"]


def _shifted(item: Item, number: int, shifts: dict[str, int]) -> Item:
    moved = {name: {"N": str(int(item[name]["N"]) + number * by)} for name, by in shifts.items() if name in item}
    return {**item, **moved, "id": {"S": f"{number:064x}"}}
