import pytest

from shared.domain import digests
from tests.doubles import stale_reads
from tests.drivers.client import Api
from tests.engines import resources


@pytest.mark.parametrize("table", ["Pushes", "Secrets"])
def test_the_double_answers_eventual_reads_from_before_the_last_write(bob: Api, table: str) -> None:
    dynamodb, name = resources.client("dynamodb"), f"test-{table}"

    with stale_reads.answered() as counted:
        key = {"id": {"S": digests.digest(bob.push())}}
        batch = dynamodb.batch_get_item(RequestItems={name: {"Keys": [key]}})["Responses"][name]
        lagging = dynamodb.get_item(TableName=name, Key=key)
        seen = dynamodb.get_item(TableName=name, Key=key, ConsistentRead=True)["Item"]

    assert batch == []
    assert "Item" not in lagging
    assert seen["id"] == key["id"]
    assert counted["stale"] == 2


def test_the_double_answers_a_query_without_the_last_write(bob: Api) -> None:
    query = resources.client("dynamodb").query

    with stale_reads.answered():
        push_id = digests.digest(bob.push())
        asked = {"KeyConditionExpression": "push_id = :p", "ExpressionAttributeValues": {":p": {"S": push_id}}}
        rows = [query(TableName="test-AuditEntries", ConsistentRead=how, **asked)["Count"] for how in (False, True)]

    assert rows == [0, 1]
