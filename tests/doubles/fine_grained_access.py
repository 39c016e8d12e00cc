"""IAM's conditions on writes to DynamoDB, by keys and attributes, which moto and MiniStack ignore.

Sources: AWS, "Using IAM policy conditions for fine-grained access control" (DynamoDB Developer Guide,
specifying-conditions): LeadingKeys, Attributes and ReturnValues. "IAM JSON policy elements: Condition operators"
(reference_policies_elements_condition_operators): StringLike, ...IfExists. "Multivalued context keys"
(reference_policies_condition-single-vs-multi-valued-context-keys): ForAllValues. "Using IAM with DynamoDB transactions"
(transaction-apis-iam): each part of a transaction needs the permission of its own action.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple
from unittest import mock

from botocore.client import BaseClient
from botocore.exceptions import ClientError

from infra.build import permissions, template

WRITES = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
LEADING_KEYS, ATTRIBUTES, RETURN_VALUES = "dynamodb:LeadingKeys", "dynamodb:Attributes", "dynamodb:ReturnValues"

_CALLS = {"attribute_exists", "attribute_not_exists", "if_not_exists"}  # functions of expressions

running: ContextVar[str | None] = ContextVar("running", default=None)  # the function that makes the calls


class Access(NamedTuple):
    """One write from IAM's view: action, table and the values of each condition key."""

    action: str
    table: str
    context: dict[str, list[str]]


def accesses(operation: str, parameters: dict[str, Any]) -> list[Access]:
    """Return the writes to DynamoDB in one call."""
    if operation == "TransactWriteItems":
        return [_access(WRITES[verb], one[verb]) for one in parameters["TransactItems"] for verb in one]
    return [_access(operation, parameters)] if operation in WRITES.values() else []


def _access(action: str, asked: dict[str, Any]) -> Access:
    table = asked["TableName"].removeprefix("test-")
    item = asked.get("Item") or asked["Key"]
    # An expression names an attribute by a placeholder or directly, in lower case here.
    expressions = asked.get("UpdateExpression", "") + asked.get("ConditionExpression", "")
    plain = set(re.findall(r"(?<![#:\w])[a-z]\w*", expressions)) - _CALLS
    attributes = {*item, *asked.get("ExpressionAttributeNames", {}).values(), *plain}
    context = {LEADING_KEYS: [item[_partition_key(table)]["S"]], ATTRIBUTES: sorted(attributes)}
    if "ReturnValues" in asked:
        context[RETURN_VALUES] = [asked["ReturnValues"]]
    return Access(f"dynamodb:{action}", table, context)


@cache
def _partition_key(table: str) -> str:
    schema = template.resources("AWS::DynamoDB::Table")[table]["KeySchema"]
    return next(str(key["AttributeName"]) for key in schema if key["KeyType"] == "HASH")


def meets(conditions: dict[str, dict[str, Any]], context: dict[str, list[str]]) -> bool:
    """Return whether a request with these condition keys meets every condition of a statement."""
    return all(
        _meets(operator, context.get(key), wanted if isinstance(wanted, list) else [wanted])
        for operator, keys in conditions.items()
        for key, wanted in keys.items()
    )


def _meets(operator: str, values: list[str] | None, wanted: list[str]) -> bool:
    match operator:
        case "ForAllValues:StringLike":  # also true if the request has no such key
            return all(any(fnmatchcase(value, pattern) for pattern in wanted) for value in values or [])
        case "StringEqualsIfExists":
            return values is None or values[0] in wanted
        case "StringLike":
            return values is not None and any(fnmatchcase(values[0], pattern) for pattern in wanted)
    raise NotImplementedError(operator)


def grants(statement: dict[str, Any], access: Access) -> bool:
    """Return whether a statement allows a write."""
    return (
        access.action in permissions.as_list(statement["Action"])
        and {"Fn::GetAtt": f"{access.table}.Arn"} in permissions.as_list(statement["Resource"])
        and meets(statement.get("Condition", {}), access.context)
    )


def may(function: str, access: Access) -> bool:
    """Return whether the policies of a function allow a write."""
    return any(grants(statement, access) for statement in _statements(function))


@cache
def _statements(function: str) -> list[dict[str, Any]]:
    return permissions.statements(function)


@contextmanager
def enforced() -> Iterator[None]:
    """Reject, as AWS would, each write to DynamoDB that the running function's policies do not allow."""
    original = BaseClient._make_api_call

    def checked(client: BaseClient, operation: str, parameters: dict[str, Any]) -> Any:
        function = running.get()
        for access in accesses(operation, parameters) if function else ():
            if function and not may(function, access):
                message = f"{function} may not {access.action} on {access.table}: {access.context}"
                raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": message}}, operation)
        return original(client, operation, parameters)

    with mock.patch.object(BaseClient, "_make_api_call", checked):
        yield
