"""Promise 8: a function may do just what its endpoint does, no more and no less."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import pytest

from functions import remove_objects, schedule_removal
from infra import template
from shared import seal
from tests import engine, wire_tap
from tests.client import Api
from tests.contract import test_removal

LARGE = "x" * 400_000

Permission = tuple[str, str]


# What the recipient of a link does with the voice of the function that signed it.
LINKS = {"Retrieve": {("s3:GetObject", "Bucket/*/files/*")}}


# What Lambda does with the voice of a function that has an event source or a log.
POLLING = {
    "ScheduleRemoval": {
        *((f"dynamodb:{action}", "Secrets.StreamArn") for action in ("DescribeStream", "GetRecords")),
        *((f"dynamodb:{action}", "Secrets.StreamArn") for action in ("GetShardIterator", "ListStreams")),
        ("sqs:SendMessage", "FailedRemovals"),
    },
    "RemoveObjects": {
        (f"sqs:{action}", "Removals") for action in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
    },
}
LOGGING = {("logs:CreateLogStream", "FunctionLogs"), ("logs:PutLogEvents", "FunctionLogs")}


def statements(function: str) -> list[dict[str, Any]]:
    """All statements of a function's policies, or of its role where the template makes that itself."""
    properties = template.functions()[function]
    policies = properties.get("Policies", [])
    if role := properties.get("Role"):
        made = template.resources("AWS::IAM::Role")[role["Fn::GetAtt"].removesuffix(".Arn")]
        policies = [policy["PolicyDocument"] for policy in made["Policies"]]
    return [statement for policy in policies for statement in policy["Statement"]]


def declared(function: str) -> set[Permission]:
    """The (action, resource) pairs of a function's policies."""
    pairs = set()
    for statement in statements(function):
        assert statement["Effect"] == "Allow"
        for resource in as_list(statement["Resource"]):
            pairs |= {(action, named(resource)) for action in as_list(statement["Action"])}
    return pairs


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def named(resource: dict[str, str]) -> str:
    """`Pushes`, `Pushes/index/by_owner`, `Bucket/*/payload`, `InstanceKey` and the like."""
    [value] = resource.values()
    return value.replace("${", "").replace("}", "").replace(".Arn", "")


def used(calls: list[wire_tap.Call]) -> set[Permission]:
    """The permissions that AWS asks of these calls."""
    return {permission for operation, parameters in calls for permission in needed(operation, parameters)}


def needed(operation: str, parameters: dict[str, Any]) -> list[Permission]:
    def table(name: str, action: str) -> Permission:
        return f"dynamodb:{action}", name.removeprefix("test-")

    match operation:
        case "BatchGetItem":
            return [table(name, operation) for name in parameters["RequestItems"]]
        case "TransactWriteItems":
            verbs = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
            return [table(one[verb]["TableName"], verbs[verb]) for one in parameters["TransactItems"] for verb in one]
        case "Query":
            index = f"/index/{parameters['IndexName']}" if "IndexName" in parameters else ""
            return [table(parameters["TableName"] + index, operation)]
        case "GetObject" | "PutObject":
            place = parameters["Key"].partition("/")[2].replace("files/0", "files/*")
            return [(f"s3:{operation}", f"Bucket/*/{place}")]
        case "ListObjectsV2":
            return [("s3:ListBucket", "Bucket")]
        case "DeleteObjects":
            return [("s3:DeleteObject", "Bucket/*")]
        case "SendMessage":
            return [("sqs:SendMessage", "Removals")]
        case "GetSecretValue":
            return [("secretsmanager:GetSecretValue", "InstanceKey")]
    return [table(parameters["TableName"], operation)]


def create(bob: Api) -> None:
    bob.push()
    bob.push(LARGE, files=[{"filename": "a", "data": ""}])


def retrieve(bob: Api) -> None:
    for payload in ("s3cret", LARGE):
        url_token = bob.push(payload, passphrase="right", expire_after_views=1)
        for passphrase in (None, "wrong", "right", "right"):
            bob.retrieve(url_token, passphrase)
    bob.retrieve(bob.push("", files=[{"filename": "a", "size": 1}]))


def all_endpoints(bob: Api) -> None:
    url_token = bob.push()
    bob.get("/api/v2/version")
    bob.get("/nowhere")
    bob.preview(url_token)
    bob.audit(url_token)
    bob.active()
    bob.expire(url_token)
    bob.expired()


LIVES: list[Callable[[Api], None]] = [create, retrieve, all_endpoints]


@pytest.fixture
def made(bob: Api, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[wire_tap.Call]]:
    """The calls that each function made in a life where all of it was needed."""
    made: dict[str, list[wire_tap.Call]] = {name: [] for name in template.functions()}
    request = Api.request

    def recorded(api: Api, method: str, path: str, **how: Any) -> Any:
        key = api.event(method, path)["routeKey"]
        owner = next(route.function for route in template.routes() if route.key == key)
        return record(owner, lambda: request(api, method, path, **how))

    def record(owner: str, act: Callable[[], Any]) -> Any:
        engine.forget()  # as cold as can be, so that the instance key is read in each
        with wire_tap.calls() as calls:
            answer = act()
        made[owner] += calls
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(Api, "request", recorded)
        for live in LIVES:
            live(bob)
    push_id = seal.digest(bob.push(LARGE))
    record("ScheduleRemoval", lambda: schedule_removal.handler(test_removal.stream(push_id), None))
    record("RemoveObjects", lambda: remove_objects.handler(test_removal.queue(push_id), None))
    return made


def test_a_function_may_do_just_what_it_does(made: dict[str, list[wire_tap.Call]]) -> None:
    for function, calls in made.items():
        needless = LINKS.get(function, set()) | POLLING.get(function, set()) | LOGGING
        assert declared(function) - needless == used(calls) - LINKS.get(function, set()), function


def test_retrieve_may_list_only_the_files_of_a_push(made: dict[str, list[wire_tap.Call]]) -> None:
    [listing] = [one for one in statements("Retrieve") if one["Action"] == "s3:ListBucket"]
    pattern = listing["Condition"]["StringLike"]["s3:prefix"]
    prefixes = [parameters["Prefix"] for operation, parameters in made["Retrieve"] if operation == "ListObjectsV2"]

    assert prefixes
    assert all(fnmatchcase(prefix, pattern) for prefix in prefixes)


def test_a_role_that_the_template_makes_is_lambdas_alone_and_has_no_other_policy() -> None:
    for role in template.resources("AWS::IAM::Role").values():
        [trust] = role["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Principal"] == {"Service": "lambda.amazonaws.com"}
        assert "ManagedPolicyArns" not in role


def test_no_function_may_scan_or_reach_every_resource() -> None:
    for function in template.functions():
        for action, resource in declared(function):
            assert "*" not in action
            assert "Scan" not in action
            assert resource.split("/")[0].replace(".", "").isalpha()
