"""What a newcomer is told to do works, and what they are told of is there."""

import re

import pytest

from infra.build import template

PAGES = ["CONTRIBUTING.md", "SECURITY.md", "docs/examples/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_for_newcomers_names_is_there(page: str) -> None:
    text = (template.ROOT / page).read_text()
    here = (template.ROOT / page).parent

    for path in re.findall(
        r"(?<![\w./-])(?:shared|functions|infra|tests|docs|\.ci)/[\w./-]*\w", text.replace("](docs", "] (docs")
    ):
        assert (template.ROOT / path).exists(), path
    for link in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (here / link).exists(), link


def test_every_command_that_a_newcomer_is_given_is_one() -> None:
    text = (template.ROOT / "CONTRIBUTING.md").read_text()
    makefile = (template.ROOT / "Makefile").read_text()
    targets = set(re.findall(r"make (\w+)", text))
    modules = re.findall(r"python -m (infra\.[\w.]+)", text)

    assert {"run", "test", "check"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert len(modules) == 3
    for module in modules:
        assert "__main__" in (template.ROOT / f"{module.replace('.', '/')}.py").read_text()


def test_the_licence_is_named_the_same_everywhere() -> None:
    assert (template.ROOT / "LICENSE").read_text().split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert 'license = "Apache-2.0"' in (template.ROOT / "pyproject.toml").read_text()
    assert "identifier: Apache-2.0" in (template.ROOT / "docs/openapi.yaml").read_text()
