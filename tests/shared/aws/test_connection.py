"""Each response in which DynamoDB throttles is counted, as it comes from the wire."""

from typing import Any

import pytest

from tests.drivers.client import Api
from tests.meters import emf, wire_tap

PREFIX = "com.amazonaws.dynamodb.v20120810#"


def failing_with(name: str, *reasons: str) -> dict[str, Any]:
    return {"__type": PREFIX + name, "CancellationReasons": [{"Code": reason} for reason in reasons]}


@pytest.mark.parametrize(
    ("operation", "body", "times"),
    [
        ("BatchGetItem", failing_with("ProvisionedThroughputExceededException"), 1),
        ("BatchGetItem", failing_with("ThrottlingException"), 1),
        ("BatchGetItem", failing_with("InternalServerError"), 0),
        ("BatchGetItem", {"Responses": {}, "UnprocessedKeys": {"test-Pushes": {"Keys": [{"id": {"S": "x"}}]}}}, 1),
        ("TransactWriteItems", failing_with("TransactionCanceledException", "None", "ThrottlingError"), 1),
        ("TransactWriteItems", failing_with("TransactionCanceledException", "TransactionConflict"), 0),
    ],
)
def test_each_throttled_try_is_counted_and_nothing_else(
    api: Api, operation: str, body: dict[str, Any], times: int, capsys: pytest.CaptureFixture[str]
) -> None:
    url_token = api.push()
    capsys.readouterr()

    with wire_tap.throttling(operation, body):
        api.retrieve(url_token)

    assert emf.values(capsys.readouterr().out, "Throttled") == [1.0] * times
