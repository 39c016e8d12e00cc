"""Every sentence of the pages is translatable, and translated into every language."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from jinja2 import Environment, nodes

from infra.build import catalogues, template
from shared.web import languages

PAGES = template.ROOT / "functions" / "pages"
TEMPLATES = sorted((PAGES / "templates").iterdir())
SCRIPTS = sorted((PAGES / "assets").glob("*.js"))
WORD = re.compile(r"[A-Za-z]{2,}")
# Names and commands, the same in every language.
NAMES = {"QR", "API", "curl", "pwpush", "UTC", "TOTP"}
SPOKEN = {"alt", "aria-label", "aria-description", "label", "placeholder", "title"}
PLACEHOLDERS = re.compile(r"%\([a-z_]+\)s|%%|\{[a-z_]+\}|</?[a-z]+[^>]*>")


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


def test_no_catalogue_lacks_a_sentence_or_has_one_too_many() -> None:
    wanted = {message.id for message in catalogues.template()}

    for tag in catalogues.TAGS:
        there = catalogues.read(tag)
        assert {message.id for message in there} == wanted, tag
        assert [message.id for message in there if message.id and not catalogues.is_translated(message)] == [], tag
        assert not there.obsolete, tag


def test_no_translation_could_end_an_attribute_that_it_stands_in() -> None:
    """Catalogue texts are not escaped, because they may contain markup, and some are attributes."""
    messages = [(_all(one.id), _all(one.string)) for tag in catalogues.TAGS for one in catalogues.read(tag)]

    assert [said for ids, said in messages if '"' in "".join(said) and '"' not in "".join(ids)] == []


def test_a_translation_has_the_values_and_the_markup_of_its_sentence() -> None:
    def held(text: str) -> Counter[str]:
        return Counter(PLACEHOLDERS.findall(text))

    wrong = [
        (tag, ids[-1], text)
        for tag in catalogues.TAGS
        for message in catalogues.read(tag)
        for ids in [_all(message.id)]
        for text in _all(message.string)
        # A singular form may leave its number out, as in English: "once more".
        if ids[-1] and held(text) != held(ids[-1]) and not (len(ids) > 1 and held(text) == held(ids[0]))
    ]

    assert wrong == []


def _all(strings: Any) -> list[str]:
    """Return the strings of a message: one, or a singular and its plurals."""
    return [strings or ""] if isinstance(strings, str | None) else list(strings)


def test_every_language_has_its_own_number_of_plural_forms() -> None:
    forms = {tag: catalogues.read(tag).num_plurals for tag in catalogues.TAGS}

    assert (forms["ja"], forms["de"], forms["pl"], forms["ar"]) == (1, 2, 3, 6)
    for tag in catalogues.TAGS:
        plurals = [message.string for message in catalogues.read(tag) if isinstance(message.id, tuple)]
        assert {len(_all(strings)) for strings in plurals} == {forms[tag]}, tag


def test_the_catalogues_are_as_the_command_writes_them() -> None:
    """Otherwise the next person to run it has unrelated changes to commit."""
    for tag in catalogues.TAGS:
        assert catalogues.path(tag).read_bytes() == catalogues.to_bytes(catalogues.update(tag))


def test_there_is_a_catalogue_for_each_served_language_and_no_other() -> None:
    directories = {path.name.replace("_", "-") for path in catalogues.LOCALES.iterdir()}

    assert directories == set(languages.SERVED) - {languages.SOURCE}
