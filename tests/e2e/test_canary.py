"""SAM's output for a deployment by versions; the emulator has no CodeDeploy to run it."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from infra.build import canary, template

_PYTHON = template.ROOT / ".local" / "venvs" / "sam" / "bin" / "python"
_TRANSFORM = """
import json, sys
from unittest import mock
from samtranslator.translator.transform import transform
policies = mock.Mock(**{"load.return_value": {}})
json.dump(transform(json.load(sys.stdin), {}, policies), sys.stdout)
"""
_LIMIT = 500  # resources in a stack


def transformed(**how: Any) -> dict[str, Any]:
    """Return CloudFormation's resources for a deployment with these settings."""
    # The output of `sam build`.
    whole = json.loads(
        re.sub(r'"Fn::GetAtt": "(\w+)\.([\w.]+)"', r'"Fn::GetAtt": ["\1", "\2"]', json.dumps(template.load()))
    )
    whole["Globals"]["Function"] |= canary.additions(**how) | {"CodeUri": "s3://bucket/code"}
    done = subprocess.run(
        [_PYTHON, "-c", _TRANSFORM],
        input=json.dumps(whole),
        capture_output=True,
        text=True,
        check=True,
        env={"AWS_DEFAULT_REGION": "us-east-1"},
    )
    resources: dict[str, Any] = json.loads(done.stdout)["Resources"]
    return resources


@pytest.fixture(scope="module")
def resources() -> dict[str, Any]:
    return transformed(settings=["A=1"], canary=True, snap_start=True)


def of(resources: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: one for name, one in resources.items() if one["Type"] == kind}


def test_each_function_has_a_version_an_alias_and_a_group_that_the_alarms_stop(resources: dict[str, Any]) -> None:
    counts = Counter(one["Type"].rpartition("::")[2] for one in resources.values())
    groups = of(resources, "AWS::CodeDeploy::DeploymentGroup").values()

    functions = len(template.functions())
    assert (counts["Version"], counts["Alias"], len(groups)) == (functions,) * 3
    for group in groups:
        alarms = group["Properties"]["AlarmConfiguration"]["Alarms"]
        assert [alarm["Name"]["Ref"] for alarm in alarms] == ["RequestsFail", "ApiFails"]
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["Properties"]["AutoRollbackConfiguration"]["Events"]


def test_whatever_calls_a_function_calls_its_alias(resources: dict[str, Any]) -> None:
    mappings = of(resources, "AWS::Lambda::EventSourceMapping").values()
    [api] = of(resources, "AWS::ApiGatewayV2::Api").values()
    methods = [one for path in api["Properties"]["Body"]["paths"].values() for one in path.values()]
    uris = [str(one["x-amazon-apigateway-integration"]["uri"]) for one in methods]

    assert all(one["Properties"]["FunctionName"]["Ref"].endswith("Aliaslive") for one in mappings)
    assert uris
    assert all("Aliaslive" in uri for uri in uris)


def test_a_version_is_deleted_with_what_replaces_it_and_there_is_room_for_all(resources: dict[str, Any]) -> None:
    versions = of(resources, "AWS::Lambda::Version").values()

    assert all(version.get("DeletionPolicy", "Delete") == "Delete" for version in versions)
    assert len(resources) < _LIMIT * 4 / 5


def test_a_changed_setting_alone_makes_new_versions(resources: dict[str, Any]) -> None:
    other = transformed(settings=["A=2"], canary=True, snap_start=True)

    before, after = (of(one, "AWS::Lambda::Version").keys() for one in (resources, other))
    assert not before & after


def test_without_it_there_are_no_versions() -> None:
    assert Path(_PYTHON).exists()
    assert yaml.safe_dump(template.load()).count("AutoPublishAlias") == 0
