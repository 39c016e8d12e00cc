"""Templates to HTML. Every value is escaped, and a missing one is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape


class _Templates:
    """Where the templates are; `functions.pages` says so when it is loaded (see `use`)."""

    directory: Path | None = None


def use(directory: Path) -> None:
    """Render the templates of this directory from here on."""
    _Templates.directory = directory
    _environment.cache_clear()


def render(template: str, values: Mapping[str, Any]) -> str:
    """A page's HTML.

    Raises: UndefinedError, when the template asks for a value that is not there.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    assert _Templates.directory, "functions.pages says where the templates are"  # noqa: S101 (a mistake of ours)
    environment = Environment(
        loader=FileSystemLoader(_Templates.directory),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"exact": _exact, "moment": _moment, "bytes": _bytes}
    return environment


def _exact(text: str) -> Markup:
    """Text for a `pre` element, exactly as it is: a browser drops a line break at its start, and turns CR into LF."""
    return Markup("\n") + escape(text).replace("\r", Markup("&#13;"))


def _moment(moment: Any) -> Markup:
    """A moment in UTC, which the page's script shows in the reader's time zone."""
    text = f"{moment:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), text)


def _bytes(size: int) -> str:
    """A size in bytes, as people read it."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:  # noqa: PLR2004 (it is what the units say)
            return f"{size:,.0f} {unit}"
        size = round(size / 1024)
    return f"{size:,.0f} GiB"
