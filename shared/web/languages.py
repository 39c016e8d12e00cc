"""The languages of the pages: which are served, which one a request asks for, and how each writes dates and numbers.

Babel is loaded where a page needs it: the API's functions only match tags.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from shared.domain.limits import LANGUAGES
from shared.domain.sentence import Sentence

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from pathlib import Path

    from markupsafe import Markup

SOURCE = "en"  # the language that the templates and the refusals are written in
SERVED = LANGUAGES
DOMAIN = "messages"  # of the catalogues, in gettext's sense: the name of their files

_MAX_HEADER = 500  # characters of Accept-Language that are read
# One range and its weight (RFC 9110, section 12.5.4).
_RANGE = re.compile(r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,3})\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?")
_BY_TAG = {tag.lower(): tag for tag in SERVED}
_BY_LANGUAGE = {tag.partition("-")[0]: tag for tag in SERVED}
# Chinese that those who read the one script may not read in the other.
_TRADITIONAL = {"hant", "tw", "hk", "mo"}
_UNITS = ("byte", "kilobyte", "megabyte", "gigabyte")  # as Babel calls them


def match_tag(tag: str) -> str | None:
    """The served language that a language tag (RFC 5646) stands for: itself, or that of its first part; else None."""
    first, *rest = tag.replace("_", "-").lower().split("-")
    if first == "zh" and _TRADITIONAL & set(rest):
        return None
    return _BY_TAG.get("-".join([first, *rest])) or _BY_LANGUAGE.get(first)


def choose(remembered: str, accepted: str) -> str | None:
    """The language of a page whose address names none: of the cookie, else by the Accept-Language header."""
    return match_tag(remembered) or from_accept_language(accepted)


def from_accept_language(header: str) -> str | None:
    """The served language that an Accept-Language header likes best, None when it names none."""
    ranges = [match for part in header[:_MAX_HEADER].split(",") if (match := _RANGE.fullmatch(part))]
    served = [(float(match[2] or 1), language) for match in ranges if (language := match_tag(match[1]))]
    # The first of those that it likes alike; `max` keeps the order.
    weight, language = max(served, key=lambda one: one[0], default=(0.0, None))
    return language if weight else None


def catalogue_name(tag: str) -> str:
    """The name that gettext has for a language, which is that of the directory of its catalogue."""
    return tag.replace("-", "_")


class Language:
    """A language that a page is in; `tag` and `direction` are what HTML's `lang` and `dir` say."""

    def __init__(self, tag: str, catalogues: Path) -> None:
        """Load a served language. Raises: FileNotFoundError, when its catalogue has not been compiled."""
        import gettext

        from babel import Locale

        self.tag = tag
        # English with the day first and 24 hours, which all its readers understand alike.
        self._locale = Locale.parse("en-GB" if tag == SOURCE else tag, sep="-")
        self.direction = self._locale.text_direction
        self._catalogue = (
            gettext.NullTranslations()
            if tag == SOURCE
            else gettext.translation(DOMAIN, localedir=catalogues, languages=[catalogue_name(tag)])
        )

    @property
    def words(self) -> dict[str, Any]:
        """The functions that Jinja's i18n extension calls in a template, by their names."""
        return {"gettext": self._gettext, "ngettext": self._ngettext}

    def sentence(self, sentence: str) -> str:
        """A sentence of the domain in this language: as it is where the catalogue lacks it."""
        if not isinstance(sentence, Sentence):
            return sentence
        values = {
            name: self.number(value) if isinstance(value, int) else value for name, value in sentence.values.items()
        }
        translated = self._catalogue.gettext(sentence.template)
        return translated.format(**values) if values else translated

    def moment(self, moment: datetime) -> str:
        """A moment in UTC, which the page's script shows in the reader's time zone."""
        from babel import dates

        date = dates.format_date(moment, "medium", locale=self._locale)
        time = dates.format_time(moment, "short", locale=self._locale)
        return f"{self._locale.datetime_formats['medium'].replace('{1}', date).replace('{0}', time)} UTC"

    def number(self, number: int) -> str:
        """A whole number with its separators."""
        from babel import numbers

        return numbers.format_decimal(number, locale=self._locale)

    def size(self, size: int) -> str:
        """A size in bytes, as people read it."""
        from babel.units import format_unit

        unit, rest = 0, float(size)
        while rest >= 1024 and unit < len(_UNITS) - 1:  # noqa: PLR2004 (it is what the units say)
            unit, rest = unit + 1, rest / 1024
        rounded = round(rest, 1 if rest < 10 and unit else 0)  # noqa: PLR2004 (1.5 MB, but 15 MB)
        return format_unit(rounded, f"digital-{_UNITS[unit]}", length="short" if unit else "long", locale=self._locale)

    def lifetime(self, lifetime: timedelta) -> str:
        """How long something lasts, in the largest unit that says it in a whole number: minutes, hours or days."""
        from babel.units import format_unit

        seconds, unit, number = int(lifetime.total_seconds()), "minute", 60
        for larger, length in (("hour", 3_600), ("day", 86_400)):
            if seconds % length == 0:
                unit, number = larger, length
        return format_unit(seconds // number, f"duration-{unit}", length="long", locale=self._locale)

    def _gettext(self, message: str, **values: Any) -> Markup:
        from markupsafe import Markup

        # What the catalogues hold is ours, and may hold markup; what is filled in is escaped.
        return Markup(self._catalogue.gettext(message)) % values  # noqa: S704 (see above)

    def _ngettext(self, one: str, many: str, number: int, **values: Any) -> Markup:
        from markupsafe import Markup

        message = self._catalogue.ngettext(one, many, number)
        return Markup(message) % ({"num": number} | values)  # noqa: S704 (as above)


@cache
def language(tag: str, catalogues: Path) -> Language:
    """A served language, loaded when it is first asked for. Raises: FileNotFoundError, as `Language` does."""
    return Language(tag, catalogues)
