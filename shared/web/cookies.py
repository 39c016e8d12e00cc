"""The two cookies of the pages: what browsers send of them, and how they are set. Pure."""

import re
from collections.abc import Iterable
from datetime import timedelta

# With this prefix browsers take a cookie from this host alone, and over TLS: no other host of the domain can plant one
# (RFC 6265bis, section 4.1.3.2).
SESSION = "__Host-session"
FORM = "__Host-form"
_ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Lax"
_FORM_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def value(wanted: str, sent: Iterable[str]) -> str:
    """The value of a cookie, empty where it is not sent. One that comes twice is none: nobody knows which is ours."""
    pairs = (cookie.strip().partition("=") for cookie in sent)
    values = [value for name, _, value in pairs if name == wanted]
    return values[0] if len(values) == 1 else ""


def form_secret(sent: Iterable[str]) -> str:
    """The value of the cookie that forms before sign-in go with, empty where there is none that we may have set."""
    found = value(FORM, sent)
    return found if _FORM_SECRET.fullmatch(found) else ""


def session(opened: str | None, lifetime: timedelta) -> str | None:
    """Set the session's cookie, or end it where its value is empty; None leaves it as it is."""
    if opened is None:
        return None
    seconds = int(lifetime.total_seconds()) if opened else 0
    return f"{SESSION}={opened}; Max-Age={seconds}; {_ATTRIBUTES}"


def form(secret: str) -> str | None:
    """Set the cookie that forms before sign-in go with, until the browser is closed."""
    return f"{FORM}={secret}; {_ATTRIBUTES}" if secret else None
