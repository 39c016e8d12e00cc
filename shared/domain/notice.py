"""Notices: the mails that tell an owner of a counted view of their push, or of its end by guesses. Pure.

A notice has a link that switches them off for its push, and a mail with a link one that stops mails to its reader's
address, of which it has a digest alone. The token is the authority to do so, by HMAC under a key of the instance key's:
whoever has the tables alone can make none, and from none can a link to the push be made.
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

_ID_BYTES, _MAC_BYTES = 32, 16  # of a push's id and of an address's digest; of the MAC
# Signs in a user agent and what people call the browser or program. A notice quotes nothing that a caller wrote.
# The first match decides: most browsers name others too, to get the pages that those get.
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
    """What is told: a view by this browser, which left so many; or, where it is the end by guesses, that.

    `browser` is the name of a family of browsers, empty for an unknown one.
    """

    push: Push
    is_end: bool
    at: datetime
    browser: str
    views_left: int


def is_due(kind: str, push: Push) -> bool:
    """Whether an audit entry of this kind is told of: a counted view, or the end by guesses."""
    return kind in VIEWS or (kind == AuditKind.EXPIRE and push.ending is Ending.GUESSES)


def token(push_id: str, instance_key: InstanceKey, address_digest: str = "") -> str:
    """What a link holds that switches the notices of a push off, or with a digest stops mails to that address."""
    named = bytes.fromhex(push_id + address_digest)
    key = cipher.derive(instance_key.material, b"secret-sharing notice v1")
    mac = hmac.digest(key, named, "sha256")[:_MAC_BYTES]
    return base64.urlsafe_b64encode(named + mac).decode().rstrip("=")


def parse(token: str) -> tuple[str, str] | None:
    """The push's id and the address's digest, if any, that a token names, forged or not; None for no token's form."""
    try:
        raw = base64.urlsafe_b64decode(token.encode() + b"==")
    except (binascii.Error, ValueError):
        return None
    named = raw[:-_MAC_BYTES].hex()
    return (named[:64], named[64:]) if len(named) in (2 * _ID_BYTES, 4 * _ID_BYTES) else None


def is_token(text: str, push_id: str, instance_key: InstanceKey, address_digest: str = "") -> bool:
    """Whether a text is the token of a push, and of an address where there is a digest."""
    return hmac.compare_digest(text.encode(), token(push_id, instance_key, address_digest).encode())


def browser_family(user_agent: str) -> str:
    """The name of what sent a request with this header, empty for what is not known."""
    return next((name for sign, name in _FAMILIES.items() if sign in user_agent), "")
