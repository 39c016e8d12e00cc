"""The two cookies of the pages, one of sessions and one of CSRF tokens before sign-in: read and set. Pure."""

import re
from collections.abc import Iterable
from datetime import timedelta

# Browsers take a cookie with this prefix from this host only, and over TLS: no other host of the domain can plant one
# (RFC 6265bis, section 4.1.3.2).
SESSION = "__Host-session"
FORM = "__Host-form"
_ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Lax"
_FORM_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def value(name: str, cookies: Iterable[str]) -> str:
    """The value of a cookie, as in `a=b`; empty where it is not sent, or sent twice: nobody knows which one is ours."""
    pairs = (cookie.strip().partition("=") for cookie in cookies)
    values = [value for sent_name, _, value in pairs if sent_name == name]
    return values[0] if len(values) == 1 else ""


def form_secret(cookies: Iterable[str]) -> str:
    """The value of the cookie for CSRF tokens before sign-in; empty where it is missing or cannot be one of ours."""
    secret = value(FORM, cookies)
    return secret if _FORM_SECRET.fullmatch(secret) else ""


def session(opened: str | None, lifetime: timedelta) -> str | None:
    """The header that sets the session's cookie, or ends it where the value is empty; None leaves it as it is."""
    if opened is None:
        return None
    seconds = int(lifetime.total_seconds()) if opened else 0
    return f"{SESSION}={opened}; Max-Age={seconds}; {_ATTRIBUTES}"


def form(secret: str) -> str | None:
    """The header that sets the cookie for CSRF tokens before sign-in, until the browser is closed."""
    return f"{FORM}={secret}; {_ATTRIBUTES}" if secret else None


def setting(header: str | None) -> dict[str, list[str]]:
    """What sets a cookie by this header in an answer, as API Gateway wants it; nothing without one."""
    return {"cookies": [header]} if header else {}
