"""The files of the pages: where they are, whose service they name, and what of them stands in every page.

No template is loaded here, so that an asset or a redirect waits for none.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from shared.web.assets import Assets

if TYPE_CHECKING:
    from pathlib import Path

    from shared.web import brand


class _Site:
    """The directory of templates, catalogues, assets and brand; `functions.pages` sets it (`set_directory`)."""

    directory: Path | None = None


def set_directory(directory: Path) -> None:
    """Take all files of the pages from this directory from here on."""
    _Site.directory = directory


def directory() -> Path:
    """Where the files of the pages are."""
    assert _Site.directory, "functions.pages says where the pages are"  # noqa: S101 (a mistake of ours)
    return _Site.directory


def assets() -> Assets:
    """The style, scripts and icon of the pages."""
    return _assets(directory())


def inline() -> tuple[str, str]:
    """The style and the script that stand in every page, exactly as they do there."""
    return _inline(directory())


def operator_brand() -> brand.Brand:
    """Whose service it is."""
    return _brand(directory())


@cache
def _inline(directory: Path) -> tuple[str, str]:
    files, accent = _assets(directory), _brand(directory).accent
    return f":root{{--brand:{accent}}}\n{files.content('site.css')}", files.content("site.js")


@cache
def _assets(directory: Path) -> Assets:
    return Assets(directory / "assets")


def _brand(directory: Path) -> brand.Brand:
    from shared.web import brand  # loaded here: what leads elsewhere shows none of it

    return brand.load(directory / "brand")
