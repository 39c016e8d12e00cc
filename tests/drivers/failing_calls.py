"""Every endpoint's calls to AWS, one by one, for tests in which one of them fails."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.drivers.client import KEY, Answer, Api
from tests.engines import resources

VIEWS = 3
LARGE = "x" * 400_000  # stored in S3
AFTER = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
FILES = [{"filename": "a", "data": "YQ=="}, {"filename": "b", "size": 1}]

KEYS_OF_TWO_DAYS = ["ListSecretVersionIds", "GetSecretValue"]

# Every call of each use case, after the API token's; a test checks that the lists are complete.
CALLS = {
    "create": ["BatchGetItem", "GetSecretValue", "TransactWriteItems"],
    "create large": ["BatchGetItem", "GetSecretValue", "PutObject", "TransactWriteItems"],
    "create files": ["BatchGetItem", "GetSecretValue", "UpdateItem", "PutObject", "PutObject", "TransactWriteItems"],
    "retrieve": ["BatchGetItem", "BatchGetItem", "GetSecretValue", "TransactWriteItems"],
    "retrieve large": ["BatchGetItem", "BatchGetItem", "GetSecretValue", "GetObject", "TransactWriteItems"],
    "retrieve files": [
        *("BatchGetItem", "BatchGetItem", "GetSecretValue", "ListObjectsV2", "CopyObject", "CopyObject"),
        *("TransactWriteItems", "BatchGetItem", "ListObjectsV2", "GetObject", "TransactWriteItems"),
    ],
    "expire": ["BatchGetItem", "BatchGetItem", "TransactWriteItems"],
    "preview": ["BatchGetItem", "BatchGetItem"],
    "audit": ["BatchGetItem", "BatchGetItem", "Query"],
    "create keyed": ["BatchGetItem", *KEYS_OF_TWO_DAYS, "BatchGetItem", "TransactWriteItems"],
    "create keyed large": ["BatchGetItem", *KEYS_OF_TWO_DAYS, "BatchGetItem", "PutObject", "TransactWriteItems"],
    "create keyed files": [
        *("BatchGetItem", *KEYS_OF_TWO_DAYS, "BatchGetItem", "UpdateItem"),
        *("PutObject", "PutObject", "TransactWriteItems"),
    ],
    "retrieve keyed": ["BatchGetItem", "BatchGetItem", "GetSecretValue", "TransactWriteItems"],
    "retrieve keyed large": ["BatchGetItem", "BatchGetItem", "GetSecretValue", "GetObject", "TransactWriteItems"],
    "retrieve keyed files": [
        *("BatchGetItem", "BatchGetItem", "GetSecretValue", "ListObjectsV2", "CopyObject", "CopyObject"),
        *("TransactWriteItems", "BatchGetItem", "ListObjectsV2", "GetObject", "TransactWriteItems"),
    ],
    "active": ["BatchGetItem", "Query", "BatchGetItem", "GetSecretValue"],
    "expired": ["BatchGetItem", "Query", "BatchGetItem", "GetSecretValue"],
}
CALLS_OF_ASKS = {
    "answer": [
        *("BatchGetItem", "GetSecretValue", *KEYS_OF_TWO_DAYS, "BatchGetItem"),
        *("BatchGetItem", "UpdateItem", "TransactWriteItems"),
    ],
    "create": [*["BatchGetItem"] * 2, "AdminGetUser", *KEYS_OF_TWO_DAYS, "BatchGetItem", "TransactWriteItems"],
    "end": ["BatchGetItem", "BatchGetItem", "TransactWriteItems", "GetSecretValue"],
    "list": ["BatchGetItem", "Query", "BatchGetItem", "GetSecretValue"],
}


def each_call_of(*cases: str, calls: Mapping[str, list[str]] = CALLS) -> pytest.MarkDecorator:
    """Return a case for each of these calls."""
    numbered = [(case, number) for case in cases for number in range(len(calls[case]))]
    ids = [f"{case}: {number} {calls[case][number]}" for case, number in numbered]
    return pytest.mark.parametrize(("case", "number"), numbered, ids=ids)


def is_unavailable(answer: Answer) -> bool:
    return answer.status == 503 and "retry-after" in answer.headers and set(answer.json) == {"error"}


def serve_all(api: Api, url_token: str) -> int:
    """Retrieve until nothing is left, and count the payloads."""
    return sum(api.retrieve(url_token).json["payload"] is not None for _ in range(VIEWS + 2))


Ask = Callable[..., Callable[[], Answer]]


@pytest.fixture
def ask(bob: Api) -> Ask:
    """Send a case's request, for an existing push, to a cold function."""

    def ask(case: str, views: int = VIEWS) -> Callable[[], Answer]:
        endpoint, *what = case.split()
        payload = LARGE if what[-1:] in (["large"], ["files"]) else "s3cret"
        files, key = FILES if "files" in what else [], KEY if "keyed" in what else None
        if endpoint == "create":
            resources.renew()
            return lambda: bob.create(payload, files=files, key=key)
        created = bob.create(payload, files=files, expire_after_views=views).json
        if files:
            bring(created["uploads"][0])
        if endpoint == "expired":
            bob.expire(created["url_token"])
        resources.renew()
        if endpoint == "retrieve":
            return lambda: bob.retrieve(created["url_token"], key=key)
        call = getattr(bob, endpoint)
        return call if endpoint in ("active", "expired") else lambda: call(created["url_token"])

    return ask


def bring(upload: dict[str, Any]) -> None:
    """Upload the second file."""
    resources.client("s3").put_object(Bucket="test-bucket", Key=upload["fields"]["key"], Body=b"b")


def url_token_of_only_push(bob: Api) -> str:
    pushes: list[dict[str, Any]] = bob.active().json + bob.expired().json
    [push] = pushes
    return str(push["url_token"])
