"""Notices: mails to an owner about a counted view of a push, or its end by guesses. Pure.

A notice has a link to switch off notices for its push. A mail with a push's link has a link to stop all mails to its
address, which the token contains as a digest. The token has an HMAC under a key derived from the instance key. The
tables alone are not enough to create a token, and a token does not reveal the push's link.
"""

import base64
import binascii
import hmac
from datetime import datetime
from typing import NamedTuple

from shared.domain import cipher
from shared.domain.audit import VIEWS, AuditKind
from shared.domain.push import Ending, Push
from shared.domain.seal import InstanceKey

_ID_BYTES, _MAC_BYTES = 32, 16  # bytes of a push id or an address digest; bytes of the MAC
# Strings in a user agent, and the name of the browser or program. A notice never quotes the header itself. The first
# match wins: most browsers also name others for compatibility.
_FAMILIES = {
    "pwpush-cli/": "pwpush",
    "pwpush-mcp/": "pwpush-mcp",
    "Edg/": "Edge",
    "EdgA/": "Edge",
    "EdgiOS/": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Vivaldi/": "Vivaldi",
    "YaBrowser/": "Yandex Browser",
    "FxiOS/": "Firefox",
    "Firefox/": "Firefox",
    "CriOS/": "Chrome",
    "HeadlessChrome/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
    "PowerShell/": "PowerShell",
    "curl/": "curl",
    "Wget/": "Wget",
    "python-requests/": "Python",
    "python-httpx/": "Python",
    "Python-urllib/": "Python",
    "Go-http-client/": "Go",
    "Ruby": "Ruby",
}


class Notice(NamedTuple):
    """The content of a notice: a view with `views_left` remaining, or with `is_end` the end by guesses.

    `browser` is the name of a browser family, empty if unknown.
    """

    push: Push
    is_end: bool
    at: datetime
    browser: str
    views_left: int


def is_due(kind: str, push: Push) -> bool:
    """Return whether an audit entry of this kind sends a notice: a counted view, or the end by guesses."""
    return kind in VIEWS or (kind == AuditKind.EXPIRE and push.ending is Ending.GUESSES)


def token(push_id: str, instance_key: InstanceKey, address_digest: str = "") -> str:
    """Return the token for a link to switch off a push's notices, or with a digest, all mails to that address."""
    named = bytes.fromhex(push_id + address_digest)
    key = cipher.derive(instance_key.material, b"secret-sharing notice v1")
    mac = hmac.digest(key, named, "sha256")[:_MAC_BYTES]
    return base64.urlsafe_b64encode(named + mac).decode().rstrip("=")


def parse(token: str) -> tuple[str, str] | None:
    """Return the push id and the address digest (or empty) in a token, without checking its MAC; None if malformed."""
    try:
        raw = base64.urlsafe_b64decode(token.encode() + b"==")
    except (binascii.Error, ValueError):
        return None
    named = raw[:-_MAC_BYTES].hex()
    return (named[:64], named[64:]) if len(named) in (2 * _ID_BYTES, 4 * _ID_BYTES) else None


def is_token(text: str, push_id: str, instance_key: InstanceKey, address_digest: str = "") -> bool:
    """Return whether the text is the token of this push, and of this address if given."""
    return hmac.compare_digest(text.encode(), token(push_id, instance_key, address_digest).encode())


def browser_family(user_agent: str) -> str:
    """Return the name of the browser or program for this header, empty if unknown."""
    return next((name for sign, name in _FAMILIES.items() if sign in user_agent), "")
