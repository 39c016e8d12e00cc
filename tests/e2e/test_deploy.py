"""`sam deploy --config-env prod` into the emulator, as `make deploy ENV=prod` calls it; nobody is there to answer."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from infra.build import deploy, template
from infra.local.stack import _SAM, Stack

NAME = "deployed-as-prod"
PROTECTED = ["Pushes", "Secrets", "AuditEntries", "ApiTokens", "Asks"]
REFUSED = "DeletionProtection|deletion protection|protected against deletion"


@dataclass(frozen=True)
class Deployed:
    """The stack, and what `sam` printed."""

    stack: Stack
    printed: str
    outputs: dict[str, str]
    ids: dict[str, str]
    tags: dict[str, str]

    def client(self, service: str) -> Any:
        return self.stack.emulator.client(service)


pytestmark = pytest.mark.timeout(600)  # two deployments


def deployed_as(stack: Stack, environment: str) -> str:
    """What `sam deploy --config-env` prints, with a standard input that is closed."""
    config = deploy.environment(environment)
    filled_in = [one for one in config["parameter_overrides"] if one != "AlarmMail="] + ["AlarmMail=ops@example.com"]
    arguments = deploy.sam_arguments(config | {"parameter_overrides": filled_in}, {})
    command = [
        *(str(_SAM), "deploy", "--config-file", str(template.ROOT / "samconfig.toml"), "--config-env", environment),
        *("--template-file", str(stack.directory / "packaged.yaml"), "--stack-name", NAME),
        *("--no-confirm-changeset", *arguments),
    ]
    variables = os.environ | stack.emulator.environment | {"SAM_CLI_TELEMETRY": "0", "SAM_CLI_POLL_DELAY": "0.2"}
    done = subprocess.run(
        command, cwd=template.ROOT, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def prod(stack: Stack) -> Iterator[Deployed]:
    printed = deployed_as(stack, "prod")
    cloudformation = stack.emulator.client("cloudformation")
    [described] = cloudformation.describe_stacks(StackName=NAME)["Stacks"]
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=NAME)
    resources = [one for page in pages for one in page["StackResourceSummaries"]]
    deployed = Deployed(
        stack,
        printed,
        outputs={one["OutputKey"]: one["OutputValue"] for one in described["Outputs"]},
        ids={one["LogicalResourceId"]: one["PhysicalResourceId"] for one in resources},
        tags={one["Key"]: one["Value"] for one in described["Tags"]},
    )
    yield deployed
    delete(deployed)
    # The tests beside this one take the emulator's only pool for theirs.
    deployed.client("cognito-idp").delete_user_pool(UserPoolId=deployed.ids["UserPool"])


def delete(deployed: Deployed) -> None:
    """Take the protection off, as a deployment without it does, and delete the stack."""
    for table in PROTECTED:
        asked = {"TableName": deployed.ids[table], "DeletionProtectionEnabled": False}
        with suppress(deployed.client("dynamodb").exceptions.ResourceNotFoundException):
            deployed.client("dynamodb").update_table(**asked)
    pool = deployed.ids["UserPool"]
    deployed.client("cognito-idp").update_user_pool(UserPoolId=pool, DeletionProtection="INACTIVE")
    cloudformation = deployed.client("cloudformation")
    cloudformation.delete_stack(StackName=NAME)
    cloudformation.get_waiter("stack_delete_complete").wait(StackName=NAME, WaiterConfig={"Delay": 1})


def test_nothing_is_asked(prod: Deployed) -> None:
    assert "[y/N]" not in prod.printed
    assert "Successfully created/updated stack" in prod.printed


def test_the_stack_is_tagged_with_what_was_deployed(prod: Deployed) -> None:
    assert prod.tags["Commit"] == deploy._commit()
    assert prod.tags["Environment"] == "prod"


def test_nothing_of_mail_is_there_without_an_identity(prod: Deployed) -> None:
    assert not {"MailReports", "Mails", "SendMail", "NoteMailReturn", "SendNotice", "FailedMails"} & set(prod.ids)


def test_every_output_has_a_value(prod: Deployed) -> None:
    unconditional = {name for name, output in template.load()["Outputs"].items() if "Condition" not in output}

    assert set(prod.outputs) == unconditional
    assert all(prod.outputs.values())


def test_the_first_version_of_the_instance_key_has_a_label_of_its_own(prod: Deployed) -> None:
    described = prod.client("secretsmanager").describe_secret(SecretId=prod.ids["InstanceKey"])

    [(version, labels)] = described["VersionIdsToStages"].items()
    assert sorted(labels) == ["AWSCURRENT", f"kept-{version}"]


@pytest.mark.parametrize("table", PROTECTED)
def test_a_protected_table_refuses_to_be_deleted(prod: Deployed, table: str) -> None:
    dynamodb = prod.client("dynamodb")

    with pytest.raises(dynamodb.exceptions.ClientError, match=REFUSED):
        dynamodb.delete_table(TableName=prod.ids[table])


def test_the_user_pool_refuses_to_be_deleted(prod: Deployed) -> None:
    cognito = prod.client("cognito-idp")

    described = cognito.describe_user_pool(UserPoolId=prod.ids["UserPool"])["UserPool"]

    assert described["DeletionProtection"] == "ACTIVE"
