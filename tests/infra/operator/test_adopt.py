"""A stack created from an earlier one's remaining resources, on an emulator without functions."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.build import template
from infra.local.emulator import Emulator
from infra.operator import adopt


def test_kept_resources_can_be_adopted() -> None:
    found = template.load()["Resources"].items()
    kept = {name for name, one in found if one.get("DeletionPolicy") == "RetainExceptOnCreate"}

    assert kept | {"Secrets"} <= set(adopt.adoptable())


@pytest.mark.parametrize("names", [list(adopt.adoptable()), ["Bucket"], ["UserPool"]])
def test_a_template_to_import_into_refers_to_nothing_else(names: list[str]) -> None:
    made = adopt.template_of(names)

    named = set(re.findall(r'"(?:Ref|Fn::GetAtt)": "(\w+)', json.dumps(made))) - {"AWS"}  # not a resource: AWS::NoValue
    assert set(made["Resources"]) == set(names)
    assert named == set(made["Parameters"])
    assert made["Parameters"].items() <= template.load()["Parameters"].items()


@pytest.mark.parametrize("wrong", ["Pushes", "Nothing=x", "Removals=x"])
def test_a_resource_that_cannot_be_adopted_is_refused(wrong: str) -> None:
    with pytest.raises(SystemExit):
        adopt.main([wrong])


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Emulator]:
    emulator = Emulator(tmp_path)
    try:
        emulator.start()
        yield emulator
    finally:
        emulator.stop()


def test_a_deletion_keeps_the_data_and_a_new_stack_adopts_it(emulator: Emulator) -> None:
    cloudformation, dynamodb = emulator.client("cloudformation"), emulator.client("dynamodb")
    names = adopt.adoptable().keys() - {"InstanceKey"}  # the emulator cannot import a secret
    template_body = json.dumps(adopt.template_of(names))
    cloudformation.create_stack(StackName="s", TemplateBody=template_body)
    cloudformation.get_waiter("stack_create_complete").wait(StackName="s", WaiterConfig={"Delay": 1})
    before = resources(cloudformation)

    cloudformation.delete_stack(StackName="s")
    cloudformation.get_waiter("stack_delete_complete").wait(StackName="s", WaiterConfig={"Delay": 1})
    left = set(dynamodb.list_tables()["TableNames"])
    kept = {name: before[name] for name in names - {"Secrets", "Quotas"}}
    adopt.adopt(cloudformation, "s", kept)

    assert left == {kept[name] for name in ("Pushes", "AuditEntries", "ApiTokens", "Asks")}
    assert resources(cloudformation) == kept


def resources(cloudformation: Any) -> dict[str, str]:
    """Return the stack's resources: names by logical id."""
    found = cloudformation.describe_stack_resources(StackName="s")["StackResources"]
    return {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in found}
