"""Every sentence of the pages is translatable."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from jinja2 import Environment, nodes

from infra.build import template

PAGES = template.ROOT / "functions" / "pages"
TEMPLATES = sorted((PAGES / "templates").iterdir())
SCRIPTS = sorted((PAGES / "assets").glob("*.js"))
WORD = re.compile(r"[A-Za-z]{2,}")
# Names and commands, the same in every language.
NAMES = {"QR", "API", "curl", "pwpush", "UTC", "TOTP"}
SPOKEN = {"alt", "aria-label", "aria-description", "label", "placeholder", "title"}


ATTRIBUTE = re.compile(r"""\b[a-z-]+="[^"]*"?|\bautofocus\b""")  # a macro gives an element its attributes


def is_bare(text: str) -> bool:
    return bool(set(WORD.findall(ATTRIBUTE.sub("", text))) - NAMES)


class Spoken(HTMLParser):
    """Collects the readable text of a page, visible or read aloud: its texts and some attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.within = [*self.within, tag] if tag in ("pre", "script", "style", "code") else self.within
        for name, value in attrs:
            is_sentence = name.startswith("data-") and " " in (value or "")
            if name in SPOKEN or is_sentence or (name == "data-label" and value):
                self.texts.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if self.within and self.within[-1] == tag:
            self.within = self.within[:-1]

    def handle_data(self, data: str) -> None:
        if not self.within:
            self.texts.append(data)


def bare_sentences(source: str) -> list[str]:
    """Return a template's untranslated sentences: in its text, and in its expressions' possible values."""
    unmarked = re.sub(r"\{%-?\s*trans\b.*?endtrans\s*-?%\}|\{#.*?#\}|\{%.*?%\}", " ", source, flags=re.DOTALL)
    spoken = Spoken()
    spoken.feed(re.sub(r"\{\{.*?\}\}", "\x01", unmarked, flags=re.DOTALL))
    shown = Environment(extensions=["jinja2.ext.i18n"]).parse(source)
    given = (text for output in shown.find_all(nodes.Output) for node in output.nodes for text in _given(node))
    return [text.strip() for text in [*spoken.texts, *given] if is_bare(text)]


def _given(node: nodes.Node) -> Iterator[str]:
    """Return the strings that an expression may return unchanged."""
    match node:
        case nodes.Const(value=str(value)):
            yield value
        case nodes.CondExpr(expr1=one, expr2=other):
            for branch in (one, other):
                yield from _given(branch) if branch else ()
        case nodes.Or() | nodes.Add() | nodes.Concat():
            for child in node.iter_child_nodes():
                yield from _given(child)


def test_no_template_holds_a_bare_sentence() -> None:
    assert [(path.name, text) for path in TEMPLATES for text in bare_sentences(path.read_text())] == []


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ("<p>Hello there</p>", ["Hello there"]),
        ("<p>{% trans %}Hello{% endtrans %}</p><p>{{ _('Hello') }}</p><pre>curl x</pre>", []),
        ('<p aria-label="Hello">{{ name }}</p>', ["Hello"]),
        ("<button data-busy='One moment'></button>", ["One moment"]),
        ("{{ 'Hello' if x else _('Bye') }}{{ y or 'None yet' }}", ["Hello", "None yet"]),
        ("{{ 'the ' ~ name }}", ["the"]),
        ("{{ form.get('kind') }}{{ 'é' }}", []),
    ],
)
def test_a_bare_sentence_is_found_wherever_it_hides(source: str, bare: list[str]) -> None:
    assert bare_sentences(source) == bare


def test_no_script_holds_a_sentence() -> None:
    source = "\n".join(path.read_text() for path in SCRIPTS)
    code = re.sub(r"^\s*//.*|\s//\s.*|/\*.*?\*/", "", source, flags=re.MULTILINE)
    strings = re.findall(r'"([^"\n]*)"|`([^`]*)`', code)

    said = [text for pair in strings for text in pair if re.search(r"[A-Za-z]{2,} [a-z]{2,} ?[a-z]*", text)]

    assert [text for text in said if not re.search(r"[\[\]#>=:]|^use strict$", text)] == []
