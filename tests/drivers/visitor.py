"""A visitor with every cookie and field that we sent, and all of our code, but without the server's keys."""

import base64
import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence

from shared.domain import cipher
from tests.drivers.browser import Browser, forms

SECOND_STEP, SET_UP = "second step of a sign-in", "two-factor set-up"  # the purposes of our hidden fields
TOMORROW, FAR_FUTURE, LONG_AGO = "2026-01-02T01:00:00+00:00", "2099-01-01T00:00:00+00:00", "2000-01-01T00:00:00+00:00"
STRANGE_SHAPES = [
    *([], ["a"], ["a"] * 3, ["a"] * 5, None, 5, "text", {"a": 1}),
    *(["a", "b", "c", "yesterday"], ["a", "b", "c", "2026-01-01T01:00:00"], [1, 2, 3, 4], [None] * 4, [["a"]] * 4),
]


def state(browser: Browser) -> str:
    """Return the hidden field of the current page."""
    fields = [field for form in forms(browser.page.text) for field in form.fields]
    return next(value for name, value in fields if name == "state")


def sealed(cookie: str, purpose: str, plain: object, guesses: Iterable[str] = ()) -> Iterator[str]:
    """Return the text as a hidden field, under each key that can be derived without a secret of the server."""
    for key in keys(cookie, guesses):
        yield base64.urlsafe_b64encode(cipher.encrypt(key, json.dumps(plain).encode(), purpose)).decode()


def keys(cookie: str, guesses: Iterable[str] = ()) -> Iterator[bytes]:
    """Yield the key of hidden fields before 0.9.1, and today's derivation with guesses at the server's secret."""
    for version in ("v1", "v2"):
        yield cipher.derive(cookie.encode(), f"secret-sharing form {version}".encode())
    for secret, bound in itertools.product(["", "None", cookie, *guesses], [cookie, ""]):
        yield cipher.derive(cipher.join_parts([secret.encode(), bound.encode()]), b"secret-sharing form v2")


def rewrite_field(field: str) -> Iterator[str]:
    """Return the field with a part changed: nonce, text or tag, its beginning, its end, and its parts exchanged."""
    raw = base64.urlsafe_b64decode(field)
    for place in (0, 11, 12, 20, len(raw) // 2, len(raw) - 17, len(raw) - 16, len(raw) - 1):
        yield _text(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
    for part in (raw[:-1], raw[:-16], raw[1:], raw[12:], raw + b"\0", raw + raw, raw[12:] + raw[:12], raw[:12], b""):
        yield _text(part)
    yield from (field[:-1], field.swapcase(), "AAAA", "null", "%00", "é", " ")


def forged_sign_ins(
    field: str, cookie: str, usernames: Sequence[str], moments: Sequence[str], guesses: Sequence[str] = ()
) -> Iterator[str]:
    """Return sign-in states with each value replaced: of this field, if readable, and of one made up."""
    if known := read_field(field, cookie, SECOND_STEP, guesses):
        for place, value in itertools.product(range(len(known)), [*moments, *usernames]):
            yield from sealed(cookie, SECOND_STEP, [*known[:place], value, *known[place + 1 :]], guesses)
    for moment, username in itertools.product(moments, usernames):
        made_up = ["mallory@example.com", username, "s" * 30]
        for plain in ([*made_up, moment], [moment, *made_up]):  # as in 0.9.0, and as today
            yield from sealed(cookie, SECOND_STEP, plain, guesses)


def read_field(field: str, cookie: str, purpose: str, guesses: Iterable[str] = ()) -> list[str]:
    """Return the text of a field that the visitor can read: None is expected."""
    for key in keys(cookie, guesses):
        with contextlib.suppress(cipher.CannotOpen, ValueError):
            values: list[str] = json.loads(cipher.decrypt(key, base64.urlsafe_b64decode(field), purpose))
            return values
    return []


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()
