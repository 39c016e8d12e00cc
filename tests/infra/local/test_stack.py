"""The emulator gets the whole template except for the resources that it rejects."""

import json

from infra.build import template
from infra.local import stack

REFUSED = {"AWS::Logs::QueryDefinition", "AWS::CloudWatch::Dashboard", "AWS::CloudWatch::Alarm", "AWS::Budgets::Budget"}


def test_only_resources_that_the_emulator_rejects_are_left_out() -> None:
    whole = template.load()

    left = stack.without_unsupported(whole)

    missing = whole["Resources"].keys() - left["Resources"].keys()
    assert {whole["Resources"][name]["Type"] for name in missing} == REFUSED
    assert {"Dashboard", "WorkersCrash"} <= missing
    assert "RequestsFail" in left["Resources"]
    for name, resource in left["Resources"].items():
        assert resource == whole["Resources"][name]
    assert {key: value for key, value in left.items() if key != "Resources"} == {
        key: value for key, value in whole.items() if key != "Resources"
    }


def test_the_remaining_template_has_no_dangling_reference() -> None:
    left = stack.without_unsupported(template.load())

    text = json.dumps(left)

    for name in template.load()["Resources"].keys() - left["Resources"].keys():
        assert name not in text, name
