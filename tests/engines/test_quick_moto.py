"""The patched moto answers like the original: the effects of a transaction, and its response."""

import copy
import random
from contextlib import ExitStack
from typing import Any
from unittest import mock

import pytest
from botocore.exceptions import ClientError
from moto.core.serialize import ResponseSerializer
from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend

from tests.engines import moto_in_process, quick_moto, resources

NAMES = ("a", "b", "c")
HELD = {"#v": "views"}


def put(name: str) -> dict[str, Any]:
    return {"Put": {"TableName": "test-Quotas", "Item": {"id": {"S": name}, "views": {"N": "9"}}}}


def fresh(name: str) -> dict[str, Any]:
    return {"Put": put(name)["Put"] | {"ConditionExpression": "attribute_not_exists(id)"}}


def delete(name: str) -> dict[str, Any]:
    return {"Delete": {"TableName": "test-Quotas", "Key": {"id": {"S": name}}}}


def add(name: str) -> dict[str, Any]:
    return _on(name, "Update", {"UpdateExpression": "ADD #v :one", "ExpressionAttributeNames": HELD})


def add_to_little(name: str) -> dict[str, Any]:
    said = {"UpdateExpression": "ADD #v :one", "ConditionExpression": "#v < :one", "ExpressionAttributeNames": HELD}
    return _on(name, "Update", said)


def check(name: str) -> dict[str, Any]:
    said = {"ConditionExpression": "#v < :one", "ExpressionAttributeNames": HELD}
    return _on(name, "ConditionCheck", said)


def _on(name: str, verb: str, said: dict[str, Any]) -> dict[str, Any]:
    values = {"ExpressionAttributeValues": {":one": {"N": "1"}}}
    return {verb: {"TableName": "test-Quotas", "Key": {"id": {"S": name}}} | said | values}


ACTIONS = (put, fresh, delete, add, add_to_little, check)


@pytest.mark.parametrize("seed", range(60))
def test_it_applies_and_rolls_back_like_the_original(seed: int) -> None:
    choose = random.Random(seed)
    transactions = [
        [choose.choice(ACTIONS)(name) for name in choose.sample(NAMES, choose.randint(1, 3))] for _ in range(8)
    ]

    quick = lived(transactions)
    with thorough():
        slow = lived(transactions)

    assert quick == slow
    assert any(outcome for outcome, _ in quick)


def test_both_kinds_of_outcome_come_about() -> None:
    kinds = {bool(outcome[0]) for outcome in lived([[add("a")], [add("a"), fresh("a")], [check("b")]])}

    assert kinds == {True, False}


def test_the_original_moto_is_a_different_one() -> None:
    assert DynamoDBBackend.transact_write_items is quick_moto._transact
    with thorough():
        assert DynamoDBBackend.transact_write_items is quick_moto._TRANSACT


def lived(transactions: list[list[dict[str, Any]]]) -> list[tuple[list[Any], list[Any]]]:
    """Return the response to each transaction and the table afterwards."""
    seen = []
    with moto_in_process.fresh():
        for transaction in transactions:
            try:
                resources.client("dynamodb").transact_write_items(TransactItems=transaction)
                answer = ["done"]
            except ClientError as error:
                answer = [error.response["Error"]["Code"], *_codes(error)]
            held = sorted(resources.items("Quotas"), key=lambda item: str(item["id"]))
            seen.append((answer if answer != ["done"] else [], held))
    return seen


def _codes(error: ClientError) -> list[Any]:
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])
    return [reason.get("Code") for reason in reasons]


def thorough() -> Any:
    """Run the original moto."""
    stack = ExitStack()
    for target, name, own in [
        (ResponseSerializer, "_serialize_type_structure", quick_moto._BY_ALL_NAMES),
        (DynamoDBBackend, "transact_write_items", quick_moto._TRANSACT),
        (models, "copy", copy),
    ]:
        stack.enter_context(mock.patch.object(target, name, own))
    return stack
