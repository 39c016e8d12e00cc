"""The stack that begins with what an earlier one has kept; e2e/test_deploy.py makes one."""

import json
import re

import pytest

from infra import adopt, template


def test_what_is_kept_can_be_adopted() -> None:
    assert {one["Type"] for one in adopt.kept().values()} <= set(adopt.IDENTIFIERS)


@pytest.mark.parametrize("names", [list(adopt.kept()), ["Bucket"], ["UserPool"]])
def test_a_template_of_what_is_kept_refers_to_nothing_else(names: list[str]) -> None:
    made = adopt.template_of(names)

    named = set(re.findall(r'"(?:Ref|Fn::GetAtt)": "(\w+)', json.dumps(made)))
    assert set(made["Resources"]) == set(names)
    assert named == set(made["Parameters"])
    assert made["Parameters"].items() <= template.load()["Parameters"].items()


@pytest.mark.parametrize("wrong", ["Pushes", "Nothing=x", "Secrets=x"])
def test_a_resource_that_is_not_kept_is_refused(wrong: str) -> None:
    with pytest.raises(SystemExit):
        adopt.main([wrong])
