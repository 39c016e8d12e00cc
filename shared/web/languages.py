"""The pages' languages: choosing one for a request, translating, and formatting dates and numbers.

Babel is imported only where a page needs it; the API's functions only match language tags.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from shared.domain.languages import SERVED as SERVED  # noqa: PLC0414 (for the pages, as `languages.SERVED`)
from shared.domain.languages import SOURCE
from shared.domain.languages import match_tag as match_tag  # noqa: PLC0414 (as above)
from shared.domain.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta
    from pathlib import Path

    from babel import Locale
    from markupsafe import Markup

DOMAIN = "messages"  # gettext's domain: the catalogues' file name

_MAX_HEADER = 500  # characters of Accept-Language to parse
# One range and its weight (RFC 9110, section 12.5.4).
_RANGE = re.compile(r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,7})\s*(?:;\s*[Qq]\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?")
_UNITS = ("byte", "kilobyte", "megabyte", "gigabyte")  # Babel's names


def from_accept_language(header: str) -> str | None:
    """Return the served language with the highest weight in an Accept-Language header, or None."""
    ranges = [match for part in header[:_MAX_HEADER].split(",") if (match := _RANGE.fullmatch(part))]
    served = [(float(match[2] or 1), language) for match in ranges if (language := match_tag(match[1]))]
    # Of equal weights, `max` returns the first.
    weight, language = max(served, key=lambda one: one[0], default=(0.0, None))
    return language if weight else None


def catalogue_name(tag: str) -> str:
    """Return gettext's name of a language, which is also the name of its catalogue's directory."""
    return tag.replace("-", "_")


def locale(tag: str) -> Locale:
    """Return Babel's locale of a served language."""
    from babel import Locale

    # British formats for English: "5 Mar 2026, 14:30" is unambiguous everywhere.
    return Locale.parse("en-GB" if tag == SOURCE else tag, sep="-")


class Language:
    """A page's language: translations and formats. `tag` and `direction` are HTML's `lang` and `dir`."""

    def __init__(self, tag: str, catalogues: Path) -> None:
        """Load a served language. Raises: FileNotFoundError, if its catalogue is not compiled."""
        import gettext

        self.tag = tag
        self._locale = locale(tag)
        self.direction = self._locale.text_direction
        self._catalogue = (
            gettext.NullTranslations()
            if tag == SOURCE
            else gettext.translation(DOMAIN, localedir=catalogues, languages=[catalogue_name(tag)])
        )

    @property
    def words(self) -> dict[str, Any]:
        """The functions for Jinja's i18n extension, by name."""
        return {"gettext": self._gettext, "ngettext": self._ngettext, "pgettext": self._pgettext}

    def sentence(self, sentence: str) -> str:
        """Translate a sentence of the domain; return it unchanged if the catalogue lacks it."""
        if not isinstance(sentence, Sentence):
            return sentence
        values = {
            name: self.number(value) if isinstance(value, int) else value for name, value in sentence.values.items()
        }
        translated = self._catalogue.gettext(sentence.template)
        return translated.format(**values) if values else translated

    def moment(self, moment: datetime) -> str:
        """Format a time in UTC. The page's script converts it to the reader's time zone."""
        from babel import dates

        date = dates.format_date(moment, "medium", locale=self._locale)
        time = dates.format_time(moment, "short", locale=self._locale)
        return f"{self._locale.datetime_formats['medium'].replace('{1}', date).replace('{0}', time)} UTC"

    def names(self, names: Iterable[str]) -> Markup:
        """Join names to a list: "a, b and c". Each may have a direction of its own."""
        from babel.lists import format_list
        from markupsafe import Markup

        marked = [str(Markup("<bdi>{}</bdi>").format(name)) for name in names]
        return Markup(format_list(marked, locale=self._locale))  # noqa: S704 (escaped in the line above)

    def number(self, number: int) -> str:
        """Format a whole number with separators."""
        from babel import numbers

        return numbers.format_decimal(number, locale=self._locale)

    def size(self, size: int) -> str:
        """Format a size in bytes with a suitable unit."""
        from babel.units import format_unit

        unit, rest = 0, float(size)
        while rest >= 1024 and unit < len(_UNITS) - 1:  # noqa: PLR2004 (bytes in a kilobyte)
            unit, rest = unit + 1, rest / 1024
        rounded = round(rest, 1 if rest < 10 and unit else 0)  # noqa: PLR2004 (1.5 MB, but 15 MB)
        return format_unit(rounded, f"digital-{_UNITS[unit]}", length="short" if unit else "long", locale=self._locale)

    def lifetime(self, lifetime: timedelta) -> str:
        """Format a duration in the largest unit that gives a whole number: minutes, hours or days."""
        from babel.units import format_unit

        seconds, unit, number = int(lifetime.total_seconds()), "minute", 60
        for larger, length in (("hour", 3_600), ("day", 86_400)):
            if seconds % length == 0:
                unit, number = larger, length
        return format_unit(seconds // number, f"duration-{unit}", length="long", locale=self._locale)

    def _gettext(self, message: str, **values: Any) -> Markup:
        from markupsafe import Markup

        # The catalogues are our own and may contain markup; the inserted values are escaped.
        return Markup(self._catalogue.gettext(message)) % values  # noqa: S704 (see above)

    def _pgettext(self, context: str, message: str, **values: Any) -> Markup:
        from markupsafe import Markup

        return Markup(self._catalogue.pgettext(context, message)) % values  # noqa: S704 (as above)

    def _ngettext(self, one: str, many: str, number: int, **values: Any) -> Markup:
        from markupsafe import Markup

        message = self._catalogue.ngettext(one, many, number)
        return Markup(message) % ({"num": number} | values)  # noqa: S704 (as above)


@cache
def language(tag: str, catalogues: Path) -> Language:
    """Return a served language, loaded on first use. Raises: FileNotFoundError, as `Language` does."""
    return Language(tag, catalogues)
