"""Each command of docs/operations.md works on the running stack, with AWS's own command line."""

import json
import os
import re
import subprocess
import time
import uuid
from collections.abc import Callable

import pytest

from infra.build import template
from infra.local.stack import Stack
from shared.domain import digests
from tests.drivers.http_client import HttpApi
from tests.e2e import aws, rehearsal
from tests.meters import runbook

pytestmark = pytest.mark.long

NAMES = 'eval "$(.venv/bin/python -m infra.operator.names{})"'
NOT_HERE = {
    NAMES.format(""): "every shell here begins with it",
    NAMES.format(" --local"): "is for the stack of `make run`: tests/infra/operator/test_names.py",
    "git checkout <PreviousCommit> && make deploy ENV=prod": "deploys to AWS",
}
# Unsupported by the emulator. Once it supports one, its test fails.
UNKNOWN = {
    "aws service-quotas get-service-quota": "MiniStack 1.5 has no Service Quotas",
    "aws service-quotas request-service-quota-increase": "MiniStack 1.5 has no Service Quotas",
}
# The expected output of a command, by its first three words.
PRINTS = {
    'echo "$Pushes"': "^secret-sharing-Pushes-",
    "aws cloudformation describe-stack-events": '"ResourceStatus": "(CREATE|UPDATE)_COMPLETE"',
    "aws cloudformation describe-stacks": r'"ParameterKey": "DeletionProtection"|^\[\]$',  # the local stack has no tags
    "aws lambda get-account-settings": r"^\d+$",
    "aws logs filter-log-events": r"\A(?![\s\S]*long ago)[\s\S]*of ours",
    "aws lambda get-event-source-mapping": r'\[\s*"Enabled",\s*"\w+',
    "aws lambda update-event-source-mapping": '"State": "Enabl(ed|ing)"',
    "aws sqs get-queue-attributes": r'"ApproximateNumberOfMessages": "\d+"',
    "aws s3api get-bucket-policy": "aws:SecureTransport",
    "aws cloudwatch list-metrics": '"Name": "reason"',
    "aws sesv2 get-account": '"HEALTHY"',
    "aws secretsmanager describe-secret": r"\[\s*\d[^]]*AWSCURRENT",
    "aws secretsmanager restore-secret": '"ARN"',
    "aws lambda invoke": r'\{"failed": "\w*"\}',  # test_probe.py sees it succeed
    "aws dynamodb update-table": '"TableName": "secret-sharing-Pushes-',
    ".venv/bin/python -m infra.operator.redrive": "0 messages failed again",
    ".venv/bin/python -m infra.operator.account": "The account is disabled",
    ".venv/bin/python -m infra.operator.rotate_key": r"current +[\d,]+ pushes",
}
EXAMPLES = {"bob@example.com": '"$Address"', "0f7c2a51-9d3e-4c53-b0ab-6d1f5b1c2e44": '"$Earlier"'}
RESTORING = runbook.blocks(runbook.RESTORE)
POINT_IN_TIME, FROM_BACKUP, COPY, END, SETTLE, DELETE = RESTORING
OTHERS = [line for block in runbook.blocks() if block not in RESTORING for line in block if line not in NOT_HERE]
OTHERS += runbook.inline()

Run = Callable[..., str]


def first_words(command: str) -> str:
    return " ".join(command.split()[:3])


@pytest.fixture(scope="module")
def shell(stack: Stack) -> Run:
    """Run lines in a shell that exits at the first failure; return their output."""

    def shell(*lines: str) -> str:
        path = os.pathsep.join([str(template.ROOT / ".local/venvs/awscli/bin"), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
            cwd=template.ROOT,
            env=stack.emulator.environment | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "None" not in re.findall(r"\w+", done.stdout)
        return done.stdout

    return shell


@pytest.fixture(scope="module")
def alarmed(stack: Stack, shell: Run) -> str:
    """Return a shell's start: the stack's names, without alarm causes that would break other tests.

    Meanwhile the data exists that an operator would look for after the alarms.
    """
    client, own = stack.emulator.client, f"runbook-{uuid.uuid4().hex[:8]}"
    client("secretsmanager").create_secret(Name=own, SecretString="k")
    client("secretsmanager").delete_secret(SecretId=own)
    client("s3").create_bucket(Bucket=own)
    statement = {"Effect": "Deny", "Condition": {"Bool": {"aws:SecureTransport": "false"}}}
    client("s3").put_bucket_policy(Bucket=own, Policy=json.dumps({"Statement": [statement]}))
    stack.emulator.make_account(f"{own}@example.com", "correct horse battery 1")
    stream = {"logGroupName": aws.physical(stack, "FunctionLogs"), "logStreamName": own}
    client("logs").create_log_stream(**stream)
    # AWS matches any of the words, the emulator all of them.
    words, now = ' "Task timed out" "Runtime." "Traceback" ', int(time.time() * 1000)
    said = {now - 7_200_000: f"{words} long ago", now: f"{words} of ours"}
    events = [{"timestamp": when, "message": message} for when, message in said.items()]
    client("logs").put_log_events(**stream, logEvents=events)
    reason = {"Dimensions": [{"Name": "reason", "Value": "why"}], "Value": 0}
    metrics = [reason | {"MetricName": name} for name in re.findall(r"--metric-name (\w+)", runbook.TEXT)]
    client("cloudwatch").put_metric_data(Namespace="secret-sharing", MetricData=metrics)
    names = shell(".venv/bin/python -m infra.operator.names")
    earlier = shell(names, ".venv/bin/python -m infra.operator.rotate_key rotate").splitlines()[1].split()[0]
    return f"{names}\nInstanceKey={own} Bucket={own} Address={own}@example.com Earlier={earlier}"


@pytest.mark.parametrize("command", [line for line in OTHERS if first_words(line) not in UNKNOWN])
def test_each_command_prints_the_expected_output(shell: Run, alarmed: str, command: str) -> None:
    expected = PRINTS[first_words(command)]
    before = [f"{command.replace('--enabled', '--no-enabled')} >/dev/null"] if "--enabled" in command else []

    for example, meant in EXAMPLES.items():
        command = command.replace(example, meant)
    printed = shell(alarmed, *before, command)

    assert re.search(expected, printed, re.MULTILINE), printed


@pytest.mark.parametrize("command", sorted(UNKNOWN))
def test_unsupported_commands_still_fail_on_the_emulator(shell: Run, alarmed: str, command: str) -> None:
    [line] = [line for line in OTHERS if first_words(line) == command]

    with pytest.raises(AssertionError, match=r"An error occurred \(\w+\) when calling"):
        shell(alarmed, line)


@pytest.fixture(scope="module")
def rehearsed(stack: Stack, shell: Run) -> str:
    """Return a shell's start: the names of a second stack with expendable tables."""
    rehearsal.begin(stack)
    return shell(f".venv/bin/python -m infra.operator.names --stack-name {rehearsal.NAME}")


@pytest.fixture
def lost(stack: Stack, shell: Run, rehearsed: str, bob: HttpApi) -> str:
    """Return the id of a live push of the second stack; an API token exists, too. A backup is older than both."""
    older = "aws dynamodb create-backup --backup-name older --table-name"
    shell(rehearsed, f'{older} "$Pushes"', f'{older} "$ApiTokens"')
    push_id = digests.digest(bob.push(expire_after_views=2))
    for name, key in {"Pushes": "id", "Secrets": "id", "AuditEntries": "push_id"}.items():
        for item in aws.items_of(stack, aws.physical(stack, name)):
            if item[key]["S"] == push_id:
                stack.emulator.client("dynamodb").put_item(TableName=rehearsal.table(stack, name), Item=item)
    shell(rehearsed, ".venv/bin/python -m infra.operator.issue_token mint --owner lost >/dev/null")
    return push_id


def of(name: str, lines: list[str]) -> list[str]:
    """Return the lines for `Pushes`, changed for another table as the runbook says."""
    small = {"AuditEntries": "entries", "ApiTokens": "tokens"}.get(name, "pushes")
    expiry = "expires_at" if name == "ApiTokens" else "purge_at"
    return [line.replace("Pushes", name).replace("-pushes", f"-{small}").replace("purge_at", expiry) for line in lines]


def test_missing_pushes_are_restored_as_ended(stack: Stack, shell: Run, rehearsed: str, lost: str) -> None:
    key = json.dumps({"id": {"S": lost}})
    restored = POINT_IN_TIME + of("AuditEntries", POINT_IN_TIME)
    losing = f"aws dynamodb delete-item --table-name \"$Pushes\" --key '{key}'"

    printed = shell(rehearsed, *restored, losing, *COPY, *DELETE, *of("AuditEntries", DELETE))

    [item] = [item for item in aws.items_of(stack, rehearsal.table(stack, "Pushes")) if item["id"]["S"] == lost]
    assert "1 items of Pushes copied" in printed
    assert "active_since" not in item
    assert lost not in [item["id"]["S"] for item in aws.items_of(stack, rehearsal.table(stack, "Secrets"))]


@pytest.mark.parametrize("name", ["Pushes", "ApiTokens"])
def test_a_table_that_is_gone_comes_back_and_nothing_in_it_is_alive(
    stack: Stack, shell: Run, rehearsed: str, lost: str, name: str
) -> None:
    # The emulator makes no final backup of a deleted table, but lists any backup as one: this replaces it.
    newer = 'aws dynamodb create-backup --backup-name newer --table-name "$Pushes"'
    gone = [*POINT_IN_TIME, *DELETE, newer, 'aws dynamodb delete-table --table-name "$Pushes"']

    printed = shell(rehearsed, *of(name, [*gone, *FROM_BACKUP, *END, *SETTLE, *DELETE]))

    settled = rehearsal.settings(stack, name)
    alive = {"Pushes": "active_since", "ApiTokens": "owner"}[name]
    assert re.search(r"^ +[1-9]\d* (pushes|API tokens and sessions) ended$", printed, re.MULTILINE)
    assert {alive in item for item in aws.items_of(stack, rehearsal.table(stack, name))} == {False}
    assert settled == (
        template.resources("AWS::DynamoDB::Table")[name]["TimeToLiveSpecification"],
        "ENABLED",
        True,
        200,
    )
