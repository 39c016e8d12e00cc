"""A deployment over the running stack, with data in it, loses nothing."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.stack import STACK_NAME, Stack
from tests.client import KEY
from tests.e2e import aws
from tests.e2e.conftest import minted, running
from tests.e2e.http_client import HttpApi

pytestmark = pytest.mark.timeout(600)  # two deployments

LONG = "x" * 5_000


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack of this module's own, which its tests update."""
    directory: Path = tmp_path_factory.mktemp("updated")
    with running(directory) as stack:
        yield stack


def test_what_was_there_before_an_update_is_there_after_it_and_counts_on(own: Stack) -> None:
    bob = HttpApi(base_url=own.base_url).as_owner(minted(own, "bob"))
    viewed, protected = bob.push(expire_after_views=2, name="viewed"), bob.push(passphrase="p", name="protected")
    long, ended, once = bob.push(payload=LONG), bob.push(name="ended"), bob.push(key=KEY)
    bob.retrieve(viewed)
    bob.expire(ended)
    log, items, resources = bob.audit(viewed).json, len(aws.items(own)), physical_ids(own)

    asyncio.run(own.update(MemorySize="640", MaxGuesses="50"))

    assert physical_ids(own) == resources
    assert len(aws.items(own)) == items
    assert functions_memory(own) == {640}
    assert bob.audit(viewed).json == log
    assert {push["name"] for push in bob.active().json} == {"viewed", "protected", ""}
    assert "ended" in {push["name"] for push in bob.expired().json}
    assert bob.push(key=KEY) == once
    assert bob.retrieve(protected, "p").json["payload"] == "s3cret"
    assert bob.retrieve(long).json["payload"] == LONG
    assert [bob.retrieve(viewed).json["payload"] for _ in range(2)] == ["s3cret", None]
    assert bob.retrieve(bob.push()).json["payload"] == "s3cret"


def physical_ids(stack: Stack) -> dict[str, str]:
    """What holds data, by logical id: none of it may be replaced."""
    found = stack.emulator.client("cloudformation").describe_stack_resources(StackName=STACK_NAME)["StackResources"]
    kinds = ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret", "AWS::Cognito::UserPool")
    return {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in found if one["ResourceType"] in kinds}


def functions_memory(stack: Stack) -> set[int]:
    functions = stack.emulator.client("lambda").list_functions(MaxItems=50)["Functions"]
    return {one["MemorySize"] for one in functions}
