import time

import pytest

from infra.build import template
from shared.web import locales


@pytest.mark.parametrize(
    ("tag", "served"),
    [
        *((tag, tag) for tag in locales.SERVED),
        *(("DE", "de"), ("de-AT", "de"), ("de_CH", "de"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"), ("pt-br", "pt-BR")),
        *(("zh", "zh-CN"), ("zh-Hans", "zh-CN"), ("zh-Hans-SG", "zh-CN"), ("ar-EG", "ar"), ("uk-UA", "uk")),
        *(("zh-TW", None), ("zh-Hant", None), ("zh-Hant-CN", None), ("zh-HK", None)),
        *(("ko", None), ("", None), ("*", None), ("d", None), ("deu", None), ("../de", None), ("de/../fr", None)),
    ],
)
def test_a_tag_stands_for_the_language_that_its_readers_read(tag: str, served: str | None) -> None:
    assert locales.match_tag(tag) == served


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de", "de"),
        ("de-CH, fr;q=0.9", "de"),
        ("fr;q=0.5, de;q=0.9", "de"),
        ("fr, de", "fr"),
        ("ko, ja;q=0.4, *;q=0.1", "ja"),
        ("zh-TW, zh;q=0.8", "zh-CN"),
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
def test_of_what_a_browser_accepts_it_is_the_language_that_it_likes_best(header: str, language: str | None) -> None:
    assert locales.from_accept_language(header) == language


def test_a_header_of_any_length_is_read_at_once() -> None:
    began = time.perf_counter()

    answers = [locales.from_accept_language(text * 20_000) for text in ("de-", " ", "q=", ";q=0.", "a-b-c-", ",")]

    assert answers == [None] * 6
    assert time.perf_counter() - began < 1


def test_the_setting_takes_the_languages_that_are_served() -> None:
    assert template.load()["Parameters"]["DefaultLocale"]["AllowedValues"] == list(locales.SERVED)
