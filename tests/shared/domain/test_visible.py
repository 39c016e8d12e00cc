import tracemalloc

import pytest

from shared.domain.visible import count_invisible, mark_invisible, without_invisible

# With tabs and line breaks, a family, a heart and a keycap of joined emoji, a joiner in Persian, a combining accent.
TEXTS = [
    "",
    "a\n\tb\r\n",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f 1\ufe0f\u20e3",
    "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627",
    "e\u0301",
    "\u182d\u180c",
    "\u00a0",
]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\u200bb", [("", "a"), ("U+200B", "b")]),
        ("\u200b", [("", ""), ("U+200B", "")]),
        ("\u202eabc\u2069", [("", ""), ("U+202E", "abc"), ("U+2069", "")]),
        ("a\u200db", [("", "a"), ("U+200D", "b")]),
        ("\ufe0f\ufe0f", [("", ""), ("U+FE0F", ""), ("U+FE0F", "")]),
        ("a\x1bb", [("", "a"), ("U+001B", "b")]),
        ("\U000e0041", [("", ""), ("U+E0041", "")]),
        ("a\u180bb", [("", "a"), ("U+180B", "b")]),
        ("a\u2065b", [("", "a"), ("U+2065", "b")]),
        ("\ufff0", [("", ""), ("U+FFF0", "")]),
        ("\U000e0fff", [("", ""), ("U+E0FFF", "")]),
    ],
)
def test_invisible_characters_of_a_text_are_marked(text: str, parts: list[tuple[str, str]]) -> None:
    assert mark_invisible(text) == parts
    assert count_invisible(text) == len(parts) - 1


@pytest.mark.parametrize("text", TEXTS)
def test_ordinary_texts_have_no_invisible_characters(text: str) -> None:
    assert mark_invisible(text) == [("", text)]
    assert count_invisible(text) == 0


@pytest.mark.parametrize("invisible", ["\u180b", "\u2065", "\ufff8", "\U000e0002", "\U000e0fff"])
def test_a_name_loses_what_unicode_keeps_invisible(invisible: str) -> None:
    assert without_invisible(f"a{invisible}b") == "ab"


def test_a_text_of_invisible_characters_is_counted_without_memory_for_each() -> None:
    text = "\u200b" * 100_000
    tracemalloc.start()
    try:
        assert count_invisible(text) == len(text)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
