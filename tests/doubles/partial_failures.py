"""Doubles of S3, SQS and DynamoDB that answer 200 to partial failures, and check conditions that moto ignores.

README.md in this directory names the sources.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError

from tests.meters.wire_tap import around


@contextmanager
def copying_as_s3_does(*, up_to: float = inf) -> Iterator[None]:
    """Check the ETag condition of a copy, which moto ignores; let a copy of more bytes than `up_to` time out."""
    too_long = []

    def copy(client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name == "CopyObject":
            source = client.head_object(**parameters["CopySource"])
            if source["ETag"] != parameters["CopySourceIfMatch"]:
                raise ClientError({"Error": {"Code": "PreconditionFailed"}}, name)
            if source["ContentLength"] > up_to:
                too_long.append(parameters["Key"])
                raise ReadTimeoutError(endpoint_url="http://aws.test")
        return call()

    with around(copy):
        yield
    assert too_long or up_to == inf, "no copy took too long"


@contextmanager
def leaving_unread() -> Iterator[None]:
    """Let DynamoDB read nothing of a batch and report it in a 200 response, as when it throttles."""
    left = []

    def leave(_client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name != "BatchGetItem":
            return call()
        left.append(name)
        return {"Responses": {}, "UnprocessedKeys": parameters["RequestItems"]}

    with around(leave):
        yield
    assert left, "no batch was read"


@contextmanager
def refusing(*bodies: str, times: int | None = None) -> Iterator[None]:
    """Let SQS reject these messages of a batch in a 200 response, so many times or always."""
    left, seen = [times if times is not None else inf], []

    def refuse(_client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name != "SendMessageBatch" or not left[0]:
            return call()
        refused = [entry for entry in parameters["Entries"] if entry["MessageBody"] in bodies]
        left[0] -= bool(refused)
        seen.extend(refused)
        parameters["Entries"] = [entry for entry in parameters["Entries"] if entry not in refused]
        answer = call() if parameters["Entries"] else {}
        return answer | {
            "Failed": [{"Id": entry["Id"], "Code": "InternalError", "SenderFault": False} for entry in refused]
        }

    with around(refuse):
        yield
    assert {entry["MessageBody"] for entry in seen} == set(bodies), "a message was never sent"


@contextmanager
def listing(at_once: int, *, keeping: str = "") -> Iterator[None]:
    """Let S3 list so many keys a page, and fail to delete keys with this ending, with an error for each in a 200."""
    lists, errors = [], []

    def page(_client: Any, call: Callable[[], Any], name: str, parameters: dict[str, Any]) -> Any:
        if name == "ListObjectsV2":
            parameters["MaxKeys"] = at_once
            lists.append(name)
        if name != "DeleteObjects" or not keeping:
            return call()
        doomed = parameters["Delete"]["Objects"]
        kept = [one for one in doomed if one["Key"].endswith(keeping)]
        parameters["Delete"]["Objects"] = [one for one in doomed if one not in kept]
        errors.extend(kept)
        answer = call() if parameters["Delete"]["Objects"] else {}
        return answer | {"Errors": [{"Key": one["Key"], "Code": "AccessDenied"} for one in kept]}

    with around(page):
        yield
    assert len(lists) > 1, "there was one page only"
    assert errors or not keeping, "nothing was kept"
