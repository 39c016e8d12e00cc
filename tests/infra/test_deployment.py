"""The template deploys and deletes as samconfig.toml and the documents say."""

import json
import re
import subprocess
import tomllib
from typing import Any

import pytest

from infra.build import conditions, deploy, template

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
def test_an_environment_asks_for_no_parameter_and_tags_what_it_deploys(environment: str) -> None:
    chosen = CONFIG[environment]["deploy"]["parameters"]

    assert {"stack_name", "capabilities", "resolve_s3"} <= set(chosen)
    assert "guided" not in chosen
    assert set(dict(one.split("=") for one in chosen["tags"])) == {"Application", "Environment"}
    assert deploy.parameters(chosen).keys() == template.load()["Parameters"].keys()


def test_prod_alone_asks_for_a_look_at_its_change_set() -> None:
    asks = {name: CONFIG[name]["deploy"]["parameters"]["confirm_changeset"] for name in ("dev", "prod")}

    assert asks == {"dev": False, "prod": True}


def test_prod_wants_one_line_filled_in() -> None:
    parameters = deploy.parameters(CONFIG["prod"]["deploy"]["parameters"])

    [broken] = conditions.broken_rules(template.load(), parameters)
    assert "AlarmMail or AlarmTopicArn" in broken
    assert conditions.broken_rules(template.load(), parameters | {"AlarmMail": "ops@example.com"}) == []


def test_every_parameter_has_a_default() -> None:
    assert [name for name, one in template.load()["Parameters"].items() if "Default" not in one] == []


def test_prod_protects_its_data_and_dev_is_another_stack() -> None:
    dev, prod = (CONFIG[environment]["deploy"]["parameters"] for environment in ("dev", "prod"))

    assert "DeletionProtection=true" in prod["parameter_overrides"]
    assert "DeletionProtection=false" in dev["parameter_overrides"]
    assert dev["stack_name"] != prod["stack_name"] == CONFIG["default"]["global"]["parameters"]["stack_name"]


# ---------------------------------------------------------------- the deployer's rights

# By the word in a resource type, where IAM has another.
SERVICES = {"Cognito": "cognito-idp", "Custom": "lambda", "ApiGatewayV2": "apigateway", "Function": "lambda"}
SERVICES |= {"HttpApi": "apigateway"}


@pytest.mark.parametrize("path", ["template.yaml", "infra/front.yaml"])
def test_the_deployers_policy_covers_each_type_of_resource(path: str) -> None:
    policy = json.loads((template.ROOT / "docs" / "deployer-policy.json").read_text())
    covered = {action.partition(":")[0] for one in policy["Statement"] for action in one["Action"]}
    kinds = {one["Type"] for one in template.read(template.ROOT / path)["Resources"].values()}

    words = {kind.split("::")[2 if "Serverless" in kind else 0 if "Custom" in kind else 1] for kind in kinds}
    assert {SERVICES.get(word, word.lower()) for word in words} - covered == set()
    assert {"cloudformation", "codedeploy", "sts"} <= covered


# ---------------------------------------------------------------- protection, and what a deletion leaves


def test_irreplaceable_resources_can_be_protected_from_deletion() -> None:
    protected = {"Fn::If": ["ProtectsData", True, False]}
    tables = template.resources(TABLES)
    [pool] = template.resources("AWS::Cognito::UserPool").values()

    assert {name for name, table in tables.items() if table.get("DeletionProtectionEnabled") == protected} == {
        *(set(tables) - {"Quotas"})
    }
    assert pool["DeletionProtection"] == {"Fn::If": ["ProtectsData", "ACTIVE", "INACTIVE"]}


def test_the_kept_and_deleted_resources_are_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (kept|destroyed) \|", OPERATIONS.read_text(), re.MULTILINE)

    assert dict(rows) == {name: KEPT[one["DeletionPolicy"]] for name, one in stateful().items()}
    assert len(rows) == len(stateful())


def test_the_example_workflow_deletes_everything_that_a_deletion_keeps() -> None:
    workflow = (template.ROOT / "docs" / "examples" / "deploy.yml").read_text()

    kept = {name for name, one in stateful().items() if KEPT[one["DeletionPolicy"]] == "kept"}
    assert set(re.findall(r"\$([A-Z]\w*[a-z]\w*)", workflow.partition("- name: Delete")[2])) == kept


def test_an_update_that_replaces_a_resource_keeps_the_old_data() -> None:
    for name, one in stateful().items():
        assert one["UpdateReplacePolicy"] == one["DeletionPolicy"].removesuffix("ExceptOnCreate"), name


# ---------------------------------------------------------------- names in commands


def test_every_placeholder_of_a_command_is_a_resource_or_a_tag() -> None:
    asked = {name for page in COMMANDS for name in placeholders(page.read_text())}

    assert asked - set(template.load()["Resources"]) == {"PreviousCommit"}
    assert len(asked) > 3


def placeholders(page: str) -> set[str]:
    """Return the placeholders in angle brackets of a page's commands, in blocks and lines."""
    commands = re.findall(r"```console\n(.*?)```", page, re.DOTALL) + re.findall(r"`(aws [^`]+)`", page)
    return {name for command in commands for name in re.findall(r"<([A-Z]\w+)>", command)}


def test_installations_of_one_name_in_two_regions_have_a_dashboard_each() -> None:
    [dashboard] = template.resources("AWS::CloudWatch::Dashboard").values()

    # "All dashboards in your account are global": AWS::CloudWatch::Dashboard; qnabot-on-aws, issue 81
    assert dashboard["DashboardName"] == {"Fn::Sub": "${AWS::StackName}-${AWS::Region}"}


# ---------------------------------------------------------------- make


@pytest.mark.parametrize(("version", "is_refused"), [("3.81", True), ("3.82", False), ("4.3", False)])
def test_an_old_make_names_the_required_version(version: str, is_refused: bool) -> None:
    command = ["make", "--dry-run", f"MAKE_VERSION={version}", "help"]

    said = subprocess.run(command, cwd=template.ROOT, capture_output=True, text=True, check=False)

    assert (said.returncode != 0) is is_refused
    assert ("GNU make 3.82 or newer is needed" in said.stderr) is is_refused
    assert ("brew install make" in said.stderr) is is_refused
