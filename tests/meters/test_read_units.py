"""The double that counts read units, compared with AWS's documentation."""

from typing import Any

import pytest

from tests.drivers.client import Api
from tests.engines import resources
from tests.meters import read_units

TABLE = "test-AuditEntries"


def put(at: str, length: int) -> dict[str, Any]:
    """Put an audit entry with this much besides its keys (`push_id`, `at`) and the name of one attribute."""
    keys = {"push_id": {"S": "p"}, "at": {"S": at}}
    resources.client("dynamodb").put_item(TableName=TABLE, Item={**keys, "ip": {"S": "x" * length}})
    return keys


KEYS = len("push_id" + "p" + "at" + "1" + "ip")


@pytest.mark.parametrize(("length", "units"), [(1, 1), (4096 - KEYS, 1), (4097 - KEYS, 2)])
def test_a_read_costs_a_unit_per_four_kilobytes_half_if_eventual(aws: None, length: int, units: int) -> None:
    keys = put("1", length)

    for consistent, cost in ((True, units), (False, units / 2)):
        with read_units.counted() as reads:
            resources.client("dynamodb").get_item(TableName=TABLE, Key=keys, ConsistentRead=consistent)
        assert (reads.calls, reads.units) == (1, cost)


@pytest.mark.parametrize("how", [{}, {"Select": "COUNT"}, {"ProjectionExpression": "#at"}])
def test_a_query_is_charged_for_all_that_it_evaluates_together(aws: None, how: dict[str, Any]) -> None:
    for number in range(9):
        put(str(number), 1000)
    names = {"#id": "push_id"} | ({"#at": "at"} if "ProjectionExpression" in how else {})
    values = {":id": {"S": "p"}}

    with read_units.counted() as reads:
        resources.client("dynamodb").query(
            TableName=TABLE,
            KeyConditionExpression="#id = :id",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ConsistentRead=True,
            Limit=8,
            **how,
        )

    assert (reads.calls, reads.rows, reads.units) == (1, 8, 2)


def test_a_batch_is_charged_by_item_including_missing_ones(aws: None) -> None:
    keys = [put("1", 5000), put("2", 1), {"push_id": {"S": "p"}, "at": {"S": "3"}}]

    with read_units.counted() as reads:
        resources.client("dynamodb").batch_get_item(RequestItems={TABLE: {"Keys": keys, "ConsistentRead": True}})

    assert (reads.calls, reads.units) == (1, 2 + 1 + 1)


def test_a_retrieve_reads_two_units(api: Api) -> None:
    url_token = api.push()
    api.retrieve(url_token)  # reads the instance key once

    with read_units.counted() as reads:
        api.retrieve(url_token)

    assert (reads.calls, reads.units) == (2, 2)
