"""Render templates to HTML or text in a language. Values are escaped; a missing value is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import BaseLoader, Environment, FileSystemLoader, ModuleLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from shared.web import choices, languages, site

COMPILED = "compiled"  # directory of compiled templates; the bundle has no sources


def render(template: str, values: Mapping[str, Any], locale: str) -> str:
    """Return a page's HTML. `locale` is a served language.

    Raises: UndefinedError, if `values` lacks a variable of the template.
    """
    language = languages.language(locale, site.directory() / "locales")
    return (
        environment(site.directory())
        .get_template(template)
        .render({"language": language} | language.words | dict(values))
    )


def text(template: str, values: Mapping[str, Any], locale: str) -> str:
    """Render a template without HTML, such as a message to paste. `locale` is a served language.

    Raises: UndefinedError, as `render` does.
    """
    return Markup(render(template, values, locale)).unescape().strip() + "\n"  # noqa: S704 (a page escapes it again)


@cache
def environment(directory: Path) -> Environment:
    """Return the Jinja2 environment for the pages in `directory`, with their filters and globals."""
    jinja = Environment(
        loader=_loader(directory),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    jinja.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    jinja.policies["ext.i18n.trimmed"] = True  # a sentence may span several lines of a template
    jinja.newstyle_gettext = True  # type: ignore[attr-defined]
    style, script = (Markup(content) for content in site.inline())  # noqa: S704 (our own, and a validated colour)
    jinja.globals |= {
        "style": style,
        "styles": {name: Markup(content) for name, content in site.page_styles().items()},  # noqa: S704 (as above)
        "script": script,
        "asset": site.assets().address,
        "favicon": _data_uri(site.assets().content("icon.svg")),
        "brand": site.operator_brand(),
        "languages": languages.SERVED,
    }
    jinja.filters |= {"exact": _preformatted, "moment": _moment, "bytes": _size, "names": _names}
    jinja.filters |= {"sentence": _sentence, "choices": choices.encode}
    return jinja


def _loader(directory: Path) -> BaseLoader:
    compiled = directory / COMPILED
    return ModuleLoader(compiled) if compiled.exists() else FileSystemLoader(directory / "templates")


def _data_uri(svg: str) -> str:
    return f"data:image/svg+xml,{quote(svg)}"


def _preformatted(text: str) -> Markup:
    """Return text for a `pre` element. Browsers drop a leading line break and turn CR into LF; this prevents both."""
    return Markup("\n") + escape(text).replace("\r", Markup("&#13;"))


@pass_context
def _moment(context: Context, moment: Any) -> Markup:
    """Return a time in UTC as a `time` element. The page's script converts it to the reader's time zone."""
    text = context["language"].moment(moment)
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), text)


@pass_context
def _size(context: Context, size: int) -> str:
    return str(context["language"].size(size))


@pass_context
def _names(context: Context, names: list[str]) -> Markup:
    """Return a list of names, joined as the page's language joins them."""
    joined: Markup = context["language"].names(names)
    return joined


@pass_context
def _sentence(context: Context, refusal: Any) -> str:
    """Return a refusal's message, or a sentence, in the page's language."""
    sentence = refusal.args[0] if isinstance(refusal, Exception) else refusal
    return str(context["language"].sentence(sentence))
