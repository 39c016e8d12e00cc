"""The stack that begins with what an earlier one has kept; e2e/test_deploy.py makes one."""

import json
import re

import pytest

from infra import adopt, template


def test_what_is_kept_can_be_adopted() -> None:
    found = template.load()["Resources"].items()
    kept = {name for name, one in found if one.get("DeletionPolicy") == "RetainExceptOnCreate"}

    assert kept | {"Secrets"} <= set(adopt.adoptable())


@pytest.mark.parametrize("names", [list(adopt.adoptable()), ["Bucket"], ["UserPool"]])
def test_a_template_to_import_into_refers_to_nothing_else(names: list[str]) -> None:
    made = adopt.template_of(names)

    named = set(re.findall(r'"(?:Ref|Fn::GetAtt)": "(\w+)', json.dumps(made)))
    assert set(made["Resources"]) == set(names)
    assert named == set(made["Parameters"])
    assert made["Parameters"].items() <= template.load()["Parameters"].items()


@pytest.mark.parametrize("wrong", ["Pushes", "Nothing=x", "Removals=x"])
def test_a_resource_that_cannot_be_adopted_is_refused(wrong: str) -> None:
    with pytest.raises(SystemExit):
        adopt.main([wrong])
