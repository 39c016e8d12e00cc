"""The catalogues: complete if declared so, readable by translators' tools, with the typography of each language."""

# ruff: noqa: RUF001 (quotation marks that are not ASCII)

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from gettext import c2py
from typing import Any

import pytest
from babel.messages import Message

from infra.build import catalogues
from infra.build.compile_catalogues import is_translated
from shared.domain import languages

COMPLETE = languages.COMPLETE - {languages.SOURCE}
PLACEHOLDERS = re.compile(r"%\([a-z_]+\)s|%%|\{[a-z_]+\}|</?[a-z]+[^>]*>")
# The quotation marks and apostrophes that a language writes.
MARKS = {
    **dict.fromkeys(("cs", "de"), "„“"),
    **dict.fromkeys(("fr", "it", "uk"), "«»’"),
    **dict.fromkeys(("ar", "es"), "«»"),
    **dict.fromkeys(("ja", "zh-TW"), "「」"),
    **dict.fromkeys(("pt-BR", "zh-CN"), "“”"),
    "nl": "‘’“”",
    "pl": "„”",
    "sv": "”’",
}
ANY_MARK = re.compile("[\"'“”„‟«»‘’‚‹›「」『』]")
MISPLACED = {
    "fr": ["[^\u202f\u00a0][;?!»]", "[^\u00a0]:", "«[^\u00a0]"],
    **{tag: [r"[\u3040-\u30ff\u4e00-\u9fff][,.;?!]"] for tag in ("ja", "zh-CN", "zh-TW")},
    "ar": [r"[\u0600-\u06ff][,;?]"],
}


def test_no_complete_language_lacks_a_sentence_or_has_one_too_many() -> None:
    wanted = {(message.context, message.id) for message in catalogues.template()}

    for tag in COMPLETE:
        there = catalogues.read(tag)
        assert {(message.context, message.id) for message in there} == wanted, tag
        assert [message.id for message in catalogues.unfinished(there)] == [], tag
        assert not there.obsolete, tag


@pytest.mark.parametrize("tag", catalogues.TAGS)
def test_no_translation_is_left_fuzzy(tag: str) -> None:
    assert [message.id for message in catalogues.read(tag) if message.id and message.fuzzy] == []


@pytest.mark.parametrize("tag", catalogues.TAGS)
def test_translators_tools_take_the_catalogue(tag: str) -> None:
    """Their files have a header without dates and names."""
    header = catalogues.path(tag).read_text().partition("\n\n")[0]

    assert f'"Language: {tag.replace("-", "_")}\\n"' in header
    assert f'"Plural-Forms: nplurals={catalogues.read(tag).num_plurals}; plural=' in header
    assert not re.search("Date|Translator", header)


@pytest.mark.skipif(not shutil.which("msgfmt"), reason="GNU gettext is not installed")
def test_gettext_compiles_the_catalogues() -> None:
    for tag in catalogues.TAGS:
        subprocess.run(["msgfmt", "--check", "--output-file=/dev/null", catalogues.path(tag)], check=True)


def is_started(message: Message) -> bool:
    """Return whether the message has a translation that is shown."""
    return bool(message.id) and not message.fuzzy and is_translated(message)


def test_no_translation_could_end_an_attribute_that_it_stands_in() -> None:
    """Catalogue texts are not escaped, because they may contain markup, and some are attributes."""
    messages = [(_all(one.id), _all(one.string)) for tag in catalogues.TAGS for one in catalogues.read(tag)]

    assert [said for ids, said in messages if '"' in "".join(said) and '"' not in "".join(ids)] == []


@pytest.mark.parametrize("tag", catalogues.TAGS)
def test_a_translation_has_the_values_and_the_markup_of_its_sentence(tag: str) -> None:
    def held(text: str) -> Counter[str]:
        return Counter(PLACEHOLDERS.findall(text))

    catalogue = catalogues.read(tag)
    singles = forms_of_one_number(catalogue.plural_expr)
    wrong = []
    for message in filter(is_started, catalogue):
        sentence = _all(message.id)[-1]
        for form, text in enumerate(_all(message.string)):
            said = held(text)
            # A form for one number may leave it out: "once more", the Arabic dual.
            if isinstance(message.id, tuple) and form in singles and "%(count)s" not in said:
                said["%(count)s"] = held(sentence)["%(count)s"]
            if said != held(sentence):
                wrong.append((sentence, text))

    assert wrong == []


def forms_of_one_number(plural_expr: str) -> set[int]:
    """Return the plural forms that a rule gives to one number only, or to one and zero."""
    rule = c2py(plural_expr)
    forms = Counter(rule(number) for number in range(1, 1_000))
    return {rule(0), *forms} - {form for form, numbers in forms.items() if numbers > 1}


@pytest.mark.parametrize(("tag", "forms"), [("ar", {0, 1, 2}), ("de", {0}), ("fr", {0}), ("uk", set()), ("ja", set())])
def test_a_plural_form_of_one_number_is_known_from_the_rule(tag: str, forms: set[int]) -> None:
    assert forms_of_one_number(catalogues.read(tag).plural_expr) == forms


def _all(strings: Any) -> list[str]:
    """Return the strings of a message: one, or a singular and its plurals."""
    return [strings or ""] if isinstance(strings, str | None) else list(strings)


def test_every_language_has_its_own_number_of_plural_forms() -> None:
    forms = {tag: catalogues.read(tag).num_plurals for tag in catalogues.TAGS}

    assert (forms["ja"], forms["de"], forms["pl"], forms["ar"]) == (1, 2, 3, 6)
    for tag in catalogues.TAGS:
        plurals = [message.string for message in catalogues.read(tag) if isinstance(message.id, tuple)]
        assert {len(_all(strings)) for strings in plurals} <= {forms[tag]}, tag


def test_a_complete_catalogue_is_as_the_command_writes_it() -> None:
    """Otherwise the next person to run it has unrelated changes to commit."""
    for tag in COMPLETE:
        assert catalogues.path(tag).read_bytes() == catalogues.to_bytes(catalogues.update(tag))


@pytest.mark.parametrize("tag", catalogues.TAGS)
def test_marks_and_spaces_are_the_language_s(tag: str) -> None:
    """For example, French has no-break spaces inside quotation marks and before `: ; ? !`."""
    misplaced = re.compile("|".join([r"  |\.\.\.", *MISPLACED.get(tag, ())]))

    wrong = [text for text in texts(tag) if misplaced.search(text) or set(ANY_MARK.findall(text)) - set(MARKS[tag])]
    assert wrong == []


def texts(tag: str) -> Iterator[str]:
    """Return the translations of a language without markup, and with a letter for each value and address."""
    for message in filter(is_started, catalogues.read(tag)):
        for text in _all(message.string):
            yield re.sub(r"%\(\w+\)s|\{\w+\}|https?://", "x", re.sub("<[^>]*>", "", text))


def test_there_is_a_catalogue_for_each_served_language_and_no_other() -> None:
    directories = {path.name.replace("_", "-") for path in catalogues.LOCALES.iterdir() if path.is_dir()}

    assert directories == set(languages.SERVED) - {languages.SOURCE}


def test_the_list_of_terms_has_every_language() -> None:
    rows = (catalogues.LOCALES / "TERMS.md").read_text().splitlines()

    columns = [row.strip("| ").split(" | ")[1:] for row in rows if row.startswith("| English")]
    assert [tag for part in columns for tag in part] == list(catalogues.TAGS)
    assert all(row.count("|") in (3, 9) for row in rows if row.startswith("|"))
