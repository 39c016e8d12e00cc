"""Redact header values for the audit log: remove tokens, credentials and queries. Pure.

`Referer` may be the link of another push, and `User-Agent` may contain any link, including a passphrase.
"""

import re
from urllib.parse import unquote

from shared.domain.limits import MAX_HEADER

MAX_SENT = 10_240  # characters: API Gateway's limit for headers; longer values are not matched
STRUCK = "…"
_MAX_ENCODED = 3  # times: a proxy's link to a proxy's link is encoded twice
_ENCODED = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_BEHIND_THE_PATH = re.compile(r"[?#]")
_SECRET = re.compile(
    r"""
      (//) [^/\s@]+ (?=@)                      # user and password before a host
    | (/(?:p|f|r|a|pushes|asks)/+) [^/\s]+     # a push or an ask, where paths name one, with or without a locale
    | (/m/+) \S+                              # a push and its manage key
    | [a-z0-9_-]{40,}                          # an API token or a session: 65 characters of base64url
    | [a-z0-9]{20,}                            # a url_token of 26 such characters, even if somebody cut it
    """,
    re.IGNORECASE | re.VERBOSE,
)


def redact_header(value: str) -> str:
    """Return a header for the audit log: no token, no query, no fragment, at most 255 characters.

    A redacted header is stored percent-decoded, because the encoding could hide a token. Other headers are stored
    unchanged.
    """
    if len(value) > MAX_SENT or _ENCODED.search(plain := _decode(value)):
        return STRUCK
    struck = _SECRET.sub(_redact, _BEHIND_THE_PATH.split(plain)[0])
    # Truncate last: half a token would not match the pattern.
    return (value if struck == plain else struck)[:MAX_HEADER].encode("utf-8", "replace").decode()


def _decode(value: str) -> str:
    """Percent-decode several times, as proxies encode; the caller redacts anything still encoded."""
    for _ in range(_MAX_ENCODED):
        value = unquote(value)
    return value


def _redact(match: re.Match[str]) -> str:
    return (match[1] or match[2] or match[3] or "") + STRUCK
