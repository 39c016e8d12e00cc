"""The documents: short, complete, and without references to other repositories."""

import re
from pathlib import Path

import pytest

from infra.build import template
from shared import __version__

ROOT = template.ROOT
DOCS = ROOT / "docs"
GENERATED = {"settings.md", "permissions.md", "architecture.md", "costs.md", "performance.md", "proof.md"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted(DOCS.glob("*.md")),
    DOCS / "examples" / "README.md",
    ROOT / "tests" / "doubles" / "README.md",
]
SOURCES = [path for room in ("shared", "functions", "infra") for path in (ROOT / room).rglob("*.py")]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def words(page: Path) -> int:
    return len(page.read_text().split())


def test_the_changelog_s_top_version_is_reported() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()

    assert re.findall(r"^## (\d\S+)", changelog, re.MULTILINE)[0] == __version__


def test_the_readme_is_read_in_three_minutes() -> None:
    readme = ROOT / "README.md"

    assert words(readme) <= 1_200
    assert len(readme.read_text().splitlines()) <= 150


def test_all_prose_together_has_at_most_16_000_words() -> None:
    hand_written = [page for page in PAGES if page.name not in GENERATED | {"contract.md"}]

    assert sum(map(words, hand_written)) <= 16_000


def test_the_readme_shows_the_example_that_ci_runs() -> None:
    [shown] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

    assert shown == (ROOT / "tests" / "test_readme_example.py").read_text()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link, _, heading in re.findall(r"\]\((?!http)([^)#]*)(#([^)]+))?\)", page.read_text()):
        linked = page.parent / link if link else page
        assert linked.exists(), link
        if heading:
            assert heading in anchors(linked), f"{link}#{heading}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub creates them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    rooms = r"(?:shared|functions|infra|tests|docs|requirements|\.ci)"

    for path in re.findall(rf"(?<![\w./-]){rooms}/[\w./-]*\w", page.read_text()):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_reference_leaves_the_repository(page: Path) -> None:
    outside = re.findall(
        r"\.\./shared|house\.md|design\.md|the design says|the specification, section", page.read_text()
    )

    assert outside == []


def test_every_section_of_the_contract_that_code_cites_is_there() -> None:
    sections = set(re.findall(r"^## (\d+)\.", (DOCS / "contract.md").read_text(), re.MULTILINE))
    cited: set[str] = set()
    for source in [*SOURCES, *(ROOT / "tests").rglob("*.py")]:
        for numbers in re.findall(r"contract(?:'s)?\W+sections? ([\d, and]*\d)", source.read_text()):
            cited |= set(re.findall(r"\d+", numbers))

    assert cited <= sections
    assert len(cited) > 5


def test_every_endpoint_is_in_the_api_page_or_the_guide() -> None:
    pages = (DOCS / "api.md").read_text() + (DOCS / "guide.md").read_text()
    shown = {"/f/{url_token}": "/f/…", "/r/{url_token}": "/r/…", "/users/{form}": "/users/sign_in"}
    shown |= dict.fromkeys(("/users/sign_in/provider", "/users/sign_in/callback"), "/users/sign_in")
    of_v1 = {f"/{x}/{{url_token}}/{action}" for x in "fr" for action in ("preview", "audit")}
    of_v1 |= {f"/{x}/active" for x in "fr"} | {f"/{x}/expired" for x in "pfr"}
    paths = {route.key.split()[-1].removesuffix(".json").removesuffix("/r") for route in template.routes()}

    unlinked = {"/favicon.ico", "/robots.txt", "/.well-known/change-password"}
    for path in paths - of_v1 - unlinked - {"$default", "/assets/{name}", "/p/{url_token}/expire", "/pushes/{id}"}:
        assert shown.get(path, path.removesuffix("/expired")) in pages, path


def test_a_decision_has_context_decision_and_consequences() -> None:
    entries = re.split(r"^## ", (DOCS / "decisions.md").read_text(), flags=re.MULTILINE)[1:]

    for entry in entries:
        title, _, body = entry.partition("\n")
        assert re.findall(r"^- \*\*(\w+)\.\*\*", body, re.MULTILINE) == ["Context", "Decision", "Consequences"], title
        assert len(body.split()) <= 125, title
    assert len(entries) <= 32


def test_every_module_that_a_docstring_or_a_comment_names_is_there() -> None:
    there = {path.name for path in [*SOURCES, *(ROOT / "tests").rglob("*.py")]}
    for source in SOURCES:
        for module in re.findall(r"(?<![\w{}*%/])([a-z_0-9]+\.py)\b", source.read_text()):
            assert module in there, f"{source.name}: {module}"


def test_no_word_that_the_glossary_forbids_is_in_the_code() -> None:
    rows = re.findall(r"^\| .* \| ([^|]*) \|$", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    forbidden = {word.strip().lower() for row in rows for word in row.split(",")} - {"never", ""}
    assert len(forbidden) > 5

    for source in SOURCES:
        text = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", source.read_text()).lower()
        found = {word for word in forbidden if re.search(rf"(?<![a-z]){re.escape(word)}(?:s|es)?(?![a-z])", text)}
        assert not found, f"{source.name}: {found}"
