"""`sam deploy --config-env prod`, as `make deploy ENV=prod` calls it, to the emulator, without interactive input."""

import os
import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from infra.build import template
from infra.local.stack import _ARCHITECTURES, _SAM, Stack

NAME = "deployed-as-prod"
PROTECTED = ["PushesTable", "SecretsTable", "AuditEntriesTable", "ApiTokensTable"]
REFUSED = "DeletionProtection|deletion protection|protected against deletion"


@dataclass(frozen=True)
class Deployed:
    """The stack and the output of `sam`."""

    stack: Stack
    printed: str
    outputs: dict[str, str]

    def client(self, service: str) -> Any:
        return self.stack.emulator.client(service)


pytestmark = pytest.mark.timeout(600)  # two deployments


def deploy(stack: Stack, environment: str) -> str:
    """Run `sam deploy --config-env` with a closed standard input; return its output."""
    config = tomllib.loads((template.ROOT / "samconfig.toml").read_text())
    # The emulator runs on this Python alone; everything else is the environment's.
    here = [f"Runtime=python{sys.version_info.major}.{sys.version_info.minor}"]
    here.append(f"Architecture={_ARCHITECTURES[platform.machine().lower()]}")
    command = [
        *(str(_SAM), "deploy", "--config-file", str(template.ROOT / "samconfig.toml"), "--config-env", environment),
        *("--template-file", str(stack.directory / "packaged.yaml"), "--stack-name", NAME),
        *("--parameter-overrides", *config[environment]["deploy"]["parameters"]["parameter_overrides"], *here),
    ]
    variables = os.environ | stack.emulator.environment | {"SAM_CLI_TELEMETRY": "0", "SAM_CLI_POLL_DELAY": "0.2"}
    done = subprocess.run(
        command, cwd=template.ROOT, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def prod(stack: Stack) -> Iterator[Deployed]:
    printed = deploy(stack, "prod")
    cloudformation = stack.emulator.client("cloudformation")
    [described] = cloudformation.describe_stacks(StackName=NAME)["Stacks"]
    deployed = Deployed(stack, printed, {one["OutputKey"]: one["OutputValue"] for one in described["Outputs"]})
    yield deployed
    delete(deployed)
    # Neighbouring tests expect their pool to be the emulator's only one.
    deployed.client("cognito-idp").delete_user_pool(UserPoolId=deployed.outputs["UserPoolId"])


def delete(deployed: Deployed) -> None:
    """Turn off the protection with a deployment, then delete the stack."""
    for table in PROTECTED:
        asked = {"TableName": deployed.outputs[table], "DeletionProtectionEnabled": False}
        with suppress(deployed.client("dynamodb").exceptions.ResourceNotFoundException):
            deployed.client("dynamodb").update_table(**asked)
    pool = deployed.outputs["UserPoolId"]
    deployed.client("cognito-idp").update_user_pool(UserPoolId=pool, DeletionProtection="INACTIVE")
    cloudformation = deployed.client("cloudformation")
    cloudformation.delete_stack(StackName=NAME)
    cloudformation.get_waiter("stack_delete_complete").wait(StackName=NAME, WaiterConfig={"Delay": 1})


def test_nothing_is_asked(prod: Deployed) -> None:
    assert "[y/N]" not in prod.printed
    assert "Successfully created/updated stack" in prod.printed


def test_every_output_has_a_value(prod: Deployed) -> None:
    unconditional = {name for name, output in template.load()["Outputs"].items() if "Condition" not in output}

    assert set(prod.outputs) == unconditional
    assert all(prod.outputs.values())


def test_the_first_version_of_the_instance_key_has_a_label_of_its_own(prod: Deployed) -> None:
    described = prod.client("secretsmanager").describe_secret(SecretId=prod.outputs["InstanceKey"])

    [(version, labels)] = described["VersionIdsToStages"].items()
    assert sorted(labels) == ["AWSCURRENT", f"kept-{version}"]


@pytest.mark.parametrize("table", PROTECTED)
def test_a_protected_table_refuses_to_be_deleted(prod: Deployed, table: str) -> None:
    dynamodb = prod.client("dynamodb")

    with pytest.raises(dynamodb.exceptions.ClientError, match=REFUSED):
        dynamodb.delete_table(TableName=prod.outputs[table])


def test_the_user_pool_refuses_to_be_deleted(prod: Deployed) -> None:
    cognito = prod.client("cognito-idp")

    described = cognito.describe_user_pool(UserPoolId=prod.outputs["UserPoolId"])["UserPool"]

    assert described["DeletionProtection"] == "ACTIVE"
