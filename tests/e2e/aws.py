"""Direct access to the deployed stack: raw items, objects, log lines."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from infra.build import template
from infra.local.stack import STACK_NAME, Stack


def items(stack: Stack) -> list[dict[str, Any]]:
    """Return every raw item of every table."""
    tables = [physical(stack, name) for name in template.resources("AWS::DynamoDB::Table")]
    return [item for table in tables for item in items_of(stack, table)]


def items_of(stack: Stack, table: str) -> list[dict[str, Any]]:
    """Return every raw item of a table, by the table's own name."""
    return [item for page in _pages(stack, "dynamodb", "scan", TableName=table) for item in page["Items"]]


def object_keys(stack: Stack) -> list[str]:
    """Return the key of every object of the bucket."""
    pages = _pages(stack, "s3", "list_objects_v2", Bucket=physical(stack, "Bucket"))
    return [found["Key"] for page in pages for found in page.get("Contents", [])]


def objects(stack: Stack) -> dict[str, bytes]:
    """Return every object of the bucket, by its key."""
    bucket, s3 = physical(stack, "Bucket"), stack.emulator.client("s3")
    contents = {}
    for key in object_keys(stack):
        # Another test's removal may happen between the two.
        with suppress(s3.exceptions.NoSuchKey):
            contents[key] = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    return contents


def log_lines(stack: Stack) -> list[str]:
    """Return every line of every log group. The emulator returns at most 10,000 lines, without a next page."""
    groups = [
        group["logGroupName"] for page in _pages(stack, "logs", "describe_log_groups") for group in page["logGroups"]
    ]
    return [line for group in groups for line in _lines_of(stack, group)]


def refusals(stack: Stack) -> list[str]:
    """Return every log line of a function's call that IAM rejected."""
    return [line for line in log_lines(stack) if "AccessDenied" in line]


def _lines_of(stack: Stack, group: str) -> list[str]:
    found: dict[tuple[str, int, str], str] = {}
    logs = stack.emulator.client("logs")
    since, before = 0, -1
    while len(found) > before:
        before = len(found)
        events = logs.filter_log_events(logGroupName=group, startTime=since)["events"]
        found |= {(one["logStreamName"], one["timestamp"], one["message"]): one["message"] for one in events}
        since = events[-1]["timestamp"] if events else since
    return list(found.values())


def physical(stack: Stack, logical_id: str, stack_name: str = STACK_NAME) -> str:
    """Return the physical name of a resource on the stack, or on another stack of the emulator."""
    cloudformation = stack.emulator.client("cloudformation")
    found = cloudformation.describe_stack_resource(StackName=stack_name, LogicalResourceId=logical_id)
    return str(found["StackResourceDetail"]["PhysicalResourceId"])


def _pages(stack: Stack, service: str, operation: str, **arguments: str) -> Iterator[dict[str, Any]]:
    yield from stack.emulator.client(service).get_paginator(operation).paginate(**arguments)
