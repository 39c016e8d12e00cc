"""Generate docs/permissions.md: the permissions of each function, from the policies in template.yaml."""

import re
from collections import defaultdict
from typing import Any

from infra.build import template

Permission = tuple[str, str]  # an action, and the resource as `resource_name` names it
_CONFIGURATION_SETS = "arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:configuration-set/"

_DIGEST = "?" * 64  # the pattern of an id or a digest
_SOURCE = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html"


def page() -> str:
    """Return the whole page."""
    lines = [
        "# What each function may do",
        "",
        "Generated from `template.yaml` by `make docs`. `tests/contract/test_permissions.py` and `test_matrix.py` show",
        "that each permission is needed and that nothing else is allowed. All functions may write their own logs.",
        "",
        "| Function | Resource | Actions |",
        "|---|---|---|",
    ]
    for function in sorted(template.functions()):
        actions: defaultdict[str, list[str]] = defaultdict(list)
        for action, resource in sorted(permissions(function)):
            actions[resource].append(action)
        rows = [f"| {function} | {resource} | {', '.join(actions[resource])} |" for resource in sorted(actions)]
        lines += rows or [f"| {function} | none | none |"]
    return "\n".join([*lines, *_limits()]) + "\n"


def _limits() -> list[str]:
    rows: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for function in sorted(template.functions()):
        for statement in statements(function):
            limits = statement.get("Condition", {}).get("ForAllValues:StringLike", {})
            if "dynamodb:Attributes" in limits:
                keys = ", ".join(as_list(limits["dynamodb:LeadingKeys"])).replace(_DIGEST, "a digest")
                action, table = statement["Action"].removeprefix("dynamodb:"), resource_name(statement["Resource"])
                rows[table, action, keys, ", ".join(limits["dynamodb:Attributes"])].append(function)
    return [
        "",
        "## Keys and attributes that may be written",
        "",
        "A write touches no other key or attribute, not even in a condition, and returns nothing of the item",
        "(`dynamodb:LeadingKeys`, `dynamodb:Attributes`, `dynamodb:ReturnValues`:",
        f"[Using IAM policy conditions for fine-grained access control]({_SOURCE})).",
        "",
        "| Table | Action | Keys | Attributes | Functions |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(row)} | {', '.join(functions)} |" for row, functions in sorted(rows.items())),
    ]


def permissions(function: str) -> set[Permission]:
    """Return the permissions in a function's policies."""
    return {
        (action, resource_name(resource))
        for statement in statements(function)
        for resource in as_list(statement["Resource"])
        for action in as_list(statement["Action"])
    }


def statements(function: str) -> list[dict[str, Any]]:
    """Return the statements of a function's policies, or of its role if the template has one.

    Leaves out the optional statement for `BucketKeyArn`, because its key is not a resource of the stack.
    """
    properties = template.functions()[function]
    policies = properties.get("Policies", [])
    if role := properties.get("Role"):
        document = template.resources("AWS::IAM::Role")[role["Fn::GetAtt"].removesuffix(".Arn")]
        policies = [policy["PolicyDocument"] for policy in document["Policies"]]
    return [one for policy in policies for one in policy["Statement"] if "Fn::If" not in one]


def resource_name(resource: dict[str, Any]) -> str:
    """Return `Pushes`, `Pushes/index/by_owner`, `Bucket/*/payload`, `InstanceKey` and the like."""
    [value] = resource.values()
    if isinstance(value, list):  # Fn::If: the resource if the condition holds
        return resource_name(value[1])
    return re.sub(r"\$\{|\}|\.Arn|\.Id", "", value).removeprefix(_CONFIGURATION_SETS)


def as_list(value: Any) -> list[Any]:
    """Return a list, also for a single value."""
    return value if isinstance(value, list) else [value]
