"""The rules for the fields of a new push (contract, section 3). Pure.

Every rule is tried, so that a caller learns of all failing fields at once.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Protocol
from urllib.parse import urlsplit

from shared.domain import errors
from shared.domain.file import NewFile
from shared.domain.file_rules import InvalidFiles, is_unicode, new_files
from shared.domain.limits import (
    DAYS,
    DURATIONS,
    MAX_NAME,
    MAX_NOTE,
    MAX_PASSPHRASE,
    MAX_PASSPHRASE_BYTES,
    MAX_PAYLOAD,
    MAX_QR_BYTES,
    MAX_QR_CHARACTERS,
    VIEWS,
)
from shared.domain.push import FILE, KINDS, QR, TEXT, URL, NewPush

# Characters of a host, a port and what stands before them. Python brings a host into Unicode's normal form, which takes
# quadratic time for a heap of accents.
_MAX_AUTHORITY = 2_048
_MAX_DIGITS = 9  # more than any rule allows, and int() refuses thousands
_SWITCHES = dict.fromkeys(("on", "yes", "y", "checked", "enabled", "true", "t", "1"), True) | dict.fromkeys(
    ("off", "no", "n", "unchecked", "disabled", "false", "f", "0", ""), False
)
# To accept and drop these would let the sender believe that they had arrived.
_NOT_AVAILABLE = {
    "notify_emails_to": "are not available",
    "notify_emails_to_locale": "is not available",
}


class Choices(Protocol):
    """What an installation has chosen, as far as these rules ask."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of push that may be created."""

    @property
    def file_attachments(self) -> bool:
        """Whether pushes may carry files."""

    @property
    def max_file_size(self) -> int:
        """Bytes that a file may have."""

    @property
    def deletable_by_viewer(self) -> bool:
        """Whether a recipient may expire a push whose sender does not say."""

    @property
    def retrieval_step(self) -> bool:
        """Whether a link has a confirmation step whose sender does not say."""


def asks_for_files(parameters: Mapping[str, Any]) -> bool:
    """Whether a push would carry files, if its fields were right."""
    return parameters.get("files") is not None or parameters.get("kind") == FILE


def new_push(parameters: Mapping[str, Any], chosen: Choices) -> NewPush:
    """Check what a sender asks for; InvalidPush names every field that breaks its rule, TooLarge goes first."""
    fields = _Fields(parameters)
    files = fields.files(chosen)
    kind = fields.kind(chosen.kinds)
    payload = fields.payload(kind)
    lifetime, expire_after_days = fields.lifetime()
    new = NewPush(
        kind=kind,
        payload=payload,
        passphrase=fields.passphrase() or None,
        name=fields.text("name", MAX_NAME),
        note=fields.text("note", MAX_NOTE),
        lifetime=lifetime,
        expire_after_days=expire_after_days,
        expire_after_views=fields.number("expire_after_views", *VIEWS),
        deletable_by_viewer=fields.switch("deletable_by_viewer", chosen.deletable_by_viewer),
        retrieval_step=fields.switch("retrieval_step", chosen.retrieval_step),
        files=files,
    )
    for name, message in _NOT_AVAILABLE.items():
        if not _is_blank(parameters.get(name)):
            fields.refuse(name, message)
    if fields.refused:
        raise errors.InvalidPush(fields.refused)
    return new


class _Fields:
    """The parameters of one request, and what was found wrong with them so far."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self.refused: dict[str, list[str]] = defaultdict(list)

    def refuse(self, name: str, message: str) -> None:
        self.refused[name].append(message)

    def text(self, name: str, limit: int) -> str:
        value = self._parameters.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.refuse(name, "must be valid UTF-8" if isinstance(value, bytes) else "must be a string")
            return ""
        if len(value) > limit:
            self.refuse(name, f"is too long (at most {limit:,} characters)")
        if "\0" in value:
            self.refuse(name, "must not contain NUL characters")
        if not is_unicode(value):
            self.refuse(name, "must not contain unpaired surrogates")
        return value

    def passphrase(self) -> str:
        value = self.text("passphrase", MAX_PASSPHRASE)
        if len(value.encode("utf-8", "surrogatepass")) > MAX_PASSPHRASE_BYTES:
            self.refuse("passphrase", f"is too long (at most {MAX_PASSPHRASE_BYTES:,} bytes of UTF-8)")
        return value

    def number(self, name: str, lowest: int, highest: int, default: int) -> int:
        value = self._parameters.get(name)
        if value is None:
            return default
        number = _whole_number(value)
        if number is None:
            self.refuse(name, "must be a whole number")
        elif not lowest <= number <= highest:
            self.refuse(name, f"must be between {lowest} and {highest}")
        else:
            return number
        return default

    def switch(self, name: str, default: bool) -> bool:
        value = self._parameters.get(name)
        if value is None:
            return default
        # What might be a typing error must not switch a protection off.
        chosen = _SWITCHES.get(_switch_word(value))
        if chosen is None:
            self.refuse(name, "must be true or false")
        return default if chosen is None else chosen

    def files(self, chosen: Choices) -> tuple[NewFile, ...]:
        value = self._parameters.get("files")
        if value and not chosen.file_attachments:
            self.refuse("files", "are not available here")
            return ()
        try:
            return new_files(value, max_file_size=chosen.max_file_size)
        except InvalidFiles as invalid:
            self.refused["files"] += invalid.messages
            return ()

    def kind(self, available: tuple[str, ...]) -> str:
        value = self._parameters.get("kind")
        if value is None or value == "":
            value = FILE if self._parameters.get("files") else TEXT
        if value not in KINDS:
            self.refuse("kind", f"must be one of {', '.join(KINDS)}")
            return TEXT
        if value not in available:
            self.refuse("kind", "is not available here")
        if value == FILE and not self._parameters.get("files"):
            self.refuse("files", "can't be empty in a push of the kind file")
        return str(value)

    def payload(self, kind: str) -> str:
        value = self.text("payload", MAX_QR_CHARACTERS if kind == QR else MAX_PAYLOAD)
        if "payload" in self.refused:
            return ""
        if _is_blank(value):
            if kind != FILE or not self._parameters.get("files"):
                self.refuse("payload", "can't be blank")
        elif kind == URL and not is_web_address(value):
            self.refuse("payload", "must be an absolute http or https URL")
        elif kind == QR and len(value.encode()) > MAX_QR_BYTES:
            self.refuse("payload", f"is too long for a QR code (at most {MAX_QR_BYTES:,} bytes)")
        return value

    def lifetime(self) -> tuple[timedelta, int]:
        sent = [self._parameters.get(name) is not None for name in ("expire_after_days", "expire_after_duration")]
        if sent == [False, True]:
            chosen = DURATIONS[self.number("expire_after_duration", 0, len(DURATIONS) - 1, 0)]
            return chosen, max(1, chosen.days)
        days = self.number("expire_after_days", *DAYS)
        return timedelta(days=days), days


def is_web_address(value: str) -> bool:
    """Whether a value is an absolute http or https URL with a host, as it stands: nothing is trimmed or repaired."""
    # urlsplit drops line breaks and browsers turn backslashes round, so neither would see the URL that was pushed.
    if any(character.isspace() or unicodedata.category(character) == "Cc" or character == "\\" for character in value):
        return False
    scheme, _, rest = value.partition("://")
    if scheme.lower() not in ("http", "https") or _authority_length(rest) > _MAX_AUTHORITY:
        return False
    try:
        parts = urlsplit(value)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _authority_length(rest: str) -> int:
    """Where the path, the query or the fragment begins."""
    return min((place for mark in "/?#" if (place := rest.find(mark)) >= 0), default=len(rest))


def _is_blank(value: Any) -> bool:
    return not value or (isinstance(value, str) and value.isspace())


def _switch_word(value: Any) -> str:
    """The word that a switch was set by; a word that is none for what can't set one."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(_whole_number(value))
    return value.strip().lower() if isinstance(value, str) else "no switch"


def _whole_number(value: Any) -> int | None:
    """The integer that a JSON number without a fraction or a string of decimal digits is, None when it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, str):
        return None
    written = value.strip()
    digits = written.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        return None
    digits = digits.lstrip("0")
    size = int(digits or "0") if len(digits) <= _MAX_DIGITS else 10**_MAX_DIGITS
    return -size if written.startswith("-") else size
