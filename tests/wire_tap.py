"""Look at, or break, the calls that the code under test makes to AWS."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any
from unittest import mock

from botocore.client import BaseClient
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

Call = tuple[str, dict[str, Any]]


@contextmanager
def calls() -> Iterator[list[Call]]:
    """Every call made meanwhile: operation and parameters."""
    made: list[Call] = []

    def watch(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        made.append((operation, parameters))
        return call()

    with _around(watch):
        yield made


@contextmanager
def failing(number: int, *, after: bool) -> Iterator[list[str]]:
    """Let the call with this number fail for good: before it reaches AWS, or after it took effect there."""
    made: list[str] = []

    def fail(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        made.append(operation)
        if len(made) - 1 != number:
            return call()
        if after:
            call()
            raise ReadTimeoutError(endpoint_url="http://aws.test")
        raise EndpointConnectionError(endpoint_url="http://aws.test")

    with _around(fail):
        yield made


@contextmanager
def cancelling(code: str, *, after: bool = False) -> Iterator[None]:
    """Let the first transaction be cancelled for a reason that moto never gives, perhaps after it was done."""
    left = [code]

    def cancel(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation != "TransactWriteItems" or not left:
            return call()
        if after:
            call()
        reasons = [{"Code": left.pop()}, {"Code": "None"}, {"Code": "None"}]
        answer: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
        raise ClientError(answer, operation)

    with _around(cancel):
        yield


@contextmanager
def answering(operation: str, code: str = "", *, times: int | None = None) -> Iterator[list[str]]:
    """Answer an operation in AWS's stead, so many times or always, with nothing or an error; give each answer."""
    answered: list[str] = []

    def answer(client: Any, call: Callable[[], Any], name: str, _parameters: dict[str, Any]) -> Any:
        if name != operation or len(answered) == times:
            return call()
        answered.append(name)
        if code:
            raise client.exceptions.from_code(code)({"Error": {"Code": code}}, name)
        return {}

    with _around(answer):
        yield answered


@contextmanager
def leaving_unread() -> Iterator[None]:
    """Let DynamoDB read nothing of a batch, and say so in an answer of 200, as it does when it is throttled."""

    def leave(_client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name != "BatchGetItem":
            return call()
        return {"Responses": {}, "UnprocessedKeys": parameters["RequestItems"]}

    with _around(leave):
        yield


@contextmanager
def refusing(*bodies: str, times: int | None = None) -> Iterator[None]:
    """Let SQS take a batch of messages without these, so many times or always, and say so in an answer of 200."""
    left = [times if times is not None else inf]

    def refuse(_client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name != "SendMessageBatch" or not left[0]:
            return call()
        refused = [entry for entry in parameters["Entries"] if entry["MessageBody"] in bodies]
        left[0] -= bool(refused)
        parameters["Entries"] = [entry for entry in parameters["Entries"] if entry not in refused]
        answer = call() if parameters["Entries"] else {}
        return answer | {
            "Failed": [{"Id": entry["Id"], "Code": "InternalError", "SenderFault": False} for entry in refused]
        }

    with _around(refuse):
        yield


@contextmanager
def listing(at_once: int, *, keeping: str = "") -> Iterator[None]:
    """Let S3 list so many keys a page, and keep objects whose key ends so, with an error of their own in a 200."""

    def page(_client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name == "ListObjectsV2":
            parameters["MaxKeys"] = at_once
        if name != "DeleteObjects" or not keeping:
            return call()
        doomed = parameters["Delete"]["Objects"]
        kept = [one for one in doomed if one["Key"].endswith(keeping)]
        parameters["Delete"]["Objects"] = [one for one in doomed if one not in kept]
        answer = call() if parameters["Delete"]["Objects"] else {}
        return answer | {"Errors": [{"Key": one["Key"], "Code": "AccessDenied"} for one in kept]}

    with _around(page):
        yield


@contextmanager
def before(operation: str, act: Callable[[], Any]) -> Iterator[None]:
    """Let something happen just before the first call of an operation reaches AWS."""
    left = [act]

    def first(_client: Any, call: Callable[[], Any], name: str, _parameters: dict[str, Any]) -> Any:
        if name == operation and left:
            left.pop()()
        return call()

    with _around(first):
        yield


@contextmanager
def copying_as_s3_does(*, up_to: float = inf) -> Iterator[None]:
    """Copy an object on condition of its ETag, which moto ignores; let a copy of more bytes than `up_to` time out."""

    def copy(client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name == "CopyObject":
            source = client.head_object(**parameters["CopySource"])
            if source["ETag"] != parameters["CopySourceIfMatch"]:
                raise ClientError({"Error": {"Code": "PreconditionFailed"}}, name)
            if source["ContentLength"] > up_to:
                raise ReadTimeoutError(endpoint_url="http://aws.test")
        return call()

    with _around(copy):
        yield


@contextmanager
def _around(act: Callable[[Any, Callable[[], Any], str, dict[str, Any]], Any]) -> Iterator[None]:
    original = BaseClient._make_api_call

    def patched(client: BaseClient, operation: str, parameters: dict[str, Any]) -> Any:
        return act(client, lambda: original(client, operation, parameters), operation, parameters)

    with mock.patch.object(BaseClient, "_make_api_call", patched):
        yield
