"""The operator's brand: name, logo, colour, support address and custom text, from files in the bundle.

The templates escape all of it. The build checks the files, so that a mistake fails the build and not a page.
"""

import re
import tomllib
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from shared.web import languages

MAX_LOGO = 16_384  # bytes; each page inlines it, which costs less than another request
MAX_NAME = 60  # characters
MAX_WORDS = 2_000  # characters
LOGOS = {"logo.svg": "image/svg+xml", "logo.png": "image/png", "logo.webp": "image/webp"}
_KEYS = {"name", "accent", "support"}
_ACCENT = re.compile(r"#[0-9a-f]{6}")
_WORDS = re.compile(r"(above|below)(?:\.([A-Za-z-]+))?\.txt")
_MIN_CONTRAST = 4.5  # of text (WCAG 2.2, success criterion 1.4.3)


class Brand(NamedTuple):
    """The operator's brand on the pages; an empty string for anything not configured.

    `support` is an e-mail address or a URL, `logo` a data URI, `accent` a colour as `#rrggbb`.
    """

    name: str
    accent: str
    support: str
    logo: str
    words: Mapping[tuple[str, str], str]

    @property
    def support_link(self) -> str:
        """The URL of the support address: `https://…` or `mailto:…`."""
        return self.support if self.support.startswith("https://") or not self.support else f"mailto:{self.support}"

    def above(self, tag: str) -> str:
        """Return the operator's text above the button of the recipient's page, in this language if available."""
        return self._words("above", tag)

    def below(self, tag: str) -> str:
        """Return the operator's text below the button, in this language if available."""
        return self._words("below", tag)

    def _words(self, place: str, tag: str) -> str:
        return self.words.get((place, tag)) or self.words.get((place, ""), "")


@cache
def load(directory: Path) -> Brand:
    """Read the brand from its files.

    Raises: ValueError, which names the file and the mistake; FileNotFoundError, if there is no brand.toml.
    """
    config = tomllib.loads((directory / "brand.toml").read_text())
    if unknown := set(config) - _KEYS:
        raise ValueError(f"brand.toml: unknown key {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(_KEYS))}")
    return Brand(
        name=_name(config.get("name", "")),
        accent=_accent(config.get("accent", "")),
        support=_support(config.get("support", "")),
        logo=_logo(directory),
        words=_words(directory),
    )


def _name(name: Any) -> str:
    if not isinstance(name, str) or not 1 <= len(name.strip()) <= MAX_NAME:
        raise ValueError(f"brand.toml: name must be a text of 1 to {MAX_NAME} characters")
    return name.strip()


def _accent(accent: Any) -> str:
    if not isinstance(accent, str) or not _ACCENT.fullmatch(accent.lower()):
        raise ValueError('brand.toml: accent must be a colour such as "#0b57d0"')
    if (contrast := _contrast_with_white(accent)) < _MIN_CONTRAST:
        raise ValueError(
            f"brand.toml: accent {accent} has a contrast of {contrast:.1f} with white; "
            f"button labels need at least {_MIN_CONTRAST}"
        )
    return accent.lower()


def _contrast_with_white(accent: str) -> float:
    """Return the contrast ratio of a colour such as `#0b57d0` with white (WCAG 2.2)."""
    channels = [int(accent[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)  # noqa: PLR2004 (sRGB)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _support(support: Any) -> str:
    is_address = isinstance(support, str) and ("@" in support or support.startswith("https://"))
    if support != "" and not (is_address and not any(map(str.isspace, support))):
        raise ValueError("brand.toml: support must be an e-mail address or start with https://")
    return str(support)


def _logo(directory: Path) -> str:
    names = [name for name in LOGOS if (directory / name).exists()]
    if not names:
        return ""
    if len(names) > 1:
        raise ValueError(f"{' and '.join(names)}: keep only one logo")
    content = (directory / names[0]).read_bytes()
    if len(content) > MAX_LOGO:
        raise ValueError(f"{names[0]}: has {len(content):,} bytes (at most {MAX_LOGO:,})")
    return f"data:{LOGOS[names[0]]};base64,{b64encode(content).decode()}"


def _words(directory: Path) -> dict[tuple[str, str], str]:
    words = {}
    for path in sorted(directory.glob("*.txt")):
        match = _WORDS.fullmatch(path.name)
        if not match or (match[2] and match[2] not in languages.SERVED):
            raise ValueError(f"{path.name}: must be above.txt, below.txt or, for one language, such as above.de.txt")
        text = path.read_text().strip()
        if len(text) > MAX_WORDS:
            raise ValueError(f"{path.name}: has more than {MAX_WORDS:,} characters")
        words[match[1], match[2] or ""] = text
    return words
