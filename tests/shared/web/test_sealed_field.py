"""A hidden field works with its own cookie, for its own purpose and in time; only the server can create one."""

import base64
import json
from datetime import datetime, timedelta

import pytest

from shared.domain import cipher, errors
from shared.identity import accounts
from shared.web.sealed_field import SealedField
from tests.conftest import People
from tests.drivers.client import START

pytestmark = pytest.mark.usefixtures("people")

VALUES = ["a token", "ein Schlüssel"]
LIFETIME = timedelta(minutes=3)
MOMENT = timedelta(microseconds=1)
FIELD = SealedField("form", 2, LIFETIME)


def sealed() -> str:
    return FIELD.seal("cookie", VALUES, at=START)


def by_server(plain: object) -> str:
    """Return a field of another release, under the server's own key."""
    encrypted = cipher.encrypt(accounts.field_key("cookie"), json.dumps(plain).encode(), FIELD.purpose)
    return base64.urlsafe_b64encode(encrypted).decode()


def test_an_encrypted_field_opens_and_hides_its_text() -> None:
    field = sealed()

    assert FIELD.unseal("cookie", field, now=START) == (START, VALUES)
    assert b"token" not in base64.urlsafe_b64decode(field)


@pytest.mark.parametrize(("cookie", "purpose"), [("another", "form"), ("cookie", "another"), ("", "form")])
def test_another_cookie_or_form_opens_nothing(cookie: str, purpose: str) -> None:
    with pytest.raises(errors.SignInLapsed):
        FIELD._replace(purpose=purpose).unseal(cookie, sealed(), now=START)


def test_another_installation_opens_nothing(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    field = sealed()
    monkeypatch.setattr("shared.aws.cognito.client_secret", lambda: "another")

    with pytest.raises(errors.SignInLapsed):
        FIELD.unseal("cookie", field, now=START)


@pytest.mark.parametrize("now", [START - MOMENT, START + LIFETIME, START + timedelta(days=300)], ids=str)
def test_a_field_works_from_its_creation_until_its_lifetime_ends(now: datetime) -> None:
    in_time = FIELD.unseal("cookie", sealed(), now=START + LIFETIME - MOMENT)

    with pytest.raises(errors.SignInLapsed):
        FIELD.unseal("cookie", sealed(), now=now)
    assert in_time == (START, VALUES)


@pytest.mark.parametrize("field", ["", "A", "AAAA", "é", "\ud800", "A" * 100_000, "%00", "null", "[]"])
def test_a_field_that_was_never_encrypted_opens_nothing(field: str) -> None:
    with pytest.raises(errors.SignInLapsed):
        FIELD.unseal("cookie", field, now=START)


@pytest.mark.parametrize(
    "plain",
    [
        *(None, 5, "text", [], {}, [START.isoformat()]),
        *([START.isoformat(), *VALUES, "one more"], [START.isoformat(), VALUES[0]]),
        *([None, *VALUES], [1, *VALUES], ["yesterday", *VALUES], ["2026-01-01T01:00:00", *VALUES]),
    ],
    ids=repr,
)
def test_a_field_of_another_release_opens_nothing(plain: object) -> None:
    with pytest.raises(errors.SignInLapsed):
        FIELD.unseal("cookie", by_server(plain), now=START)


def test_a_field_with_any_byte_changed_opens_nothing() -> None:
    raw = base64.urlsafe_b64decode(sealed())

    for place in range(len(raw)):
        changed = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        with pytest.raises(errors.SignInLapsed):
            FIELD.unseal("cookie", base64.urlsafe_b64encode(changed).decode(), now=START)


@pytest.mark.parametrize("kept", [0, 8, 12, -8])
def test_a_truncated_field_opens_nothing(kept: int) -> None:
    with pytest.raises(errors.SignInLapsed):
        FIELD.unseal("cookie", sealed()[:kept], now=START)
