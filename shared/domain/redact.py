"""What may be kept of a request's headers: nothing by which a push or an account opens. Pure.

`Referer` and `User-Agent` are the sender's to fill: the page before ours may be another push's link, and a link
expander may put the link that it asks for there, passphrase and all.
"""

import re
from urllib.parse import unquote

MAX_SENT = 10_240  # characters; API Gateway takes no longer header, and no pattern below sees one
MAX_KEPT = 255
STRUCK = "…"
_MAX_ENCODED = 3  # times over; a proxy's link to a proxy's link is encoded twice
_ENCODED = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE)
_BEHIND_THE_PATH = re.compile(r"[?#]")
_SECRET = re.compile(
    r"""
      (//) [^/\s@]+ (?=@)                      # user and password before a host
    | (/(?:p|f|r|pushes)/+) [^/\s]+            # a push, where paths name one, with or without a locale
    | [a-z0-9_-]{40,}                          # an API token or a session: 43 characters of base64url
    | [a-z0-9]{20,}                            # a url_token of 26 such characters, even if somebody cut it
    """,
    re.IGNORECASE | re.VERBOSE,
)


def header(sent: str) -> str:
    """A header as it may be kept: no token, no query, no fragment, at most 255 characters.

    One that held something is kept decoded, since the spelling could hide it; any other as it was sent.
    """
    if len(sent) > MAX_SENT or _ENCODED.search(plain := _decoded(sent)):
        return STRUCK
    struck = _SECRET.sub(_struck, _BEHIND_THE_PATH.split(plain)[0])
    # Cut last: half a token would be left of one that the cut goes through.
    return (sent if struck == plain else struck)[:MAX_KEPT].encode("utf-8", "replace").decode()


def _decoded(sent: str) -> str:
    """Without percent-encoding, if that was done as often as proxies do it and no more."""
    for _ in range(_MAX_ENCODED):
        sent = unquote(sent)
    return sent


def _struck(match: re.Match[str]) -> str:
    return (match[1] or match[2] or "") + STRUCK
