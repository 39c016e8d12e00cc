"""Read and check each field of a new push (contract, section 3). Pure."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TypeVar

from shared.domain.bounds import Bounds
from shared.domain.file import NewFile
from shared.domain.file_rules import InvalidFiles, is_unicode, new_files
from shared.domain.limits import (
    DURATIONS,
    FILE,
    KINDS,
    MAX_PASSPHRASE,
    MAX_PASSPHRASE_BYTES,
    MAX_PAYLOAD,
    MAX_QR_BYTES,
    MAX_QR_CHARACTERS,
    QR,
    TEXT,
    URL,
)
from shared.domain.sentence import Sentence
from shared.domain.web_address import is_web_address

_Default = TypeVar("_Default", bool, None)
_MAX_DIGITS = 10  # above every rule's maximum; `int()` rejects thousands of digits
_NOT_UTF_8 = Sentence("must be valid UTF-8")
_NO_STRING = Sentence("must be a string")
_SWITCHES = dict.fromkeys(("on", "yes", "y", "checked", "enabled", "true", "t", "1"), True) | dict.fromkeys(
    ("off", "no", "n", "unchecked", "disabled", "false", "f", "0", ""), False
)


class Fields:
    """The parameters of one new push; `refused` maps the name of each invalid field to its messages.

    An invalid field reads as its default, so that the other fields are checked, too.
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self.refused: dict[str, list[str]] = defaultdict(list)

    def refuse(self, name: str, message: str) -> None:
        """Add a message about an invalid field."""
        self.refused[name].append(message)

    def text(self, name: str, limit: int) -> str:
        """Return a field that is a string of at most `limit` characters; empty if the field is absent or null."""
        value = self._parameters.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.refuse(name, _NOT_UTF_8 if isinstance(value, bytes) else _NO_STRING)
            return ""
        if len(value) > limit:
            self.refuse(name, Sentence("is too long (at most {limit} characters)", limit=limit))
        if "\0" in value:
            self.refuse(name, Sentence("must not contain NUL characters"))
        if not is_unicode(value):
            self.refuse(name, Sentence("must not contain unpaired surrogates"))
        return value

    def passphrase(self) -> str:
        """Return the passphrase; empty if there is none."""
        value = self.text("passphrase", MAX_PASSPHRASE)
        if len(value.encode("utf-8", "surrogatepass")) > MAX_PASSPHRASE_BYTES:
            self.refuse(
                "passphrase", Sentence("is too long (at most {limit} bytes of UTF-8)", limit=MAX_PASSPHRASE_BYTES)
            )
        return value

    def number(self, name: str, bounds: Bounds) -> int:
        """Return a whole number within bounds, the default if absent or null."""
        value = self._parameters.get(name)
        if value is None:
            return bounds.default
        number = _whole_number(value)
        if number is None:
            self.refuse(name, Sentence("must be a whole number"))
        elif not bounds.include(number):
            self.refuse(
                name,
                Sentence("must be between {lowest} and {highest}", lowest=bounds.lowest, highest=bounds.highest),
            )
        else:
            return number
        return bounds.default

    def switch(self, name: str, default: _Default) -> bool | _Default:
        """Return a boolean, the default if absent or null."""
        value = self._parameters.get(name)
        if value is None:
            return default
        # Reject unknown words: a typing error must not switch a protection off.
        is_on = _SWITCHES.get(_switch_word(value))
        if is_on is None:
            self.refuse(name, Sentence("must be true or false"))
        return default if is_on is None else is_on

    def files(self, are_available: bool, max_file_size: int) -> tuple[NewFile, ...]:
        """Return the files, each of at most `max_file_size` bytes.

        Raises: TooLarge.
        """
        value = self._parameters.get("files")
        if value and not are_available:
            self.refuse("files", Sentence("are not available here"))
            return ()
        try:
            return new_files(value, max_file_size=max_file_size)
        except InvalidFiles as invalid:
            self.refused["files"] += invalid.messages
            return ()

    def kind(self, available: tuple[str, ...]) -> str:
        """Return the kind. If absent, null or empty: `file` for a push with files, otherwise `text`."""
        value = self._parameters.get("kind")
        if value is None or value == "":
            value = FILE if self._parameters.get("files") else TEXT
        if value not in KINDS:
            self.refuse("kind", Sentence("must be one of {kinds}", kinds=", ".join(KINDS)))
            return TEXT
        if value not in available:
            self.refuse("kind", Sentence("is not available here"))
        if value == FILE and not self._parameters.get("files"):
            self.refuse("files", Sentence("choose at least one file"))
        return str(value)

    def payload(self, kind: str) -> str:
        """Return the payload; it may be blank only with files."""
        value = self.text("payload", MAX_QR_CHARACTERS if kind == QR else MAX_PAYLOAD)
        if "payload" in self.refused:
            return ""
        if is_blank(value):
            if kind != FILE or not self._parameters.get("files"):
                self.refuse("payload", Sentence("can't be blank"))
        elif kind == URL and not is_web_address(value):
            self.refuse("payload", Sentence("must be an absolute http or https URL"))
        elif kind == QR and len(value.encode()) > MAX_QR_BYTES:
            self.refuse("payload", Sentence("is too long for a QR code (at most {limit} bytes)", limit=MAX_QR_BYTES))
        return value

    def lifetime(self, days: Bounds) -> tuple[timedelta, int]:
        """Return the lifetime, and `expire_after_days` for clients, which is at least 1."""
        has_days = self._parameters.get("expire_after_days") is not None
        has_duration = self._parameters.get("expire_after_duration") is not None
        if has_duration and not has_days:
            duration = self._duration(days)
            return duration, max(1, duration.days)
        number = self.number("expire_after_days", days)
        return timedelta(days=number), number

    def _duration(self, days: Bounds) -> timedelta:
        name = "expire_after_duration"
        duration = DURATIONS[self.number(name, Bounds(0, 0, len(DURATIONS) - 1))]
        if name not in self.refused and not days.include_lifetime(duration):
            self.refuse(
                name,
                Sentence("must be a lifetime of {lowest} to {highest} days", lowest=days.lowest, highest=days.highest),
            )
        return duration


def is_blank(value: Any) -> bool:
    """Return whether a field counts as missing: null, empty, or only white space."""
    return not value or (isinstance(value, str) and value.isspace())


def is_off(value: Any) -> bool:
    """Return whether a field is off: missing, blank, or a word for false."""
    return is_blank(value) or _SWITCHES.get(_switch_word(value)) is False


def _switch_word(value: Any) -> str:
    """Return the word to look up in `_SWITCHES`; for an unsupported type, a word not in it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(_whole_number(value))
    return value.strip().lower() if isinstance(value, str) else "no switch"


def _whole_number(value: Any) -> int | None:
    """Return a whole JSON number, or a string of decimal digits, as an integer; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    digits = digits.lstrip("0")
    size = int(digits or "0") if len(digits) <= _MAX_DIGITS else 10**_MAX_DIGITS
    return -size if text.startswith("-") else size
