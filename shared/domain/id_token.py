"""ID tokens from Cognito (OpenID Connect Core 1.0, section 2). Pure.

They come from Cognito over TLS, so the signature need not be checked (section 3.1.3.7, step 6).
"""

import json
from datetime import datetime
from typing import Any, NamedTuple

from shared.domain import base64url, errors

_PARTS = 3  # header, claims, signature


class Identity(NamedTuple):
    """The account that signed in, as Cognito names it."""

    sub: str
    username: str


def claims(id_token: str) -> dict[str, Any]:
    """Return the claims.

    Raises: ValueError, TypeError, if the text is no ID token.
    """
    parts = id_token.split(".")
    payload = base64url.decode(parts[1]) if len(parts) == _PARTS else None
    return dict(json.loads(payload or b""))


def check(id_token: str, *, issuer: str, client_id: str, nonce: str, now: datetime) -> Identity:
    """Return who signed in, if the token was issued for this sign-in at this app client.

    Raises: ProviderRefused.
    """
    expected = {"iss": issuer, "aud": client_id, "token_use": "id", "nonce": nonce}
    try:
        said = claims(id_token)
        sub, username, expires_at = said["sub"], said["cognito:username"], float(said["exp"])
    except (ValueError, KeyError, TypeError):
        raise errors.ProviderRefused from None
    is_for_us = all(said.get(name) == value for name, value in expected.items()) and now.timestamp() < expires_at
    if not is_for_us or not isinstance(sub, str) or not isinstance(username, str) or not (sub and username):
        raise errors.ProviderRefused
    return Identity(sub, username)
