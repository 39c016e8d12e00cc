import re

from infra.build import template
from shared import __version__


def test_the_top_version_of_the_changelog_is_the_one_reported() -> None:
    changelog = (template.ROOT / "CHANGELOG.md").read_text()

    assert re.findall(r"^## (\d\S+)", changelog, re.MULTILINE)[0] == __version__


def test_every_link_between_the_documents_leads_somewhere() -> None:
    for document in [template.ROOT / "README.md", *(template.ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\((?!http)([^)#]+)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_every_endpoint_stands_in_the_readme() -> None:
    readme = (template.ROOT / "README.md").read_text()
    shown = {"/f/{url_token}": "/f/…", "/r/{url_token}": "/r/…", "/users/{form}": "/users/sign_in"}
    of_v1 = {f"/{x}/{{url_token}}/{action}" for x in "fr" for action in ("preview", "audit")}
    paths = {route.key.split()[-1].removesuffix(".json").removesuffix("/r") for route in template.routes()}

    for path in paths - of_v1 - {"$default", "/assets/{name}", "/p/{url_token}/expire", "/pushes/{id}"}:
        assert shown.get(path, path.removesuffix("/expired")) in readme, path


def test_every_path_that_a_document_names_is_there() -> None:
    documents = [template.ROOT / "README.md", *(template.ROOT / "docs").glob("*.md")]
    files = {"samconfig.toml", "template.yaml", "pyproject.toml", "CHANGELOG.md"}
    for document in documents:
        for path in re.findall(r"(?<![\w./-])(?:shared|functions|infra|tests|docs)/[\w./-]*\w", document.read_text()):
            assert (template.ROOT / path).exists(), f"{document.name}: {path}"
    assert all((template.ROOT / name).exists() for name in files)


def test_every_module_that_a_docstring_or_a_comment_names_is_there() -> None:
    sources = [path for wing in ("shared", "functions", "infra") for path in (template.ROOT / wing).rglob("*.py")]
    there = {path.name for path in [*sources, *(template.ROOT / "tests").rglob("*.py")]}
    for source in sources:
        for name in re.findall(r"(?<![\w{}*%/])([a-z_0-9]+\.py)\b", source.read_text()):
            assert name in there, f"{source.name}: {name}"


def test_no_word_that_the_glossary_forbids_is_in_the_code() -> None:
    rows = re.findall(r"^\|.*\| ([^|]*) \|$", (template.ROOT / "docs/glossary.md").read_text(), re.MULTILINE)
    forbidden = {word.strip().lower() for row in rows for word in row.split(",")} - {"never", ""}
    sources = [path for wing in ("shared", "functions", "infra") for path in (template.ROOT / wing).rglob("*.py")]

    for source in sources:
        text = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", source.read_text()).lower()
        found = {word for word in forbidden if re.search(rf"(?<![a-z]){re.escape(word)}(?:s|es)?(?![a-z])", text)}
        assert not found, f"{source.name}: {found}"
