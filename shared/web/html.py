"""Templates to HTML in a language. Every value is escaped, and a missing one is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from shared.web import brand, choices, locales
from shared.web import language as languages
from shared.web.assets import Assets


class _Pages:
    """Where the templates and catalogues are; `functions.pages` says so when it is loaded (see `use`)."""

    directory: Path | None = None


def use(directory: Path) -> None:
    """Render the templates, and load the catalogues, that are in this directory from here on."""
    _Pages.directory = directory
    for cached in (_environment, assets, inline):
        cached.cache_clear()


def render(template: str, values: Mapping[str, Any], locale: str) -> str:
    """A page's HTML in a language that is served.

    Raises: UndefinedError, when the template asks for a value that is not there.
    """
    language = languages.language(locale, _directory() / "locales")
    return _environment().get_template(template).render({"language": language} | language.words | dict(values))


def text(template: str, values: Mapping[str, Any], locale: str) -> str:
    """A text without HTML in a language that is served, such as a message to paste.

    Raises: UndefinedError, as `render` does.
    """
    return Markup(render(template, values, locale)).unescape().strip() + "\n"  # noqa: S704 (a page escapes it again)


@cache
def inline() -> tuple[str, str]:
    """The style and the script that stand in every page, exactly as they do there."""
    files, accent = assets(), brand.load(_directory() / "brand").accent
    return f":root{{--brand:{accent}}}\n{files.content('site.css')}", files.content("site.js")


@cache
def assets() -> Assets:
    """The style, scripts and icon of the pages."""
    return Assets(_directory() / "assets")


def brand_name() -> str:
    """Whose service it is, as every page says it."""
    return brand.load(_directory() / "brand").name


def _directory() -> Path:
    assert _Pages.directory, "functions.pages says where the templates are"  # noqa: S101 (a mistake of ours)
    return _Pages.directory


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_directory() / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True  # a sentence may go on in another line of its template
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    style, script = (Markup(content) for content in inline())  # noqa: S704 (ours, but for a colour that was checked)
    environment.globals |= {
        "style": style,
        "script": script,
        "asset": assets().address,
        "favicon": _data_uri(assets().content("icon.svg")),
        "brand": brand.load(_directory() / "brand"),
        "languages": locales.SERVED,
    }
    environment.filters |= {"exact": _exact, "moment": _moment, "bytes": _size}
    environment.filters |= {"sentence": languages.sentence, "choices": choices.written}
    return environment


def _data_uri(svg: str) -> str:
    return f"data:image/svg+xml,{quote(svg)}"


def _exact(text: str) -> Markup:
    """Text for a `pre` element, exactly as it is: a browser drops a line break at its start, and turns CR into LF."""
    return Markup("\n") + escape(text).replace("\r", Markup("&#13;"))


@pass_context
def _moment(context: Context, moment: Any) -> Markup:
    """A moment in UTC, which the page's script shows in the reader's time zone."""
    text = context["language"].moment(moment)
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), text)


@pass_context
def _size(context: Context, size: int) -> str:
    return str(context["language"].size(size))
