"""Observe or break the code's calls to AWS."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from botocore.awsrequest import AWSResponse
from botocore.client import BaseClient
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError
from moto.core.botocore_stubber import MockRawResponse

from shared.aws.connection import connection

Call = tuple[str, dict[str, Any]]


@contextmanager
def calls() -> Iterator[list[Call]]:
    """Record every call in this block: operation and parameters. Calls of a double's server are not the code's."""
    made: list[Call] = []

    def watch(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if "process_request_thread" not in threading.current_thread().name:  # socketserver's name for its threads
            made.append((operation, parameters))
        return call()

    with around(watch):
        yield made


@contextmanager
def failing(number: int, *, after: bool) -> Iterator[list[str]]:
    """Let the call with this number fail for good: before it reaches AWS, or after it took effect there.

    Fails if there is no such call, because then nothing was tested.
    """
    made: list[str] = []

    def fail(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        made.append(operation)
        if len(made) - 1 != number:
            return call()
        if after:
            call()
            raise ReadTimeoutError(endpoint_url="http://aws.test")
        raise EndpointConnectionError(endpoint_url="http://aws.test")

    with around(fail):
        yield made
    assert len(made) > number, f"no call has the number {number}: {made}"


@contextmanager
def cancelling(code: str, *, after: bool = False) -> Iterator[None]:
    """Cancel the first transaction for a reason that moto never gives, optionally after it took effect."""
    left = [code]

    def cancel(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation != "TransactWriteItems" or not left:
            return call()
        if after:
            call()
        reasons = [{"Code": left.pop()}, {"Code": "None"}, {"Code": "None"}]
        answer: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
        raise ClientError(answer, operation)

    with around(cancel):
        yield
    assert not left, "no transaction was there to be cancelled"


@contextmanager
def answering(operation: str, code: str = "", *, times: int | None = None, status: int = 500) -> Iterator[list[str]]:
    """Answer an operation instead of AWS, so many times or always, with nothing or an error; yield each response."""
    answered: list[str] = []

    def answer(client: Any, call: Callable[[], Any], name: str, _parameters: dict[str, Any]) -> Any:
        if name != operation or len(answered) == times:
            return call()
        answered.append(name)
        if code:
            error = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
            raise client.exceptions.from_code(code)(error, name)
        return {}

    with around(answer):
        yield answered
    assert answered, f"{operation} was never called"


@contextmanager
def throttling(operation: str, body: dict[str, Any]) -> Iterator[None]:
    """Have DynamoDB answer the first try of an operation with this body, on the wire: the SDK may try again."""
    events, answered = connection().client.meta.events, list[bool]()

    def answer(request: Any, **_event: Any) -> AWSResponse | None:
        if answered:
            return None
        answered.append(True)
        status = 400 if "__type" in body else 200
        return AWSResponse(request.url, status, {}, MockRawResponse(json.dumps(body)))

    events.register_first(f"before-send.dynamodb.{operation}", answer)
    try:
        yield
    finally:
        events.unregister(f"before-send.dynamodb.{operation}", answer)
    assert answered, f"{operation} was never called"


@contextmanager
def before_first(operation: str, act: Callable[[], Any]) -> Iterator[None]:
    """Run a function just before the first call of an operation reaches AWS."""
    done: list[bool] = []

    def watch(_client: Any, call: Callable[[], Any], name: str, _parameters: dict[str, Any]) -> Any:
        if name == operation and not done:
            done.append(True)
            act()
        return call()

    with around(watch):
        yield
    assert done, f"{operation} was never called"


@contextmanager
def between_reads(late: str, act: Callable[[], Any]) -> Iterator[list[Any]]:
    """Run a function between the reads of the first batch with a push; yield the batch's responses.

    The reads of one BatchGetItem are no snapshot: the table `late` is read afterwards, the others before.
    """
    done: list[Any] = []
    begun: list[bool] = []

    def read(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation != "BatchGetItem" or begun:
            return call()
        before = call()
        if not before["Responses"].get("test-Pushes"):
            return before  # a batch for an API token
        begun.append(True)
        done.append(act())
        return before | {"Responses": before["Responses"] | {late: call()["Responses"][late]}}

    with around(read):
        yield done
    assert done, "no batch had a push"


@contextmanager
def around(act: Callable[[Any, Callable[[], Any], str, dict[str, Any]], Any]) -> Iterator[None]:
    """Let `act(client, call, operation, parameters)` answer every call; `call()` passes it on.

    Calls of already running threads are not changed: they belong to other fixtures, for example a stack's.
    """
    original, others = BaseClient._make_api_call, set(threading.enumerate()) - {threading.current_thread()}

    def patched(client: BaseClient, operation: str, parameters: dict[str, Any]) -> Any:
        if threading.current_thread() in others:
            return original(client, operation, parameters)
        return act(client, lambda: original(client, operation, parameters), operation, parameters)

    with mock.patch.object(BaseClient, "_make_api_call", patched):
        yield
