"""Redact the headers that an audit entry keeps: nothing stays that opens a push or an account. Pure.

Anything may stand in `Referer` and `User-Agent`: the page before ours may be another push's link, and a link expander
may put the link that it asks for there, passphrase included.
"""

import re
from urllib.parse import unquote

from shared.domain.limits import MAX_HEADER

MAX_SENT = 10_240  # characters; API Gateway takes no longer header, and no pattern is tried on one
STRUCK = "…"
_MAX_ENCODED = 3  # times over; a proxy's link to a proxy's link is encoded twice
_ENCODED = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_BEHIND_THE_PATH = re.compile(r"[?#]")
_SECRET = re.compile(
    r"""
      (//) [^/\s@]+ (?=@)                      # user and password before a host
    | (/(?:p|f|r|pushes)/+) [^/\s]+            # a push, where paths name one, with or without a locale
    | [a-z0-9_-]{40,}                          # an API token or a session: 65 characters of base64url
    | [a-z0-9]{20,}                            # a url_token of 26 such characters, even if somebody cut it
    """,
    re.IGNORECASE | re.VERBOSE,
)


def redact_header(value: str) -> str:
    """A header as an audit entry may keep it: no token, no query, no fragment, at most 255 characters.

    Where something was struck out, the rest is kept percent-decoded, since the encoding could hide a token; any other
    header is kept as it was sent.
    """
    if len(value) > MAX_SENT or _ENCODED.search(plain := _decode(value)):
        return STRUCK
    struck = _SECRET.sub(_redact, _BEHIND_THE_PATH.split(plain)[0])
    # Cut last: a cut through a token would leave half of it, which the pattern does not know.
    return (value if struck == plain else struck)[:MAX_HEADER].encode("utf-8", "replace").decode()


def _decode(value: str) -> str:
    """Percent-decoded as often as proxies encode; encoding that is left after that is a reason to strike out all."""
    for _ in range(_MAX_ENCODED):
        value = unquote(value)
    return value


def _redact(match: re.Match[str]) -> str:
    return (match[1] or match[2] or "") + STRUCK
