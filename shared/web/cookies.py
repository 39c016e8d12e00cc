"""The cookies of the pages. Pure.

They hold the session, the CSRF secret while nobody is signed in, the state of a sign-in by the OIDC provider, the
language, the sender's choices, the address that a code was mailed to, and the repeat of a view.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.domain.passwords import Recipe
    from shared.domain.push import Push
    from shared.runtime.settings import Settings

# Browsers accept a cookie with the prefix `__Host-` only over TLS and from this very host, so that no other host of
# the domain can set one (RFC 6265bis, section 4.1.3.2).
SESSION = "__Host-session"
FORM = "__Host-form"
STATE = "__Host-state"
CHOICES = "__Host-choices"
LOCALE = "__Host-locale"
ADDRESS = "__Host-address"
# Set by the page with the button. If the POST brings it back, the browser keeps our cookies, and a GET can show the
# secret; otherwise the POST must.
KEPT = "__Host-kept"
# One for each push, by its path: pushes in two tabs do not disturb each other, and a request carries one at most. A
# path other than / allows only the prefix `__Secure-`.
REPEAT = "__Secure-repeat"
_ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Lax"
_STRICT = "HttpOnly; Secure; SameSite=Strict"
_ADDRESS_LIFETIME = timedelta(hours=1)  # as long as a mailed code works
_FORM_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
_STATE = re.compile(r"([A-Za-z0-9_-]{43})(/.*)?")  # and the page to open then
_STATE_LIFETIME = timedelta(minutes=10)
# The longest lifetime that browsers allow (RFC 6265bis, section 5.5). The cookie holds settings only: the next user of
# a shared computer may see the lifetime of a push, but no link and no content.
_CHOICES_LIFETIME = timedelta(days=400)
_LOCALE_LIFETIME = timedelta(days=365)


def value(name: str, cookies: Iterable[str]) -> str:
    """Return the value of a cookie. Empty if the request has none, or two: one of two may be forged."""
    sent = values(name, cookies)
    return sent[0] if len(sent) == 1 else ""


def values(name: str, cookies: Iterable[str]) -> list[str]:
    """Return all values of a cookie: another host of the domain may have set some (RFC 6265bis, section 8.6)."""
    pairs = (cookie.strip().partition("=") for cookie in cookies)
    return [value for sent_name, _, value in pairs if sent_name == name]


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


def state(value: str, place: str = "") -> str:
    """Return the header that keeps the state of a sign-in by the OIDC provider, and the path of the page to open then.

    An empty value deletes it. SameSite=Lax, because the provider leads back from another site.
    """
    seconds = int(_STATE_LIFETIME.total_seconds()) if value else 0
    return f"{STATE}={value}{place}; Max-Age={seconds}; {_ATTRIBUTES}"


def last_state(cookies: Iterable[str]) -> tuple[str, str]:
    """Return the state and the path that `state` keeps; both empty without one, or if it is malformed."""
    kept = _STATE.fullmatch(value(STATE, cookies))
    return (kept[1], kept[2] or "") if kept else ("", "")


def choices(push: Push, recipe: Recipe) -> str:
    """Return the header that stores the settings of a push, to fill in the form for the next one. No content."""
    from shared.web.choices import encode  # imported here, as above

    return f"{CHOICES}={encode(push, recipe)}; Max-Age={int(_CHOICES_LIFETIME.total_seconds())}; {_ATTRIBUTES}"


def locale(tag: str | None) -> str | None:
    """Return the header that stores the language with this tag; None if `tag` is None or empty."""
    return f"{LOCALE}={tag}; Max-Age={int(_LOCALE_LIFETIME.total_seconds())}; {_ATTRIBUTES}" if tag else None


def kept() -> str:
    """Return the header that shows whether the browser keeps our cookies. The browser deletes it when it closes."""
    return f"{KEPT}=1; Path=/; {_STRICT}"


def repeat(url_token: str, sealed: str, lifetime: timedelta) -> str:
    """Return the header that stores a repeat of a view (repeat_cookie.py) for the pages of this push alone."""
    return f"{REPEAT}={sealed}; Max-Age={int(lifetime.total_seconds())}; Path=/p/{url_token}; {_STRICT}"


def address(email: str) -> str:
    """Return the header that keeps an e-mail address for the next form, out of its URL; empty: that deletes it."""
    seconds = int(_ADDRESS_LIFETIME.total_seconds()) if email else 0
    return f"{ADDRESS}={quote(email, safe='')}; Max-Age={seconds}; Path=/; {_STRICT}"


def last_address(cookies: Iterable[str]) -> str:
    """Return the e-mail address that `address` keeps; empty without one."""
    return unquote(value(ADDRESS, cookies))


def setting(*headers: str | None) -> dict[str, list[str]]:
    """Return the part of a gateway response that sets cookies by these headers; empty if all of them are None."""
    to_set = [header for header in headers if header]
    return {"cookies": to_set} if to_set else {}
