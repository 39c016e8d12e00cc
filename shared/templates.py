"""Templates to HTML: what is shown is escaped, and what is missing is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

TEMPLATES = Path(__file__).parent.parent / "functions" / "pages" / "templates"


def render(template: str, values: Mapping[str, Any]) -> str:
    """A page's HTML."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"exact": _exact, "moment": _moment, "bytes": _bytes}
    return environment


def _exact(text: str) -> Markup:
    """Text for a pre element, from which a browser reads just this text again: it would drop a first line break."""
    return Markup("\n") + escape(text).replace("\r", Markup("&#13;"))


def _moment(moment: Any) -> Markup:
    """A moment, which the script turns into the reader's zone."""
    shown = f"{moment:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), shown)


def _bytes(size: int) -> str:
    """A size in words."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:  # noqa: PLR2004 (it is what the units say)
            return f"{size:,.0f} {unit}"
        size = round(size / 1024)
    return f"{size:,.0f} GiB"
