"""The cookies of the pages: session, CSRF secret while nobody is signed in, language, the sender's choices. Pure."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.domain.passwords import Recipe
    from shared.domain.push import Push
    from shared.runtime.settings import Settings

# Browsers accept a cookie with the prefix `__Host-` only over TLS and from this very host, so that no other host of
# the domain can set one (RFC 6265bis, section 4.1.3.2).
SESSION = "__Host-session"
FORM = "__Host-form"
CHOICES = "__Host-choices"
LOCALE = "__Host-locale"
_ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Lax"
_FORM_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
# The longest lifetime that browsers allow (RFC 6265bis, section 5.5). The cookie holds settings only: the next user of
# a shared computer may see the lifetime of a push, but no link and no content.
_CHOICES_LIFETIME = timedelta(days=400)
_LOCALE_LIFETIME = timedelta(days=365)


def value(name: str, cookies: Iterable[str]) -> str:
    """Return the value of a cookie. Empty if the request has none, or two: one of two may be forged."""
    pairs = (cookie.strip().partition("=") for cookie in cookies)
    values = [value for sent_name, _, value in pairs if sent_name == name]
    return values[0] if len(values) == 1 else ""


def form_secret(cookies: Iterable[str]) -> str:
    """Return the random value that CSRF tokens are derived from while nobody is signed in.

    Empty if the request has no such cookie, or a malformed one.
    """
    secret = value(FORM, cookies)
    return secret if _FORM_SECRET.fullmatch(secret) else ""


def last_choices(cookies: Iterable[str], settings: Settings) -> dict[str, str]:
    """Return the settings of the sender's last push, by form field name.

    Empty if the request has no such cookie, or a malformed one.
    """
    from shared.web.choices import decode  # imported here: only the sender's form needs it

    return decode(value(CHOICES, cookies), settings)


def session(cookie_value: str | None, lifetime: timedelta) -> str | None:
    """Return the header that sets the session cookie; for an empty value, the header that deletes it.

    Returns None if `cookie_value` is None: the response leaves the cookie as it is.
    """
    if cookie_value is None:
        return None
    seconds = int(lifetime.total_seconds()) if cookie_value else 0
    return f"{SESSION}={cookie_value}; Max-Age={seconds}; {_ATTRIBUTES}"


def form(secret: str) -> str | None:
    """Return the header that sets the cookie for CSRF protection while nobody is signed in; None for an empty secret.

    The browser deletes this cookie when it closes.
    """
    return f"{FORM}={secret}; {_ATTRIBUTES}" if secret else None


def choices(push: Push, recipe: Recipe) -> str:
    """Return the header that stores the settings of a push, to fill in the form for the next one. No content."""
    from shared.web.choices import encode  # imported here, as above

    return f"{CHOICES}={encode(push, recipe)}; Max-Age={int(_CHOICES_LIFETIME.total_seconds())}; {_ATTRIBUTES}"


def locale(tag: str | None) -> str | None:
    """Return the header that stores the language with this tag; None if `tag` is None or empty."""
    return f"{LOCALE}={tag}; Max-Age={int(_LOCALE_LIFETIME.total_seconds())}; {_ATTRIBUTES}" if tag else None


def setting(*headers: str | None) -> dict[str, list[str]]:
    """Return the part of a gateway response that sets cookies by these headers; empty if all of them are None."""
    to_set = [header for header in headers if header]
    return {"cookies": to_set} if to_set else {}
