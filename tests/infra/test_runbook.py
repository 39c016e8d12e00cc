"""docs/operations.md has an entry for each alarm, and every command in it exists with its options."""

import importlib.util
import re
import shlex
import subprocess
import sys

import boto3
import pytest
from botocore import xform_name

from infra.build import template
from tests.meters.runbook import ENTRIES, TEXT, commands, inline

COMMANDS = [*commands(), *inline()]
# Options of the AWS CLI itself, for any command.
GLOBAL = {"query", "output", "region", "max_items"}
OF_AWS = {
    *("KeyError", "TypeError", "AccessDenied", "AccessDeniedException", "PutEvents", "LimitExceededException"),
    *("InvalidRequestException", "GenerateSecretString", "PreviousCommit"),
    "BackupInUseException",
}
SESSION = boto3.Session(region_name="us-east-1")


def alarms() -> dict[str, dict[str, str]]:
    return template.resources("AWS::CloudWatch::Alarm")


def aws_commands() -> list[str]:
    return [command for command in COMMANDS if command.startswith("aws ")]


def test_each_alarm_has_an_entry_and_each_entry_an_alarm() -> None:
    assert ENTRIES.keys() == alarms().keys()
    assert len(ENTRIES) >= 19


@pytest.mark.parametrize("alarm", sorted(ENTRIES))
def test_an_alarm_s_entry_has_meaning_places_and_actions(alarm: str) -> None:
    assert [ENTRIES[alarm].count(f"**{part}:**") for part in ("Means", "Look", "Do")] == [1, 1, 1]


def test_each_query_that_it_names_is_saved_by_the_template() -> None:
    names = [query["Name"]["Fn::Sub"] for query in template.resources("AWS::Logs::QueryDefinition").values()]
    saved = {name.partition("/")[2] for name in names}
    named = re.findall(r'(?:query|queries|,|and) "([A-Z][^"]+)"', TEXT)

    assert set(named) <= saved
    assert len(set(named)) >= 5


def test_each_name_of_ours_is_a_parameter_a_resource_or_an_alarm() -> None:
    known = {*template.load()["Parameters"], *template.load()["Resources"], *template.load()["Outputs"], "StackName"}
    # SAM's resource for a function's event.
    known |= {f"{name}{event}" for name, one in template.functions().items() for event in one.get("Events", {})}
    variables = set(re.findall(r"\$(\w+)", " ".join(COMMANDS))) - {"N", "backup"}

    assert variables <= known
    for name in re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", TEXT):
        assert name in known | OF_AWS, name


@pytest.mark.parametrize("command", sorted({c for c in COMMANDS if "infra.operator" in c}))
def test_each_operator_s_command_accepts_its_arguments(command: str) -> None:
    module, *arguments = shlex.split(command.removeprefix('eval "$(').removesuffix(')"'))[2:]
    assert importlib.util.find_spec(module)

    code = f"import sys; from infra.operator import installation; import {module} as m\n"
    code += "def stop(options): sys.exit(42)\ninstallation.connect = stop\nm.main(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=template.ROOT, capture_output=True, check=False)

    assert done.returncode == 42, done.stderr.decode()


@pytest.mark.parametrize("command", sorted(set(aws_commands())))
def test_each_aws_command_exists_with_its_options(command: str) -> None:
    _, service, operation, *rest = shlex.split(re.sub(r"<([^>]*)>", "X", command))
    client = SESSION.client(service.removesuffix("api"), aws_access_key_id="x", aws_secret_access_key="x")
    if operation == "wait":
        assert rest[0].replace("-", "_") in client.waiter_names
        return

    names = {xform_name(name): name for name in client.meta.service_model.operation_names}
    shape = client.meta.service_model.operation_model(names[operation.replace("-", "_")]).input_shape
    members = {xform_name(name) for name in shape.members} if shape else set()
    given = [option[2:].replace("-", "_") for option in rest if option.startswith("--")]

    assert {option.removeprefix("no_") if option not in members else option for option in given} <= members | GLOBAL
    assert {xform_name(name) for name in (shape.required_members if shape else [])} <= set(given)


def test_every_other_command_is_known_too() -> None:
    make = (template.ROOT / "Makefile").read_text()
    others = [command for command in COMMANDS if "infra.operator" not in command and not command.startswith("aws ")]

    assert others == ['echo "$Pushes"', "git checkout <PreviousCommit> && make deploy ENV=prod"]
    assert re.search(r"^deploy:", make, re.MULTILINE)


def test_it_forbids_debug_and_names_the_quotas() -> None:
    assert "**Never DEBUG.**" in TEXT
    assert re.findall(r"^(\d)\. (\w+)", TEXT[TEXT.index("## Quotas") :], re.MULTILINE)[0] == ("1", "Lambda")
