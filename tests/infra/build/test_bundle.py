"""The operator's brand files in the bundle; tests/e2e/test_bundle.py checks the whole bundle."""

from pathlib import Path

import pytest

from infra.build import bundle


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """The brand's directory in a bundle, with our own files in it."""
    directory = tmp_path / "bundle" / "functions" / "pages" / "brand"
    directory.mkdir(parents=True)
    (directory / "above.txt").write_text("ours")
    return directory


def test_the_brand_of_an_operator_takes_the_place_of_ours(tmp_path: Path, packed: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "brand.toml").write_text('name = "Acme"\naccent = "#0b57d0"\n')

    bundle._brand(theirs, tmp_path / "bundle")

    assert [path.name for path in packed.iterdir()] == ["brand.toml"]


def test_a_brand_that_the_pages_could_not_show_stops_the_build(tmp_path: Path, packed: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "brand.toml").write_text('name = "Acme"\naccent = "yellow"\n')

    with pytest.raises(SystemExit, match=r"theirs cannot be used: brand.toml: accent must be a colour"):
        bundle._brand(theirs, tmp_path / "bundle")

    assert (packed / "above.txt").exists()
