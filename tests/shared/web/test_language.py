import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.build import catalogues
from shared.domain.sentence import Sentence
from shared.web import locales
from shared.web.language import Language

MOMENT = datetime(2026, 1, 4, 13, 5, tzinfo=UTC)


def language(tag: str) -> Language:
    return Language(tag, catalogues.LOCALES)


@pytest.mark.parametrize(
    ("tag", "shown"),
    [
        ("en", "4 Jan 2026, 13:05 UTC"),
        ("de", "04.01.2026, 13:05 UTC"),
        ("ja", "2026/01/04 13:05 UTC"),
        ("uk", "4 січ. 2026\u202f\u0440., 13:05 UTC"),
        ("ar", "04\u200f/01\u200f/2026\u060c 1:05 م UTC"),
    ],
)
def test_a_moment_is_written_as_its_readers_write_it(tag: str, shown: str) -> None:
    assert language(tag).moment(MOMENT).replace("\xa0", " ") == shown


@pytest.mark.parametrize(
    ("tag", "size", "shown"),
    [
        ("en", 0, "0 bytes"),
        ("en", 1, "1 byte"),
        ("en", 1023, "1,023 bytes"),
        ("en", 1024, "1 kB"),
        ("en", 1_572_864, "1.5 MB"),
        ("en", 10 * 2**20 + 2**19, "10 MB"),
        ("en", 5_000 * 2**30, "5,000 GB"),
        ("de", 1_572_864, "1,5 MB"),
        ("fr", 2048, "2 ko"),
        ("ja", 5, "5 バイト"),
    ],
)
def test_a_size_is_written_as_its_readers_write_it(tag: str, size: int, shown: str) -> None:
    assert language(tag).size(size).replace("\u202f", " ").replace("\xa0", " ") == shown


@pytest.mark.parametrize(
    ("tag", "lifetime", "shown"),
    [
        ("en", timedelta(minutes=15), "15 minutes"),
        ("en", timedelta(hours=1), "1 hour"),
        ("en", timedelta(minutes=90), "90 minutes"),
        ("en", timedelta(days=1), "1 day"),
        ("en", timedelta(days=14), "14 days"),
        ("pl", timedelta(days=2), "2 dni"),
        ("uk", timedelta(hours=12), "12 годин"),
        ("ja", timedelta(days=90), "90 日"),
    ],
)
def test_a_lifetime_is_in_the_largest_unit_that_says_it_in_whole_numbers(
    tag: str, lifetime: timedelta, shown: str
) -> None:
    assert language(tag).lifetime(lifetime).replace("\xa0", " ") == shown


@pytest.mark.parametrize(("tag", "number"), [("en", "1,048,576"), ("de", "1.048.576"), ("cs", "1 048 576")])
def test_a_number_in_a_sentence_has_the_separators_of_the_language(tag: str, number: str) -> None:
    sentence = Sentence("no catalogue has this: {limit}", limit=1_048_576)

    assert language(tag).sentence(sentence).replace("\xa0", " ") == f"no catalogue has this: {number}"


def test_only_arabic_is_written_from_right_to_left() -> None:
    assert {tag for tag in locales.SERVED if language(tag).direction == "rtl"} == {"ar"}


def test_what_is_filled_into_a_sentence_is_escaped() -> None:
    said = language("en").words["gettext"]("<b>%(name)s</b> 100 %%", name="<i>")

    assert said == "<b>&lt;i&gt;</b> 100 %"


@pytest.mark.parametrize("tag", catalogues.TAGS)
def test_no_translation_has_a_value_or_markup_that_the_english_lacks(tag: str) -> None:
    """What catalogues hold is taken for markup, also within the quotes of an attribute."""

    def held(texts: Any) -> set[str]:
        return set(
            re.findall(r'%\(\w+\)s|\{\w+\}|[<>&"]|%(?!\()', "\n".join([texts] if isinstance(texts, str) else texts))
        )

    wrong = [message.id for message in catalogues.read(tag) if message.id and held(message.string) - held(message.id)]
    assert wrong == []
