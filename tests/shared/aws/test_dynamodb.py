"""Retries of calls to DynamoDB, and the item that shows whether a transaction took effect."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from pynamodb.exceptions import DeleteError

from shared.aws import dynamodb, store
from shared.aws.connection import connection
from shared.aws.dynamodb import Check, Put, Write
from shared.aws.tables import Leases, Pushes, Quotas, Secrets
from tests.doubles import virtual_time
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.meters import wire_tap

PUT = Put(Secrets, {"id": "b"})


def cancelling(*codes: str) -> tuple[AbstractContextManager[None], list[str]]:
    """Cancel every transaction for these reasons; yield the cancelled ones."""

    def cancel(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation != "TransactWriteItems":
            return call()
        tried.append(operation)
        reasons = [{"Code": code} for code in codes]
        answer: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
        raise ClientError(answer, operation)

    tried: list[str] = []
    return wire_tap.around(cancel), tried


@pytest.mark.parametrize(
    ("write", "witness"),
    [
        (Write(puts=[Put(Secrets, {"id": "b"}, is_fresh=True), PUT]), 0),
        (Write(puts=[PUT, Put(Secrets, {"id": "b"}, is_fresh=True)]), 1),
        (Write(deletes=[Leases(id="a")], puts=[PUT, Put(Secrets, {"id": "b"}, is_fresh=True)]), 2),
        (Write(checks=[Check(Pushes, "c", None)], deletes=[Leases(id="a")], puts=[PUT]), None),
        (
            Write(
                checks=[Check(Pushes, "c", None)],
                deletes=[Leases(id="a"), Leases(id="d")],
                puts=[PUT, Put(Secrets, {"id": "b"}, is_fresh=True)],
            ),
            4,
        ),
    ],
)
def test_a_write_s_witness_is_its_first_fresh_item(write: Write, witness: int | None) -> None:
    assert write.witness == witness


@pytest.mark.parametrize(
    "codes",
    [
        (),
        ("None", "None"),
        ("ValidationError", "None"),
        ("ConditionalCheckFailed", "ValidationError"),
        ("TransactionConflict", "ItemCollectionSizeLimitExceeded"),
    ],
)
def test_a_write_that_aws_refuses_is_not_tried_again(aws: None, codes: tuple[str, ...]) -> None:
    around, tried = cancelling(*codes)

    with around, virtual_time.passing(), pytest.raises(ClientError):
        dynamodb.write(Write(deletes=[Secrets(id="a")]))

    assert len(tried) == 1


def test_a_delete_that_aws_refuses_is_not_tried_again(aws: None) -> None:
    refused = wire_tap.answering("DeleteItem", "ValidationException", status=400)

    with refused as answered, virtual_time.passing(), pytest.raises(DeleteError):
        store.destroy("a")

    assert len(answered) == 1


def test_each_write_has_a_token_of_its_own_no_longer_than_aws_takes(bob: Api) -> None:
    with wire_tap.calls() as calls:
        for _ in range(3):
            bob.push()

    sent = [parameters["ClientRequestToken"] for name, parameters in calls if name == "TransactWriteItems"]
    assert len(set(sent)) == 3
    assert {len(token) for token in sent} == {32}  # 128 bits; AWS allows 36 characters


@pytest.mark.parametrize(
    "codes",
    [
        ("TransactionConflict", "None"),
        ("ConditionalCheckFailed", "TransactionConflict"),  # perhaps an earlier try, which still holds the fresh item
    ],
)
def test_a_write_with_endless_conflicts_fails(api: Api, codes: tuple[str, ...]) -> None:
    held, tried = cancelling(*codes)

    with virtual_time.passing(), held, pytest.raises(ClientError):
        dynamodb.write(
            Write([], [Secrets(id="a")], [Put(Quotas, {"id": "b", "used": 1, "expires_at": START}, is_fresh=True)])
        )

    assert len(tried) > 10


def test_items_unread_for_too_long_are_not_reported_as_missing(api: Api) -> None:
    def throttle(_client: Any, _call: Callable[[], Any], _operation: str, parameters: dict[str, Any]) -> Any:
        return {"Responses": {}, "UnprocessedKeys": parameters["RequestItems"]}

    with virtual_time.passing(), wire_tap.around(throttle), pytest.raises(dynamodb.Throttled):
        dynamodb.read({Secrets: ["a"]})


def test_no_keys_are_read_without_a_call(aws: None) -> None:
    """AWS rejects a batch without keys; moto does not."""
    with wire_tap.calls() as calls:
        assert dynamodb.read({Secrets: []}) == {Secrets: []}

    assert calls == []


def test_a_delete_with_a_failed_condition_is_retried_at_once(api: Api) -> None:
    api.push()
    [item] = resources.items("Secrets")

    with wire_tap.calls() as calls:
        dynamodb.delete(Secrets(id=item["id"]["S"]), Secrets.wrapped_key.does_not_exist())

    assert [operation for operation, _ in calls] == ["DeleteItem"]
    assert resources.stored()["Secrets"] == 1


class _Raw(io.BytesIO):
    """A body as urllib3 returns it."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def over_http(status: int, code: str, *reasons: str) -> AWSResponse:
    """Return DynamoDB's error over HTTP, so that botocore itself parses it and counts its tries."""
    error = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}"}
    body = json.dumps(error | ({"CancellationReasons": [{"Code": reason} for reason in reasons]} if reasons else {}))
    return AWSResponse("http://aws.test", status, {}, _Raw(body.encode()))


@contextmanager
def responding(*answers: AWSResponse) -> Iterator[None]:
    """Answer the first tries of a transaction with these responses, each over HTTP."""
    left, events = list(answers), connection().client.meta.events

    def answer(**_: Any) -> AWSResponse | None:
        return left.pop(0) if left else None

    events.register_first("before-send.dynamodb.TransactWriteItems", answer)
    try:
        yield
    finally:
        events.unregister("before-send.dynamodb.TransactWriteItems", answer)
    assert not left


CONFLICT = ("TransactionCanceledException", "TransactionConflict", "None")


def test_a_view_that_met_a_conflict_is_read_and_decided_again(api: Api) -> None:
    url_token = api.push()

    with wire_tap.calls() as calls, responding(over_http(400, *CONFLICT)):
        answer = api.retrieve(url_token)

    names = [name for name, _ in calls if name != "GetSecretValue"]
    assert answer.json["payload"] == "s3cret"
    assert names == ["BatchGetItem", "TransactWriteItems"] * 2


def test_a_view_without_a_response_is_repeated_unchanged(api: Api) -> None:
    url_token = api.push()

    lost = over_http(500, "InternalServerError")
    with wire_tap.calls() as calls, responding(lost, over_http(400, *CONFLICT), over_http(400, *CONFLICT)):
        answer = api.retrieve(url_token)

    names = [name for name, _ in calls if name != "GetSecretValue"]
    sent = [parameters for name, parameters in calls if name == "TransactWriteItems"]
    assert answer.json["payload"] == "s3cret"
    assert names == ["BatchGetItem", *["TransactWriteItems"] * 3]
    assert sent == sent[:1] * 3
