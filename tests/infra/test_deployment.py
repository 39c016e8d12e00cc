"""The template deploys and deletes as samconfig.toml and the documents say."""

import re
import subprocess
import tomllib
from typing import Any

import pytest

from infra.build import template

CONFIG = tomllib.loads((template.ROOT / "samconfig.toml").read_text())
OPERATIONS = template.ROOT / "docs" / "operations.md"
COMMANDS = [template.ROOT / "README.md", *(template.ROOT / "docs").glob("*.md")]
TABLES = "AWS::DynamoDB::Table"
KEEP_DATA = {
    *(TABLES, "AWS::S3::Bucket", "AWS::SecretsManager::Secret", "AWS::Cognito::UserPool"),
    *("AWS::SQS::Queue", "AWS::Logs::LogGroup"),
}
KEPT = {"RetainExceptOnCreate": "kept", "Delete": "destroyed"}


def stateful() -> dict[str, dict[str, Any]]:
    """Return every resource that holds data, by logical id."""
    return {name: one for name, one in template.load()["Resources"].items() if one["Type"] in KEEP_DATA}


# ---------------------------------------------------------------- samconfig.toml


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_an_environment_asks_nothing_and_names_parameters_that_there_are(environment: str) -> None:
    chosen = CONFIG[environment]["deploy"]["parameters"]
    parameters = template.load()["Parameters"]

    assert chosen["confirm_changeset"] is False
    assert {"stack_name", "capabilities", "resolve_s3"} <= set(chosen)
    assert "guided" not in chosen
    for override in chosen["parameter_overrides"]:
        name, _, value = override.partition("=")
        assert value in map(str, parameters[name]["AllowedValues"])


def test_every_parameter_has_a_default_so_that_none_has_to_be_asked_for() -> None:
    assert [name for name, one in template.load()["Parameters"].items() if "Default" not in one] == []


def test_prod_protects_its_data_and_dev_is_another_stack() -> None:
    dev, prod = (CONFIG[environment]["deploy"]["parameters"] for environment in ("dev", "prod"))

    assert "DeletionProtection=true" in prod["parameter_overrides"]
    assert "DeletionProtection=false" in dev["parameter_overrides"]
    assert dev["stack_name"] != prod["stack_name"] == CONFIG["default"]["global"]["parameters"]["stack_name"]


# ---------------------------------------------------------------- protection and deletion


def test_what_cannot_be_made_again_can_be_protected_from_deletion() -> None:
    protected = {"Fn::If": ["ProtectsData", True, False]}
    tables = template.resources(TABLES)
    [pool] = template.resources("AWS::Cognito::UserPool").values()

    assert {name for name, table in tables.items() if table.get("DeletionProtectionEnabled") == protected} == {
        *(set(tables) - {"Quotas"})
    }
    assert pool["DeletionProtection"] == {"Fn::If": ["ProtectsData", "ACTIVE", "INACTIVE"]}


def test_what_a_deletion_leaves_and_destroys_is_written_down() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (kept|destroyed) \|", OPERATIONS.read_text(), re.MULTILINE)

    assert dict(rows) == {name: KEPT[one["DeletionPolicy"]] for name, one in stateful().items()}
    assert len(rows) == len(stateful())


def test_an_update_that_replaces_a_resource_keeps_what_a_deletion_keeps() -> None:
    for name, one in stateful().items():
        assert one["UpdateReplacePolicy"] == one["DeletionPolicy"].removesuffix("ExceptOnCreate"), name


# ---------------------------------------------------------------- outputs


def test_every_placeholder_of_a_command_is_an_output() -> None:
    asked = {name for page in COMMANDS for name in placeholders(page.read_text())}

    assert asked - set(template.load()["Outputs"]) == set()
    assert len(asked) > 3


def placeholders(page: str) -> set[str]:
    """Return the placeholders in angle brackets of a page's commands, in blocks and lines."""
    commands = re.findall(r"```console\n(.*?)```", page, re.DOTALL) + re.findall(r"`(aws [^`]+)`", page)
    return {name for command in commands for name in re.findall(r"<([A-Z]\w+)>", command)}


def test_everything_that_holds_data_is_an_output() -> None:
    values = repr([one["Value"] for one in template.load()["Outputs"].values()])

    for name in [*stateful(), "UserPoolClient", "Api"]:
        assert f"{{'Ref': '{name}'}}" in values or f"{{'Fn::GetAtt': '{name}.Id'}}" in values, name


# ---------------------------------------------------------------- make


@pytest.mark.parametrize(("version", "is_refused"), [("3.81", True), ("3.82", False), ("4.3", False)])
def test_an_old_make_says_what_it_needs(version: str, is_refused: bool) -> None:
    command = ["make", "--dry-run", f"MAKE_VERSION={version}", "help"]

    said = subprocess.run(command, cwd=template.ROOT, capture_output=True, text=True, check=False)

    assert (said.returncode != 0) is is_refused
    assert ("GNU make 3.82 or newer is needed" in said.stderr) is is_refused
    assert ("brew install make" in said.stderr) is is_refused
