"""The installation that an operator's command works on: the settings that its functions have."""

import argparse
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.build import template
from infra.local import LOCAL

STACK_NAME = "secret-sharing"
_MAX_CLOCK_DIFFERENCE = timedelta(seconds=30)


def add_options(parser: argparse.ArgumentParser, *commands: argparse.ArgumentParser) -> None:
    """Add the options that name the installation to the parser, and to each of its commands.

    The default is the stack whose names the shell has (infra/operator/names.py).
    """
    named = os.environ.get("StackName") or STACK_NAME  # noqa: SIM112 (as the names of its resources are written)
    for one in (parser, *commands):
        stack_name, local = (named, False) if one is parser else (argparse.SUPPRESS, argparse.SUPPRESS)
        one.add_argument("--stack-name", default=stack_name, help="the CloudFormation stack")
        one.add_argument(
            "--local", action="store_true", default=local, help="the local stack that `make run` has started"
        )


def connect(options: argparse.Namespace) -> dict[str, str]:
    """Set the environment variables of `shared.runtime.settings`, before its first use.

    Returns the names, ARNs or URLs of the stack's resources by logical id.
    """
    if options.local:
        _use_local_stack()
    use_region()
    print_account(options.stack_name)
    return find_resources(options.stack_name)


def use_region() -> str:
    """Return the region from AWS_REGION, AWS_DEFAULT_REGION or the AWS configuration; set both variables.

    botocore ignores AWS_REGION, and reads AWS_DEFAULT_REGION before the configuration. Exits where there is none.
    """
    region = os.environ.get("AWS_REGION") or boto3.Session().region_name
    if not region:
        sys.exit("No AWS region is set. Set AWS_REGION, or a region in your AWS configuration (aws configure).")
    os.environ["AWS_REGION"] = os.environ["AWS_DEFAULT_REGION"] = region
    return region


def print_account(stack_name: str) -> None:
    """Print which account, region and stack a command works on, to standard error. Exits without valid credentials."""
    try:
        account = boto3.client("sts").get_caller_identity()["Account"]
    except (BotoCoreError, ClientError) as error:
        sys.exit(f"AWS does not accept these credentials: {error}")
    print(f"Account {account}, region {os.environ['AWS_REGION']}, stack {stack_name}.", file=sys.stderr)


def find_resources(stack_name: str) -> dict[str, str]:
    """Return the stack's resources as `connect` does, and set the functions' variables in the environment.

    Exits if the stack cannot be read, or if this computer's clock is wrong.
    """
    try:
        resources, stack = _read(stack_name)
    except (BotoCoreError, ClientError) as error:
        sys.exit(f"The stack {stack_name} cannot be read: {error}")
    ids = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}
    chosen = {one["ParameterKey"]: one["ParameterValue"] for one in stack.get("Parameters", [])}
    values = template.defaults() | chosen | ids | {"AWS::StackName": stack_name}
    for name, value in template.environment().items():
        # Only CloudFormation resolves the rest (the secret of CloudFront); no operator's command needs it.
        literal = value if isinstance(value, str) else ""
        os.environ[name] = values[value["Ref"]] if "Ref" in value else literal
    return ids


def _use_local_stack() -> None:
    """Configure every AWS client to call the emulator."""
    if not LOCAL.exists():
        sys.exit("No local stack is running here. Start one with: make run")
    os.environ.update(json.loads(LOCAL.read_text())["environment"])


def _read(stack_name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    cloudformation = boto3.client("cloudformation")
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack_name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    answer = cloudformation.describe_stacks(StackName=stack_name)
    _check_clock(answer)
    [stack] = answer["Stacks"]
    return resources, stack


def _check_clock(answer: dict[str, Any]) -> None:
    """Exit if this computer's clock is wrong: the commands date tokens, and the end of sessions, by it."""
    date = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
    difference = abs(datetime.now(UTC) - date)
    if difference > _MAX_CLOCK_DIFFERENCE:
        sys.exit(
            f"This computer's clock differs from AWS's by {int(difference.total_seconds())} seconds: set it first."
        )
