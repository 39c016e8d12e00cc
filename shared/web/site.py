"""The files of the pages: directory, assets, inline style and script, and brand.

This module imports no templates, so that assets and redirects start fast.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from shared.web.assets import Assets

if TYPE_CHECKING:
    from pathlib import Path

    from shared.web import brand


_PAGE_STYLES = ("list", "secret")


class _Site:
    """Holds the directory of templates, catalogues, assets and brand, which `functions.pages` sets."""

    directory: Path | None = None


def set_directory(directory: Path) -> None:
    """Set the directory of the pages' files."""
    _Site.directory = directory


def directory() -> Path:
    """Return the directory of the pages' files."""
    assert _Site.directory, "import functions.pages first"  # noqa: S101 (a programming error)
    return _Site.directory


def assets() -> Assets:
    """Return the style, scripts and icon of the pages."""
    return _assets(directory())


def inline() -> tuple[str, str]:
    """Return the style and the script inlined in every page, exactly as the page has them."""
    return _inline(directory())


def page_styles() -> dict[str, str]:
    """Return the styles inlined in some pages only, by name: the form's first visit need not carry them."""
    return {name: assets().content(f"{name}.css") for name in _PAGE_STYLES}


def operator_brand() -> brand.Brand:
    """Return the operator's brand."""
    return _brand(directory())


@cache
def _inline(directory: Path) -> tuple[str, str]:
    files, accent = _assets(directory), _brand(directory).accent
    return f":root{{--brand:{accent}}}\n{files.content('site.css')}", files.content("site.js")


@cache
def _assets(directory: Path) -> Assets:
    return Assets(directory / "assets")


def _brand(directory: Path) -> brand.Brand:
    from shared.web import brand  # imported here: redirects do not show the brand

    return brand.load(directory / "brand")
