"""The double that counts write units, compared with the examples in AWS's documentation."""

from typing import Any

import pytest

from tests.engines import resources
from tests.meters import write_units


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"id": {"S": "ü"}}, 2 + 2),
        ({"n": {"N": "0"}}, 1 + 2),
        ({"n": {"N": "100"}}, 1 + 2),  # zeroes at the end are trimmed
        ({"n": {"N": "1767229200123"}}, 1 + 1 + 7),
        ({"n": {"N": "-27"}}, 1 + 1 + 1 + 1),
        ({"b": {"B": b"\0" * 10}}, 1 + 10),
        ({"yes": {"BOOL": True}}, 3 + 1),
        ({"none": {"NULL": True}}, 4 + 1),
        ({"l": {"L": []}}, 1 + 3),
        ({"l": {"L": [{"N": "27"}, {"S": "ab"}]}}, 1 + 3 + (1 + 2) + (1 + 2)),
        ({"m": {"M": {"k": {"S": "ab"}}}}, 1 + 3 + (1 + 1 + 2)),
    ],
)
def test_an_item_s_size_is_that_of_its_names_and_values(item: write_units.Item, size: int) -> None:
    assert write_units.size(item) == size


def pushes(id_: str, label: int = 0, rest: write_units.Item | None = None) -> dict[str, Any]:
    return {"TableName": "test-Pushes", "Item": {"id": {"S": id_}, "label": {"B": b"x" * label}, **(rest or {})}}


OWNED: write_units.Item = {"owner": {"S": "bob"}, "expires_at": {"N": "1"}, "created_at": {"N": "1"}}


@pytest.mark.parametrize(("length", "cost"), [(1, 1), (1024 - 8, 1), (1024 - 7, 2), (10_000, 10)])
def test_a_write_costs_a_unit_for_each_kilobyte_begun(aws: None, length: int, cost: int) -> None:
    with write_units.billed() as bill:
        resources.client("dynamodb").put_item(**pushes("a", length))

    assert bill.units == {"Pushes": cost}


def test_a_write_costs_by_the_larger_of_the_old_and_new_item(aws: None) -> None:
    resources.client("dynamodb").put_item(**pushes("a", 3_000))

    with write_units.billed() as bill:
        resources.client("dynamodb").put_item(**pushes("a", 1))
        resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": {"S": "a"}})
        resources.client("dynamodb").delete_item(TableName="test-Pushes", Key={"id": {"S": "a"}})

    assert bill.total == 3 + 1 + 1


def test_a_transaction_costs_twice_and_its_index_once(aws: None) -> None:
    with write_units.billed() as bill:
        resources.client("dynamodb").transact_write_items(TransactItems=[{"Put": pushes("a", 1_500, OWNED)}])

    assert bill.units == {"Pushes": 4, "Pushes/index/by_owner": 1}


@pytest.mark.parametrize(
    ("change", "costs"),
    [
        ({}, (0, 0)),
        ({"views": {"N": "1"}}, (0, 0)),  # in no index
        ({"expires_at": {"N": "2"}}, (2, 1)),  # a key of the first index, not of the second
    ],
)
def test_an_index_costs_when_its_entry_changes_and_twice_when_its_key_does(
    aws: None, change: dict[str, Any], costs: tuple[int, int]
) -> None:
    owned = OWNED | {"active_since": {"N": "1"}}
    resources.client("dynamodb").put_item(**pushes("a", rest=owned))

    with write_units.billed() as bill:
        resources.client("dynamodb").put_item(**pushes("a", rest=owned | change))

    assert tuple(bill.units[f"Pushes/index/{name}"] for name in ("by_owner", "active_by_creation")) == costs
