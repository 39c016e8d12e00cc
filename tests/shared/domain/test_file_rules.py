from itertools import product

import pytest

from shared.domain.file_rules import clean_filename, content_type_of

# Joiners that spelling needs (Persian, Hindi, Sinhala), selectors and joiners of emoji, a sign before digits, Japanese
# variants.
SPELT = [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt",
    "क्\u200dष.txt",
    "ශ්\u200dරී.pdf",
    "👨\u200d👩\u200d👧.png",
    "👩🏽\u200d💻.png",
    "❤\ufe0f\u200d🔥.gif",
    "\u0600\u0661\u0662.txt",
    "葛\U000e0100城.txt",
    "日本語\u3000名.txt",
    "é e\u0301.txt",
]
KEPT = [
    *SPELT,
    "a.txt",
    "a b.txt",
    'quo"te',
    "Müller.pdf",
    "😀.png",
    "..a",
    "a..",
    ".profile",
    " x",
    "100%",
    "a:b",
    "x" * 255,
]


@pytest.mark.parametrize("name", KEPT)
def test_a_harmless_name_is_kept(name: str) -> None:
    assert clean_filename(name) == name


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("", "file"),
        ("   ", "file"),
        (".", "file"),
        ("..", "file"),
        ("../..", "file"),
        ("/etc/passwd", "passwd"),
        ("../../a.txt", "a.txt"),
        ("C:\\x\\y.txt", "y.txt"),
        ("\\\\host\\share\\z", "z"),
        ("a/", "file"),
        ("a\r\nSet-Cookie: x.txt", "aSet-Cookie: x.txt"),
        ("nul\0.txt", "nul.txt"),
        ("\x7f\x85", "file"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("\u2066a\u2069\u200e\u200f\u061cb.txt", "ab.txt"),
        ("a\u200bb\u2060c\ufeffd\u00ade\u180e.txt", "abcde.txt"),
        ("a\u2028b\u2029c.txt", "abc.txt"),
        ("\u200b\u200d\u2060", "file"),
        (".\u200b.", "file"),
        ("x/\u202e", "file"),
        ("a\u200d.txt", "a.txt"),
        ("a\u200cb\ufe0f.txt", "ab.txt"),
        ("क\u200d.txt", "क.txt"),
        ("क\u200d\u200d\u200d", "क"),
        ("😀\ufe0f\ufe0e\ufe01.png", "😀\ufe0f.png"),
        ("\u3164\u115f\uffa0\u034f", "file"),
        ("🏴\U000e0067\U000e007f.png", "🏴.png"),
        ("x" * 246 + "क\u200dक.text", "x" * 246 + "क.text"),
        ("x" * 300 + ".txt", "x" * 251 + ".txt"),
        ("ü" * 200 + ".txt", "ü" * 125 + ".txt"),
        ("😀" * 100, "😀" * 63),
    ],
)
def test_a_name_loses_path_control_characters_and_excess_length(name: str, cleaned: str) -> None:
    assert clean_filename(name) == cleaned
    assert len(cleaned.encode()) <= 255


ODD = ["a", "क", "😀", "\u0301", "/", ".", " ", "\u200d", "\u200c", "\ufe0f", "\u202e", "\u2028", "\u3164", "\0"]


def test_a_clean_name_stays_as_it_is() -> None:
    for characters in product(ODD, repeat=4):
        cleaned = clean_filename("".join(characters))
        assert clean_filename(cleaned) == cleaned
        assert cleaned.strip()


@pytest.mark.parametrize(
    ("name", "declared", "content_type"),
    [
        ("a.pdf", None, "application/pdf"),
        ("a.pdf", "text/plain", "text/plain"),
        ("a.pdf", "text/plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("a.pdf", "text/plain; name=payroll.txt", "text/plain"),
        ("a.pdf", 'text/plain; name="payroll; charset=x.txt"', "text/plain"),
        ("a.pdf", 'text/plain;name="a";charset="utf-8"; format=flowed', "text/plain; charset=utf-8"),
        ("a.pdf", "text/plain ; Charset = ISO-8859-1", "text/plain; charset=ISO-8859-1"),
        ("a.pdf", "text/plain; charset=pay roll", "text/plain; charset=pay"),
        ("a.pdf", 'text/plain; charset="pay roll"', "text/plain"),
        ("a.pdf", "text/plain; charset=" + "x" * 41, "text/plain"),
        ("a.pdf", "text/plain;", "text/plain"),
        ("a.pdf", "text/plain; " + "x" * 500, "application/pdf"),
        ("a.pdf", "", "application/pdf"),
        ("a.pdf", "pdf", "application/pdf"),
        ("a.pdf", "text/html\r\nX: y", "application/pdf"),
        ("a.pdf", "text/html; a=\r\n", "application/pdf"),
        ("a.tar.gz", None, "application/octet-stream"),
        ("unknown", None, "application/octet-stream"),
    ],
)
def test_a_media_type_is_guessed_from_the_name_unless_declared(
    name: str, declared: str | None, content_type: str
) -> None:
    assert content_type_of(name, declared) == content_type
