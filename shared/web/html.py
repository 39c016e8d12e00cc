"""Templates to HTML in a language. Every value is escaped, and a missing one is an error."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import BaseLoader, Environment, FileSystemLoader, ModuleLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from shared.web import choices, languages, site

COMPILED = "compiled"  # the directory of templates that the bundle has in place of their sources


def render(template: str, values: Mapping[str, Any], locale: str) -> str:
    """A page's HTML in a language that is served.

    Raises: UndefinedError, when the template asks for a value that is not there.
    """
    language = languages.language(locale, site.directory() / "locales")
    return (
        environment(site.directory())
        .get_template(template)
        .render({"language": language} | language.words | dict(values))
    )


def text(template: str, values: Mapping[str, Any], locale: str) -> str:
    """A text without HTML in a language that is served, such as a message to paste.

    Raises: UndefinedError, as `render` does.
    """
    return Markup(render(template, values, locale)).unescape().strip() + "\n"  # noqa: S704 (a page escapes it again)


@cache
def environment(directory: Path) -> Environment:
    """Jinja2 with the templates of a directory of pages, and what they all need."""
    jinja = Environment(
        loader=_loader(directory),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    jinja.policies["ext.i18n.trimmed"] = True  # a sentence may go on in another line of its template
    jinja.newstyle_gettext = True  # type: ignore[attr-defined]
    style, script = (Markup(content) for content in site.inline())  # noqa: S704 (ours, but for a colour that was checked)
    jinja.globals |= {
        "style": style,
        "script": script,
        "asset": site.assets().address,
        "favicon": _data_uri(site.assets().content("icon.svg")),
        "brand": site.operator_brand(),
        "languages": languages.SERVED,
    }
    jinja.filters |= {"exact": _preformatted, "moment": _moment, "bytes": _size}
    jinja.filters |= {"sentence": _sentence, "choices": choices.encode}
    return jinja


def _loader(directory: Path) -> BaseLoader:
    compiled = directory / COMPILED
    return ModuleLoader(compiled) if compiled.exists() else FileSystemLoader(directory / "templates")


def _data_uri(svg: str) -> str:
    return f"data:image/svg+xml,{quote(svg)}"


def _preformatted(text: str) -> Markup:
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


@pass_context
def _sentence(context: Context, refusal: Any) -> str:
    """What a refusal or a sentence of the domain says, in the page's language."""
    sentence = refusal.args[0] if isinstance(refusal, Exception) else refusal
    return str(context["language"].sentence(sentence))
