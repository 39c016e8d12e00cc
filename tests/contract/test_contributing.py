"""Every command on a page exists, and the licence is named."""

import re
from pathlib import Path

import pytest

from infra.build import template
from tests.contract.test_docs import PAGES, name


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_of_ours_on_a_page_exists(page: Path) -> None:
    makefile = (template.ROOT / "Makefile").read_text()

    for target in re.findall(r"(?:`|\$ |&& |\$\()make (?:-s )?([a-z][a-z-]*)", page.read_text()):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for module in re.findall(r"python -m (infra\.[\w.]+)", page.read_text()):
        assert "__main__" in (template.ROOT / f"{module.replace('.', '/')}.py").read_text(), module


OPERATORS = {
    "account": ["disable", "delete", "end-two-factor"],
    "adopt": [""],
    "after_restore": ["copy", "end"],
    "issue_token": ["mint", "list", "revoke"],
    "move_pushes": ["--from-account"],
    "names": [""],
    "redrive": ["removals", "schedules", "events", "mails", "notices"],
    "rotate_key": ["rotate", "count", "end"],
}


def test_every_command_for_operators_is_on_a_page() -> None:
    text = "".join(page.read_text() for page in PAGES)
    modules = (template.ROOT / "infra" / "operator").glob("*.py")

    assert {path.stem for path in modules if "__main__" in path.read_text()} == OPERATORS.keys()
    for module, actions in OPERATORS.items():
        for action in actions:
            assert f"infra.operator.{module} {action}".strip() in text, f"{module} {action}"


def test_every_target_of_make_is_on_a_page() -> None:
    text = "".join(page.read_text() for page in PAGES)

    for target in re.findall(r"^([a-z-]+):.*##", (template.ROOT / "Makefile").read_text(), re.MULTILINE):
        assert target == "help" or f"make {target}" in text or f"make -s {target}" in text, target


def test_a_newcomer_is_given_the_commands_that_ci_runs() -> None:
    text = (template.ROOT / "CONTRIBUTING.md").read_text()

    for target in ("run", "test", "check"):
        assert f"$ make {target} " in text


def test_the_licence_is_named_the_same_everywhere() -> None:
    assert (template.ROOT / "LICENSE").read_text().split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert 'license = "Apache-2.0"' in (template.ROOT / "pyproject.toml").read_text()
    assert "identifier: Apache-2.0" in (template.ROOT / "docs/openapi.yaml").read_text()
