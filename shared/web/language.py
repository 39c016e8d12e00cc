"""One language of the pages: its catalogue, and how it writes dates, numbers and sizes."""

import gettext
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale, dates, numbers
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from shared.domain.sentence import Sentence
from shared.web import locales

DOMAIN = "messages"  # of the catalogues, in gettext's sense: the name of their files
_UNITS = ("byte", "kilobyte", "megabyte", "gigabyte")  # as Babel calls them


class Language:
    """A language that a page is in; `tag` and `direction` are what HTML's `lang` and `dir` say."""

    def __init__(self, tag: str, catalogues: Path) -> None:
        """Load a served language. Raises: FileNotFoundError, when its catalogue has not been compiled."""
        self.tag = tag
        # English with the day first and 24 hours, which all its readers understand alike.
        self._locale = Locale.parse("en-GB" if tag == locales.SOURCE else tag, sep="-")
        self.direction = self._locale.text_direction
        self._catalogue = (
            gettext.NullTranslations()
            if tag == locales.SOURCE
            else gettext.translation(DOMAIN, localedir=catalogues, languages=[locales.catalogue(tag)])
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
        date = dates.format_date(moment, "medium", locale=self._locale)
        time = dates.format_time(moment, "short", locale=self._locale)
        return f"{self._locale.datetime_formats['medium'].replace('{1}', date).replace('{0}', time)} UTC"

    def number(self, number: int) -> str:
        """A whole number with its separators."""
        return numbers.format_decimal(number, locale=self._locale)

    def size(self, size: int) -> str:
        """A size in bytes, as people read it."""
        from babel.units import format_unit  # loaded here: few pages show one

        unit, rest = 0, float(size)
        while rest >= 1024 and unit < len(_UNITS) - 1:  # noqa: PLR2004 (it is what the units say)
            unit, rest = unit + 1, rest / 1024
        shown = round(rest, 1 if rest < 10 and unit else 0)  # noqa: PLR2004 (1.5 MB, but 15 MB)
        return format_unit(shown, f"digital-{_UNITS[unit]}", length="short" if unit else "long", locale=self._locale)

    def lifetime(self, lifetime: timedelta) -> str:
        """How long something lasts, in the largest unit that says it in a whole number: minutes, hours or days."""
        from babel.units import format_unit  # as above

        seconds, unit, number = int(lifetime.total_seconds()), "minute", 60
        for larger, length in (("hour", 3_600), ("day", 86_400)):
            if seconds % length == 0:
                unit, number = larger, length
        return format_unit(seconds // number, f"duration-{unit}", length="long", locale=self._locale)

    def _gettext(self, message: str, **values: Any) -> Markup:
        # What the catalogues hold is ours, and may hold markup; what is filled in is escaped.
        return Markup(self._catalogue.gettext(message)) % values  # noqa: S704 (see above)

    def _ngettext(self, one: str, many: str, number: int, **values: Any) -> Markup:
        chosen = self._catalogue.ngettext(one, many, number)
        return Markup(chosen) % ({"num": number} | values)  # noqa: S704 (as above)


@cache
def language(tag: str, catalogues: Path) -> Language:
    """A served language, loaded when it is first asked for. Raises: FileNotFoundError, as `Language` does."""
    return Language(tag, catalogues)


@pass_context
def sentence(context: Context, refusal: Any) -> str:
    """A filter: what a refusal or a sentence of the domain says, in the page's language."""
    said = refusal.args[0] if isinstance(refusal, Exception) else refusal
    return str(context["language"].sentence(said))
