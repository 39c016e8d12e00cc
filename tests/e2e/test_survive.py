"""An operator's emergency commands in docs/operations.md, on the running stack."""

import re
import shlex
import subprocess
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Stack
from shared.domain import digests
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.e2e.conftest import Command

pytestmark = pytest.mark.long


def restart(stack: Stack, function: str) -> None:
    """Restart a function cold; by itself it reads its key again after five minutes."""
    name = aws.physical(stack, function)
    stack.emulator.client("lambda").update_function_configuration(FunctionName=name, MemorySize=513)


def restore(stack: Stack, name: str) -> str:
    """Return a copy of a table as of now, under its own name."""
    target = f"restored-{name}-{uuid.uuid4().hex[:8]}"
    stack.emulator.client("dynamodb").restore_table_to_point_in_time(
        SourceTableName=aws.physical(stack, name), TargetTableName=target, UseLatestRestorableTime=True
    )
    return target


def test_a_rotation_keeps_old_pushes_and_counts_the_old_key_s_data(
    stack: Stack, bob: HttpApi, command: Command
) -> None:
    old = [bob.push(payload="old"), bob.push(payload="old", passphrase="p")]

    printed = command("rotate_key", "rotate")
    restart(stack, "CreatePush")
    new = bob.push(payload="new")
    counted = command("rotate_key", "count")

    answers = [bob.retrieve(old[0]), bob.retrieve(old[1], "p"), bob.retrieve(new)]
    assert [answer.json["payload"] for answer in answers] == ["old", "old", "new"]
    pushes = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) pushes", counted)]
    assert pushes[-1] == 1
    assert sum(pushes[:-1]) >= 2
    assert not keys_of(stack) & set(re.findall(r"\w{64}", printed + counted))

    earlier = [line.split()[0] for line in counted.splitlines() if "earlier" in line]
    ended = [command("rotate_key", "end", version) for version in earlier]

    assert "0 pushes" in ended[-1].splitlines()[-2]
    assert bob.retrieve(old[0]).json["payload"] is None
    assert bob.retrieve(new).json["payload"] == "new"


def keys_of(stack: Stack) -> set[str]:
    client, arn = stack.emulator.client("secretsmanager"), aws.physical(stack, "InstanceKey")
    versions = client.list_secret_version_ids(SecretId=arn)["Versions"]
    return {client.get_secret_value(SecretId=arn, VersionId=one["VersionId"])["SecretString"] for one in versions}


def test_a_restored_table_gives_no_view_and_returns_lost_records(stack: Stack, bob: HttpApi, command: Command) -> None:
    lost, kept = bob.push(expire_after_views=2, name="lost"), bob.push()
    tables = {name: restore(stack, name) for name in ("Pushes", "AuditEntries")}
    bob.retrieve(lost)
    delete(stack, "Pushes", lost)

    arguments = [f"{name}={table}" for name, table in tables.items()]
    printed = command("after_restore", "copy", *arguments)
    again = command("after_restore", "copy", *arguments)

    answer = bob.retrieve(lost).json
    assert (answer["expired"], answer["payload"]) == (True, None)
    assert "lost" in [push["name"] for push in bob.expired().json]
    assert bob.retrieve(kept).json["payload"] == "s3cret"
    assert "1 items of Pushes copied" in printed
    assert "0 items of Pushes copied" in again


def test_live_pushes_and_tokens_of_a_restored_table_end(
    stack: Stack, api: HttpApi, issue: Callable[[str], str], command: Command
) -> None:
    caller = api.as_owner(issue("restored@example.com"))
    url_token = caller.push()
    tables = {name: restore(stack, name) for name in ("Pushes", "ApiTokens")}
    arguments = [f"{name}={table}" for name, table in tables.items()]

    with pytest.raises(subprocess.CalledProcessError) as refused:
        command("after_restore", "end", *arguments)
    answer = caller.retrieve(url_token)
    live = {name: own(stack, name) for name in tables}
    printed = command("after_restore", "end", "--although-in-use", *arguments)

    assert f"The table {aws.physical(stack, 'Pushes')} is there" in refused.value.output
    assert answer.json["payload"] == "s3cret"
    assert {name: own(stack, name) for name in tables} == live
    assert [item for item in aws.items_of(stack, tables["ApiTokens"]) if "owner" in item] == []
    assert [item for item in aws.items_of(stack, tables["Pushes"]) if item.get("active_since")] == []
    assert int(printed.split()[0].replace(",", "")) >= 1
    assert digests.digest(url_token) not in {
        item["id"]["S"] for item in aws.items_of(stack, aws.physical(stack, "Secrets"))
    }


def own(stack: Stack, name: str) -> list[dict[str, Any]]:
    """Return the stack's own table, without the data that a function deletes once a push has no key."""
    found = aws.items_of(stack, aws.physical(stack, name))
    return [{key: value for key, value in item.items() if key != "active_since"} for item in found]


def delete(stack: Stack, name: str, url_token: str) -> None:
    key = {"id": {"S": digests.digest(url_token)}}
    stack.emulator.client("dynamodb").delete_item(TableName=aws.physical(stack, name), Key=key)


def test_a_shell_is_given_the_names_that_the_runbook_uses(stack: Stack, command: Command) -> None:
    lines = [line for line in command("names").splitlines() if line.startswith("export ")]

    names = dict(shlex.split(line)[1].split("=", 1) for line in lines)
    assert names["Pushes"] == aws.physical(stack, "Pushes")
    assert names["StackName"] == "secret-sharing"
