import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.build import catalogues, template
from shared.domain.sentence import Sentence
from shared.web import languages
from shared.web.languages import Language

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


@pytest.mark.parametrize(("tag", "listed"), [("de", "a, b und c"), ("ja", "a、b、c"), ("ar", "a وb وc")])
def test_names_are_listed_as_the_language_lists_them(tag: str, listed: str) -> None:
    assert re.sub("</?bdi>", "", language(tag).names("abc")) == listed


def test_only_arabic_is_written_from_right_to_left() -> None:
    assert {tag for tag in languages.SERVED if language(tag).direction == "rtl"} == {"ar"}


def test_values_in_a_sentence_are_escaped() -> None:
    said = language("en").words["gettext"]("<b>%(name)s</b> 100 %%", name="<i>")

    assert said == "<b>&lt;i&gt;</b> 100 %"


@pytest.mark.parametrize("tag", catalogues.TAGS)
def test_no_translation_has_a_value_or_markup_that_the_english_lacks(tag: str) -> None:
    """Catalogues are trusted as markup, also within the quotes of an attribute."""

    def held(texts: Any) -> set[str]:
        return set(
            re.findall(r'%\(\w+\)s|\{\w+\}|[<>&"]|%(?!\()', "\n".join([texts] if isinstance(texts, str) else texts))
        )

    wrong = [message.id for message in catalogues.read(tag) if message.id and held(message.string) - held(message.id)]
    assert wrong == []


@pytest.mark.parametrize(
    ("tag", "served"),
    [
        *((tag, tag) for tag in languages.SERVED),
        *(("DE", "de"), ("de-AT", "de"), ("de_CH", "de"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"), ("pt-br", "pt-BR")),
        *(("zh", "zh-CN"), ("zh-Hans", "zh-CN"), ("zh-Hans-SG", "zh-CN"), ("ar-EG", "ar"), ("uk-UA", "uk")),
        *(("zh-HK", "zh-TW"), ("zh-MO", "zh-TW"), ("zh-Hant", "zh-TW"), ("zh-Hant-CN", "zh-TW"), ("zh_TW", "zh-TW")),
        *(
            ("zh-Hans-HK", "zh-CN"),
            ("zh-Hans-TW", "zh-CN"),
            ("zh-Hans-MO", "zh-CN"),
            ("zh-SG", "zh-CN"),
            ("sv-FI", "sv"),
        ),
        *(("ko", None), ("", None), ("*", None), ("d", None), ("deu", None), ("../de", None), ("de/../fr", None)),
    ],
)
def test_a_tag_stands_for_the_language_that_its_readers_read(tag: str, served: str | None) -> None:
    assert languages.match_tag(tag) == served


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de", "de"),
        ("de-CH, fr;q=0.9", "de"),
        ("fr;q=0.5, de;q=0.9", "de"),
        ("fr, de", "fr"),
        ("ko, ja;q=0.4, *;q=0.1", "ja"),
        # As browsers in Taiwan, Hong Kong and China send it; they add the bare `zh` themselves.
        ("zh-TW,zh;q=0.9,en-US;q=0.8,en;q=0.7", "zh-TW"),
        ("zh-HK,zh-TW;q=0.9,zh;q=0.8,en-US;q=0.7", "zh-TW"),
        ("zh-CN,zh;q=0.9,zh-TW;q=0.8", "zh-CN"),
        ("zh-Hans-HK,zh;q=0.9", "zh-CN"),
        ("ja-JP-u-ca-japanese,en;Q=0.5", "ja"),
        ("de;q=0", None),
        ("de;q=0, fr;q=0.001", "fr"),
        ("*", None),
        ("ko", None),
        ("", None),
        ("de;q=2", None),
        ("de;q=x", None),
        (" de ; q=1.0 ", "de"),
        ("en-US,en;q=0.9,de;q=0.8", "en"),
    ],
)
def test_the_language_is_the_browser_s_most_preferred_one(header: str, language: str | None) -> None:
    assert languages.from_accept_language(header) == language


def test_the_setting_takes_the_languages_that_are_served() -> None:
    assert template.load()["Parameters"]["DefaultLocale"]["AllowedValues"] == list(languages.SERVED)
