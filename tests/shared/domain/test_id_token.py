import json
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.domain import base64url, errors, id_token

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CLAIMS = {
    "iss": "https://issuer.example",
    "aud": "client",
    "token_use": "id",
    "nonce": "nonce",
    "exp": NOW.timestamp() + 1,
    "sub": "1",
    "cognito:username": "oidc_1",
}


def token(claims: Any) -> str:
    return f"e30.{base64url.encode(json.dumps(claims).encode())}.signature"


def check(text: str, now: datetime = NOW) -> id_token.Identity:
    return id_token.check(text, issuer="https://issuer.example", client_id="client", nonce="nonce", now=now)


def test_a_token_for_this_sign_in_names_the_account() -> None:
    assert check(token(CLAIMS)) == ("1", "oidc_1")


def test_a_token_works_until_the_second_that_it_expires() -> None:
    with pytest.raises(errors.ProviderRefused):
        check(token(CLAIMS | {"exp": NOW.timestamp()}))


@pytest.mark.parametrize("text", ["", "a.b", "a.b.c.d", "e30.e30.", "e30.!.x", "e30.bnVsbA.x", "e30.WzFd.x", "ä.ä.ä"])
def test_a_text_that_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(errors.ProviderRefused):
        check(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, None) for name in CLAIMS),
        *((name, "another") for name in ("iss", "aud", "token_use", "nonce", "exp")),
        ("aud", ["client", "another"]),
        *((name, wrong) for name in ("sub", "cognito:username") for wrong in ("", ["oidc_1"])),
    ],
)
def test_every_claim_must_be_right(name: str, value: Any) -> None:
    with pytest.raises(errors.ProviderRefused):
        check(token(CLAIMS | {name: value}))
