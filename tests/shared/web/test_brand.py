from pathlib import Path

import pytest

from infra.build import template
from shared.web import brand

TOML = 'name = "Acme & Sons"\naccent = "#0B57D0"\nsupport = "{}"\n'


def written(directory: Path, toml: str = TOML.format(""), **files: str) -> Path:
    directory.mkdir(exist_ok=True)
    (directory / "brand.toml").write_text(toml)
    for name, content in files.items():
        (directory / name.replace("_", ".")).write_text(content)
    return directory


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "brand"  # read once in a process, so each test has its own


def test_the_brand_of_the_repository_is_whole() -> None:
    ours = brand.load(template.ROOT / "functions/pages/brand")

    assert (ours.name, ours.support_link, ours.logo) == ("Secret sharing", "", "")


@pytest.mark.parametrize(
    ("support", "link"),
    [
        ("it@acme.example", "mailto:it@acme.example"),
        ("https://acme.example/help", "https://acme.example/help"),
        ("", ""),
    ],
)
def test_support_is_an_address_to_write_to_or_to_visit(directory: Path, support: str, link: str) -> None:
    assert brand.load(written(directory, TOML.format(support))).support_link == link


def test_words_are_those_of_the_language_or_those_for_all(directory: Path) -> None:
    ours = brand.load(written(directory, above_txt=" For all \n", above_de_txt="Für Deutsche", below_ja_txt="日本"))

    assert [ours.above(tag) for tag in ("de", "fr")] == ["Für Deutsche", "For all"]
    assert [ours.below(tag) for tag in ("ja", "fr")] == ["日本", ""]


def test_a_logo_stands_in_the_page_itself(directory: Path) -> None:
    assert brand.load(written(directory, logo_svg="<svg/>")).logo == "data:image/svg+xml;base64,PHN2Zy8+"


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ('accent = "#0b57d0"', "name must be a text"),
        (f'name = "{"x" * 61}"\naccent = "#0b57d0"', "name must be a text of 1 to 60"),
        ('name = "Acme"', "accent must be a colour"),
        ('name = "Acme"\naccent = "#0b57d0;}body{display:none"', "accent must be a colour"),
        ('name = "Acme"\naccent = "#ffcc00"', "accent #ffcc00 has a contrast of 1.5 with white"),
        ('name = "Acme"\naccent = "#0b57d0"\ncolour = "red"', "unknown key colour"),
        (TOML.format("javascript:alert(1)"), "support must be an e-mail address"),
        (TOML.format("a b@acme.example"), "support must be an e-mail address"),
    ],
)
def test_a_mistake_in_the_file_is_named(directory: Path, toml: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        brand.load(written(directory, toml))


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"logo_svg": "x" * 16_385}, "logo.svg: has 16,385 bytes \\(at most 16,384\\)"),
        ({"logo_svg": "x", "logo_png": "x"}, "keep only one logo"),
        ({"above_xx_txt": "x"}, "above.xx.txt: must be above.txt"),
        ({"above_txt": "x" * 2_001}, "above.txt: has more than 2,000 characters"),
        ({"readme_txt": "x"}, "readme.txt: must be above.txt"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(directory: Path, files: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        brand.load(written(directory, **files))
