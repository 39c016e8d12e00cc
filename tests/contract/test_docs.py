import re

from infra import template
from shared import __version__


def test_the_top_version_of_the_changelog_is_the_one_reported() -> None:
    changelog = (template.ROOT / "CHANGELOG.md").read_text()

    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == __version__


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
