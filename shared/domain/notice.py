"""Notices: mails to an owner about a counted view of a push, its end by guesses, or an answer to an ask. Pure.

A notice has a link to switch off notices for its push or ask. A mail with a push's link has a link to stop all mails
to its address, which the token contains as a digest. The token has an HMAC under a key derived from the instance key.
The tables alone are not enough to create a token, and a token does not reveal the push's link.
"""

import hmac
from datetime import datetime
from typing import NamedTuple

from shared.domain import base64url, cipher
from shared.domain.ask import Ask, Opened
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
    """The content of a notice: about the answer to an ask if there is an `answered` one, else about a view or an end.

    `is_end` is true for the end by guesses. `at` is the time of the answer, the view or the end, `views_left` the
    number of views left after it. `browser` is the name of the viewer's browser family; empty if unknown.
    """

    push: Push
    is_end: bool
    at: datetime
    browser: str
    views_left: int
    answered: Opened | None = None

    @property
    def subject(self) -> Push | Ask:
        """Return the push or the ask whose notices the mail's link switches off."""
        return self.answered.ask if self.answered else self.push


def is_due(kind: str, push: Push, answered: Opened | None = None) -> bool:
    """Return whether the owner wants a notice about an audit entry of this kind.

    That is a counted view, the end by guesses, or the creation of an answer to the ask `answered`.
    """
    if kind == AuditKind.CREATION:
        return answered is not None and answered.terms.notify_when_answered and not answered.ask.is_quiet
    if not push.notify_when_viewed:
        return False
    return kind in VIEWS or (kind == AuditKind.EXPIRE and push.ending is Ending.GUESSES)


def token(subject_id: str, instance_key: InstanceKey, address_digest: str = "") -> str:
    """Return the token for a link that switches off notices about the push or ask with this id.

    With `address_digest`, return the token for a link that stops all mails to the e-mail address with this digest.
    """
    named = bytes.fromhex(subject_id + address_digest)
    key = cipher.derive(instance_key.material, b"secret-sharing notice v1")
    mac = hmac.digest(key, named, "sha256")[:_MAC_BYTES]
    return base64url.encode(named + mac)


def parse(token: str) -> tuple[str, str] | None:
    """Return the id of the push or ask and the address digest (or an empty string) in a token; None if it is malformed.

    The MAC is not checked: `is_token` does that.
    """
    named = (base64url.decode(token) or b"")[:-_MAC_BYTES].hex()
    return (named[:64], named[64:]) if len(named) in (2 * _ID_BYTES, 4 * _ID_BYTES) else None


def is_token(text: str, subject_id: str, instance_key: InstanceKey, address_digest: str = "") -> bool:
    """Return whether the text is the token for this push or ask and this address digest (or none)."""
    return hmac.compare_digest(text.encode(), token(subject_id, instance_key, address_digest).encode())


def browser_family(user_agent: str) -> str:
    """Return the name of the browser or program that sends this User-Agent header; empty if unknown."""
    return next((name for sign, name in _FAMILIES.items() if sign in user_agent), "")
