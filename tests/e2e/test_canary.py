"""What CloudFormation gets in each variant of the template: SAM's own translator and cfn-lint, in SAM's environment."""

import json
import subprocess
from collections import Counter
from typing import Any

import pytest

from infra.build import template

_PYTHON = template.ROOT / ".local" / "venvs" / "sam" / "bin" / "python"
_LIMIT = 500  # resources in a stack


def in_sam(code: str) -> Any:
    """What a program returns in `found`, run by the Python that SAM is installed in."""
    program = f"import json\nfrom unittest import mock\nfrom infra.build import deploy, lint_variants as lint\n{code}\n"
    program += "print(json.dumps(found))"
    done = subprocess.run([_PYTHON, "-c", program], cwd=template.ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def before_and_after() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the resources with everything on, before and after another setting."""
    before, after = in_sam("""
found = [lint.translate("everything")["Resources"]]
lint.VARIANTS["everything"][0]["MaxGuesses"] = "7"
found.append(lint.translate("everything")["Resources"])
""")
    return before, after


@pytest.fixture
def resources(before_and_after: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return before_and_after[0]


def of(resources: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: one for name, one in resources.items() if one["Type"] == kind}


def test_each_function_has_a_version_an_alias_and_a_group_that_the_alarm_stops(resources: dict[str, Any]) -> None:
    counts = Counter(one["Type"].rpartition("::")[2] for one in resources.values())
    groups = of(resources, "AWS::CodeDeploy::DeploymentGroup").values()

    functions = len(template.functions())
    assert (counts["Version"], counts["Alias"], len(groups)) == (functions,) * 3
    for group in groups:
        alarms = group["Properties"]["AlarmConfiguration"]["Alarms"]
        assert [alarm["Name"]["Ref"] for alarm in alarms] == ["RequestsFail"]
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["Properties"]["AutoRollbackConfiguration"]["Events"]


def test_every_caller_of_a_function_calls_its_alias(resources: dict[str, Any]) -> None:
    mappings = of(resources, "AWS::Lambda::EventSourceMapping").values()
    [api] = of(resources, "AWS::ApiGatewayV2::Api").values()
    methods = [one for path in api["Properties"]["Body"]["paths"].values() for one in path.values()]
    uris = [str(one["x-amazon-apigateway-integration"]["uri"]) for one in methods]

    assert all(one["Properties"]["FunctionName"]["Ref"].endswith("Aliaslive") for one in mappings)
    assert uris
    assert all("Aliaslive" in uri for uri in uris)


def test_versions_are_deleted_on_replacement_and_fit_in_a_stack(resources: dict[str, Any]) -> None:
    versions = of(resources, "AWS::Lambda::Version").values()

    assert all(version.get("DeletionPolicy", "Delete") == "Delete" for version in versions)
    assert len(resources) < _LIMIT * 9 / 10


def test_a_changed_setting_alone_makes_new_versions(
    before_and_after: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    before, after = (of(resources, "AWS::Lambda::Version").keys() for resources in before_and_after)

    assert before
    assert not before & after


@pytest.mark.long
def test_a_canary_alarm_that_names_the_api_is_found_as_a_cycle() -> None:
    """CloudFormation refuses it: aws/aws-cdk, issue 2231."""
    code = """
add = deploy.additions
def with_api_fails(*args, **how):
    added = add(*args, **how)
    added["DeploymentPreference"]["Alarms"].append({"Ref": "ApiFails"})
    return added
with mock.patch.object(deploy, "additions", with_api_fails):
    broken = lint.cycles_of(lint.translate("canary")["Resources"])
found = [sorted(broken[0]), lint.cycles_of(lint.translate("canary")["Resources"])]
"""
    cycle, without = in_sam(code)

    assert {"Api", "ApiFails", "ListActiveAliaslive", "ListActiveDeploymentGroup"} <= set(cycle)
    assert without == []


@pytest.mark.long
def test_ses_without_its_condition_is_found_in_a_region_that_lacks_it() -> None:
    code = """
deployed = lint.translate("plain")
well = lint._lint("plain", deployed)
deployed["Resources"]["MailReports"] = {"Type": "AWS::SES::ConfigurationSet"}
found = [well, lint._lint("plain", deployed)]
"""
    well, ill = in_sam(code)

    assert well == []
    assert [fault for fault in ill if "AWS::SES::ConfigurationSet" in fault and "ap-east-1" in fault]
    assert not [fault for fault in ill if "eu-west-1" in fault]


def test_without_a_canary_there_are_no_versions() -> None:
    assert "AutoPublishAlias" not in json.dumps(template.load())
