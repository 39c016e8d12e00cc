"""API tokens created by a form: one per form, even if sent repeatedly, and shown for a minute.

The token is derived from the session's cookie and the form's fields, so it is never stored. If a form is sent again, it
returns the same token, or after the minute, that it was already shown.
"""

import json
from datetime import datetime

from shared.domain import base64url, cipher, digests, owners
from shared.domain.limits import TOKEN_SHOWN_FOR
from shared.domain.token import Session
from shared.identity import auth


def create_token(
    cookie: str, session: Session, key: str, name: str, days: str, *, now: datetime, expires_at: datetime | None
) -> str:
    """Create the API token of a form, unless it exists or was revoked; return its receipt, 64 hex digits.

    The receipt is a digest of `key`, `name` and `days`, by which `find_token` finds the token. `key` is a random field
    of each form. A different name or number of days gives another token. `cookie` is the session's cookie value.
    """
    receipt = digests.digest(json.dumps([key, name, days]))
    api_token = _derive(cookie, session, receipt)
    auth.issue_api_token(
        session.owner, name, now=now, expires_at=expires_at, proven_at=session.proof, api_token=api_token
    )
    return receipt


def find_token(cookie: str, session: Session, receipt: str, *, now: datetime) -> str | None:
    """Return the API token with this receipt, for a minute after its creation; after that, an empty string.

    Returns None if the token does not exist or is no longer valid.
    """
    api_token = _derive(cookie, session, receipt)
    token = auth.find_api_token(api_token, now=now)  # not from the list, because the index lags
    if token is None:
        return None
    return api_token if now - token.created_at < TOKEN_SHOWN_FOR else ""


def _derive(cookie: str, session: Session, receipt: str) -> str:
    random = cipher.derive(cookie.encode(), f"secret-sharing API token v1 {receipt}".encode())
    return owners.locator(session.owner) + base64url.encode(random)
