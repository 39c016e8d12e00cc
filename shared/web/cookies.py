"""The cookies of the pages: of sessions, CSRF tokens before sign-in, languages, and a sender's last choices. Pure."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.domain.passwords import Recipe
    from shared.domain.push import Push

# Browsers take a cookie with this prefix from this host only, and over TLS: no other host of the domain can plant one
# (RFC 6265bis, section 4.1.3.2).
SESSION = "__Host-session"
FORM = "__Host-form"
CHOICES = "__Host-choices"
LOCALE = "__Host-locale"
_ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Lax"
_FORM_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
# As long as browsers keep one (RFC 6265bis, section 5.5): whoever sends at all often sends alike. It holds settings
# only, so whoever comes next at a shared computer learns how long somebody's link lives, and nothing that it opens.
_CHOICES_LIFETIME = timedelta(days=400)
_LOCALE_LIFETIME = timedelta(days=365)


def value(name: str, cookies: Iterable[str]) -> str:
    """The value of a cookie, as in `a=b`; empty where it is not sent, or sent twice: nobody knows which one is ours."""
    pairs = (cookie.strip().partition("=") for cookie in cookies)
    values = [value for sent_name, _, value in pairs if sent_name == name]
    return values[0] if len(values) == 1 else ""


def form_secret(cookies: Iterable[str]) -> str:
    """The value of the cookie for CSRF tokens before sign-in; empty where it is missing or cannot be one of ours."""
    secret = value(FORM, cookies)
    return secret if _FORM_SECRET.fullmatch(secret) else ""


def last_choices(cookies: Iterable[str]) -> dict[str, str]:
    """A sender's last choices by the names of the form's fields; none where they are missing or cannot be ours."""
    from shared.web.choices import decode  # loaded here: the sender's form alone has choices

    return decode(value(CHOICES, cookies))


def session(cookie_value: str | None, lifetime: timedelta) -> str | None:
    """The header that sets the session's cookie, or ends it where the value is empty; None leaves it as it is."""
    if cookie_value is None:
        return None
    seconds = int(lifetime.total_seconds()) if cookie_value else 0
    return f"{SESSION}={cookie_value}; Max-Age={seconds}; {_ATTRIBUTES}"


def form(secret: str) -> str | None:
    """The header that sets the cookie for CSRF tokens before sign-in, until the browser is closed."""
    return f"{FORM}={secret}; {_ATTRIBUTES}" if secret else None


def choices(push: Push, recipe: Recipe) -> str:
    """The header that keeps what a sender chose for the next time that they send, never what they typed."""
    from shared.web.choices import encode  # loaded here, as above

    return f"{CHOICES}={encode(push, recipe)}; Max-Age={int(_CHOICES_LIFETIME.total_seconds())}; {_ATTRIBUTES}"


def locale(tag: str | None) -> str | None:
    """The header that keeps the language that was asked for; None leaves it as it is."""
    return f"{LOCALE}={tag}; Max-Age={int(_LOCALE_LIFETIME.total_seconds())}; {_ATTRIBUTES}" if tag else None


def setting(*headers: str | None) -> dict[str, list[str]]:
    """What sets cookies by these headers in an answer, as API Gateway wants it; nothing without one."""
    to_set = [header for header in headers if header]
    return {"cookies": to_set} if to_set else {}
