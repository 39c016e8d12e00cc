"""Whether a payload is a link: what a push of the kind `url` may carry (contract, section 3). Pure."""

import unicodedata
from urllib.parse import urlsplit

# Characters of a host, a port and what stands before them. Python brings a host into Unicode's normal form, which takes
# quadratic time for a heap of accents.
_MAX_AUTHORITY = 2_048


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
