"""Generate the documents that repeat the code: `make docs`."""

import ast
import re
from collections.abc import Callable
from typing import Any

from infra.build import architecture, openapi, permissions, template
from infra.figures import costs
from shared.domain.languages import SERVED

_LANGUAGES = re.compile(r"(?<=AllowedValues: \[)en, [^\]]*")  # of DefaultLocale
_ENDPOINTS = re.compile(r"(?<=<!-- endpoints: make docs -->\n).*?(?=<!-- end -->)", re.DOTALL)


def api() -> str:
    """Return docs/api.md with its table of endpoints, one row for each docstring of a handler."""
    found = []
    for module in (template.ROOT / "functions").glob("*.py"):
        line = (ast.get_docstring(ast.parse(module.read_text())) or "").partition("\n")[0]
        if match := re.match(r"(GET|POST|DELETE) (\S+): (.*)\.$", line):
            found.append((match[2], match[1], match[3]))
    rows = [f"| `{method} {path}` | {what} |" for path, method, what in sorted(found)]
    table = "\n".join(["| Endpoint | What it does |", "|---|---|", *rows]) + "\n"
    return _ENDPOINTS.sub(lambda _: table, (template.ROOT / "docs" / "api.md").read_text())


def allowed_languages() -> str:
    """Return template.yaml with the served languages as the values of `DefaultLocale`."""
    return _LANGUAGES.sub(", ".join(SERVED), template.PATH.read_text())


def settings() -> str:
    """Return docs/settings.md: a table of the template's parameters."""
    rows = [_setting(name, parameter) for name, parameter in template.load()["Parameters"].items()]
    return "\n".join([_SETTINGS, "| Parameter | Default | Allowed | Meaning |", "|---|---|---|---|", *rows]) + "\n"


def _setting(name: str, parameter: dict[str, Any]) -> str:
    default = f"`{parameter['Default']}`" if parameter["Default"] != "" else "empty"
    return f"| `{name}` | {default} | {_allowed(parameter)} | {parameter['Description']} |"


def _allowed(parameter: dict[str, Any]) -> str:
    if values := parameter.get("AllowedValues"):
        return ", ".join(f"`{value}`" for value in values)
    if parameter["Type"] == "Number":
        bounds = (("from", parameter.get("MinValue")), ("to", parameter.get("MaxValue")))
        return " ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
    return "text"


_SETTINGS = """\
# Settings

Generated from the parameters of `template.yaml` by `make docs`. Set them in `samconfig.toml`, or with
`sam deploy --parameter-overrides Name=value`. A parameter without a value is empty.
"""

PAGES: dict[str, Callable[[], str]] = {
    "template.yaml": allowed_languages,  # first: docs/settings.md repeats it
    "docs/api.md": api,
    "docs/architecture.md": architecture.page,
    "docs/costs.md": costs.page,
    "docs/permissions.md": permissions.page,
    "docs/settings.md": settings,
    "functions/openapi.json": openapi.as_json,
}


def main() -> None:
    """Write each document that is out of date."""
    for name, content in PAGES.items():
        path = template.ROOT / name
        text = content()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"Written: {name}")


if __name__ == "__main__":
    main()
