"""The installation that an operator's command works on: the settings that its functions have."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.build import template
from infra.local import LOCAL

STACK_NAME = "secret-sharing"


def add_options(parser: argparse.ArgumentParser, *commands: argparse.ArgumentParser) -> None:
    """Add the options that name the installation; they may also stand behind any of its commands.

    A shell that has the names of another stack (infra/operator/names.py) means that one.
    """
    named = os.environ.get("StackName") or STACK_NAME  # noqa: SIM112 (as the names of its resources are written)
    for one in (parser, *commands):
        stack_name, local = (named, False) if one is parser else (argparse.SUPPRESS, argparse.SUPPRESS)
        one.add_argument("--stack-name", default=stack_name, help="the CloudFormation stack")
        one.add_argument(
            "--local", action="store_true", default=local, help="the local stack that `make run` has started"
        )


def connect(options: argparse.Namespace) -> dict[str, str]:
    """Set the environment that `shared` reads when it is loaded, which must not have happened yet.

    Returns the names, ARNs or URLs of the stack's resources by logical id.
    """
    if options.local:
        speak_to_local_stack(LOCAL)
    return find_resources(options.stack_name)


def speak_to_local_stack(path: Path) -> None:
    """Have every client speak to the emulator."""
    if not path.exists():
        sys.exit("No local stack is running here. Start one with: make run")
    os.environ.update(json.loads(path.read_text())["environment"])


def find_resources(stack_name: str) -> dict[str, str]:
    """Name the stack's tables, its user pool and all else that the functions' environment names; see `connect`."""
    try:
        resources, stack = _read(stack_name)
    except (BotoCoreError, ClientError) as error:
        sys.exit(f"The stack {stack_name} cannot be read: {error}")
    ids = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}
    chosen = {one["ParameterKey"]: one["ParameterValue"] for one in stack.get("Parameters", [])}
    values = template.defaults() | chosen | ids | {"AWS::StackName": stack_name}
    for name, value in template.environment().items():
        # What only CloudFormation can say (the secret of CloudFront) no operator's command needs.
        os.environ[name] = values[value["Ref"]] if "Ref" in value else ""
    return ids


def _read(stack_name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    cloudformation = boto3.client("cloudformation")
    os.environ.setdefault("AWS_REGION", cloudformation.meta.region_name)
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack_name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    [stack] = cloudformation.describe_stacks(StackName=stack_name)["Stacks"]
    return resources, stack
