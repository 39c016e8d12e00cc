"""The double of IAM's conditions answers as AWS documents."""

from typing import Any

import pytest

from tests.doubles import fine_grained_access
from tests.doubles.fine_grained_access import ATTRIBUTES, LEADING_KEYS, RETURN_VALUES, running
from tests.drivers.client import Api
from tests.engines import resources

ONLY_OWNERS: dict[str, dict[str, Any]] = {
    "ForAllValues:StringLike": {LEADING_KEYS: "owner *", ATTRIBUTES: ["digest", "looked_at"]},
    "StringEqualsIfExists": {RETURN_VALUES: "NONE"},
}


@pytest.mark.parametrize(
    ("context", "is_met"),
    [
        ({LEADING_KEYS: ["owner x"], ATTRIBUTES: ["digest", "looked_at"]}, True),
        ({LEADING_KEYS: ["owner x"], ATTRIBUTES: ["digest"], RETURN_VALUES: ["NONE"]}, True),
        ({}, True),  # no key at all: meets both ForAllValues and IfExists
        ({LEADING_KEYS: ["owner x", "0" * 64]}, False),
        ({LEADING_KEYS: ["Owner x"]}, False),
        ({ATTRIBUTES: ["digest", "owner"]}, False),
        ({LEADING_KEYS: ["owner x"], ATTRIBUTES: ["digest"], RETURN_VALUES: ["ALL_NEW"]}, False),
    ],
)
def test_every_value_must_be_listed_and_every_condition_met(context: dict[str, list[str]], is_met: bool) -> None:
    assert fine_grained_access.meets(ONLY_OWNERS, context) == is_met


def test_each_part_of_a_transaction_is_checked_by_keys_and_attributes() -> None:
    update = {
        "TableName": "test-Pushes",
        "Key": {"id": {"S": "a"}},
        "UpdateExpression": "SET #0 = :0",
        "ConditionExpression": "attribute_exists (#1) AND views = :1",
        "ExpressionAttributeNames": {"#0": "notify", "#1": "kind"},
    }
    put = {"TableName": "test-AuditEntries", "Item": {"push_id": {"S": "b"}, "at": {"S": "c"}}}

    found = fine_grained_access.accesses("TransactWriteItems", {"TransactItems": [{"Update": update}, {"Put": put}]})

    assert found == [
        ("dynamodb:UpdateItem", "Pushes", {LEADING_KEYS: ["a"], ATTRIBUTES: ["id", "kind", "notify", "views"]}),
        ("dynamodb:PutItem", "AuditEntries", {LEADING_KEYS: ["b"], ATTRIBUTES: ["at", "push_id"]}),
    ]


def test_a_write_that_the_running_function_may_not_do_is_refused(api: Api) -> None:
    token = {"digest": {"S": "0" * 64}, "owner": {"S": "account:x"}, "is_session": {"BOOL": False}}
    before = running.set("PreviewPush")

    with pytest.raises(resources.client("dynamodb").exceptions.ClientError, match="AccessDenied"):
        resources.client("dynamodb").put_item(TableName="test-ApiTokens", Item=token)
    running.reset(before)

    assert resources.items("ApiTokens") == []
