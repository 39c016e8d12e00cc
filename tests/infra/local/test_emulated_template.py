"""The emulator gets the whole template except for the resources that it rejects."""

import json
import re

from infra.build import template
from infra.local.emulated_template import without_unsupported

REFUSED = {
    "AWS::Logs::QueryDefinition",
    "AWS::CloudWatch::Dashboard",
    "AWS::CloudWatch::Alarm",
    "AWS::Budgets::Budget",
    "AWS::Cognito::UserPoolIdentityProvider",
}


def test_only_resources_that_the_emulator_rejects_are_left_out() -> None:
    whole = template.load()

    left = without_unsupported(whole)

    missing = whole["Resources"].keys() - left["Resources"].keys()
    assert {whole["Resources"][name]["Type"] for name in missing} == REFUSED
    assert {"Dashboard", "WorkersCrash"} <= missing
    assert "RequestsFail" in left["Resources"]
    for name, resource in left["Resources"].items():
        assert resource | {"DependsOn": []} == whole["Resources"][name] | {"DependsOn": []}
    assert {key: value for key, value in left.items() if key != "Resources"} == {
        key: value for key, value in whole.items() if key != "Resources"
    }


def test_the_remaining_template_has_no_dangling_reference() -> None:
    left = without_unsupported(template.load())

    text = json.dumps(left)

    for name in template.load()["Resources"].keys() - left["Resources"].keys():
        assert not re.search(rf"\b{name}\b", text), name
