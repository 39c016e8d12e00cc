"""Check an absolute http or https URL. Pure."""

import unicodedata
from urllib.parse import urlsplit

# Characters before the path: user, host and port. Python normalizes the host, in quadratic time for many accents.
_MAX_AUTHORITY = 2_048


def is_web_address(value: str) -> bool:
    """Return whether the value is an absolute http or https URL with a host. Nothing is trimmed or repaired."""
    # urlsplit drops line breaks and browsers replace backslashes, so both would see another URL.
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
    """Return the position of the path, the query or the fragment."""
    return min((place for mark in "/?#" if (place := rest.find(mark)) >= 0), default=len(rest))
