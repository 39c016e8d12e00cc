"""Templates to HTML: what is shown is escaped, and what is missing is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape


class _Given:
    """Where the templates are: the pages say so when they are loaded, since nothing here knows them."""

    directory: Path | None = None


def use(directory: Path) -> None:
    """Render the templates of this directory from now on."""
    _Given.directory = directory
    _environment.cache_clear()


def render(template: str, values: Mapping[str, Any]) -> str:
    """A page's HTML."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    assert _Given.directory, "functions.pages says where the templates are"  # noqa: S101 (a mistake of ours)
    environment = Environment(
        loader=FileSystemLoader(_Given.directory),
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
