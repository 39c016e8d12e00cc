"""API tokens that a form makes: one for each form, however often it is sent, and shown for a minute.

A token is derived from the session's cookie and what the form says, so nothing has to keep it until it is shown: sent
once more, after a lost answer or by a second press, a form leads to the same token, and later to the news that it was
shown.
"""

import base64
import json
from datetime import datetime

from shared.domain import cipher, owners, seal
from shared.domain.limits import TOKEN_SHOWN_FOR
from shared.domain.token import Session
from shared.identity import auth


def create_token(
    cookie: str, session: Session, key: str, name: str, days: str, *, now: datetime, expires_at: datetime | None
) -> str:
    """Make the API token of a form, unless it is there or was revoked since; return its receipt, 64 hex digits.

    `key` is the form's own; another name or number of days makes another token.
    """
    receipt = seal.digest(json.dumps([key, name, days]))
    api_token = _derive(cookie, session, receipt)
    auth.issue_api_token(
        session.owner, name, now=now, expires_at=expires_at, proven_at=session.proof, api_token=api_token
    )
    return receipt


def find_token(cookie: str, session: Session, receipt: str, *, now: datetime) -> str | None:
    """The API token of a receipt, empty when it was shown long enough, None when there is none that is valid."""
    api_token = _derive(cookie, session, receipt)
    token = auth.find_api_token(api_token, now=now)  # not from the list, which may not have it yet
    if token is None:
        return None
    return api_token if now - token.created_at < TOKEN_SHOWN_FOR else ""


def _derive(cookie: str, session: Session, receipt: str) -> str:
    random = cipher.derive(cookie.encode(), f"secret-sharing API token v1 {receipt}".encode())
    return owners.locator(session.owner) + base64.urlsafe_b64encode(random).decode().rstrip("=")
