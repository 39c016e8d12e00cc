"""A second stack next to the session's, with expendable tables; the session's stack has everything else."""

import json

from infra.build import template
from infra.local.stack import Stack
from tests.e2e import aws

NAME = "rehearsal"


def begin(stack: Stack) -> None:
    """Deploy the template's tables once more. Otherwise operators' commands use the session's resources."""
    loaded, tables = template.load(), template.resources("AWS::DynamoDB::Table")
    wanted = {value["Ref"] for value in template.environment().values() if "Ref" in value}
    others = wanted - tables.keys() - loaded["Parameters"].keys() - {"AWS::StackName"}
    lent = {name: {"Type": "String", "Default": aws.physical(stack, name)} for name in others}
    own = {name: loaded["Resources"][name] for name in tables}
    body = {"Parameters": loaded["Parameters"] | lent, "Conditions": loaded["Conditions"], "Resources": own}
    cloudformation = stack.emulator.client("cloudformation")
    cloudformation.create_stack(StackName=NAME, TemplateBody=json.dumps(body))
    cloudformation.get_waiter("stack_create_complete").wait(StackName=NAME, WaiterConfig={"Delay": 1})


def table(stack: Stack, name: str) -> str:
    """Return the name of its own table."""
    return aws.physical(stack, name, NAME)


def settings(stack: Stack, name: str) -> tuple[object, ...]:
    """Return its table's settings: TTL, recovery, protection, throughput limit."""
    client, own = stack.emulator.client("dynamodb"), {"TableName": table(stack, name)}
    expiry = client.describe_time_to_live(**own)["TimeToLiveDescription"]
    backups = client.describe_continuous_backups(**own)["ContinuousBackupsDescription"]
    described = client.describe_table(**own)["Table"]
    return (
        {"AttributeName": expiry["AttributeName"], "Enabled": expiry["TimeToLiveStatus"] == "ENABLED"},
        backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
        described["DeletionProtectionEnabled"],
        described["OnDemandThroughput"]["MaxWriteRequestUnits"],
    )
