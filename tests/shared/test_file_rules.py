import pytest

from shared.file_rules import clean_filename, content_type_of

KEPT = ["a.txt", "a b.txt", 'quo"te', "Müller.pdf", "😀.png", "..a", "a..", ".profile", " x", "100%", "a:b", "x" * 255]


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
        ("x" * 300 + ".txt", "x" * 251 + ".txt"),
        ("ü" * 200 + ".txt", "ü" * 125 + ".txt"),
        ("😀" * 100, "😀" * 63),
    ],
)
def test_a_name_loses_path_and_control_characters_and_what_is_too_long(name: str, cleaned: str) -> None:
    assert clean_filename(name) == cleaned
    assert len(cleaned.encode()) <= 255


@pytest.mark.parametrize(
    ("name", "declared", "content_type"),
    [
        ("a.pdf", None, "application/pdf"),
        ("a.pdf", "text/plain", "text/plain"),
        ("a.pdf", "text/plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("a.pdf", "", "application/pdf"),
        ("a.pdf", "pdf", "application/pdf"),
        ("a.pdf", "text/html\r\nX: y", "application/pdf"),
        ("a.pdf", "text/html; a=\r\n", "application/pdf"),
        ("a.tar.gz", None, "application/octet-stream"),
        ("unknown", None, "application/octet-stream"),
    ],
)
def test_a_media_type_is_guessed_from_the_name_unless_a_real_one_is_declared(
    name: str, declared: str | None, content_type: str
) -> None:
    assert content_type_of(name, declared) == content_type
