"""Credentials to an owner, and API tokens (contract, section 7)."""

import re
import secrets
from collections.abc import Mapping
from datetime import datetime

from shared import errors, seal, store
from shared.push import Caller
from shared.settings import Settings, current

API_TOKEN_BYTES = 32
_MAX_CREDENTIAL = 1_000  # characters that a pattern is tried on; an API token has 43
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


def presented_token(headers: Mapping[str, str]) -> str | None:
    """The API token that a request carries, None when it carries no credential at all.

    The legacy `X-User-Token` wins over `Authorization`; the e-mail that comes with it is not compared.
    Unauthenticated when there is a credential of another kind.
    """
    if legacy := headers.get("x-user-token", "").strip():
        return legacy
    authorization = headers.get("authorization", "").strip()
    if not authorization:
        return None
    if len(authorization) <= _MAX_CREDENTIAL and (bearer := _BEARER.fullmatch(authorization)):
        return bearer[1]
    raise errors.Unauthenticated


def owner_of(api_token: str, *, now: datetime) -> str:
    """The owner of an API token, or Unauthenticated when it is unknown, revoked or expired."""
    token = store.find_api_token(seal.digest(api_token))
    if token is None or token.is_session or token.is_expired(now):
        raise errors.Unauthenticated
    return token.owner


def require_owner(caller: Caller) -> str:
    """The caller's name as an owner, or Unauthenticated when they are anonymous."""
    if caller.owner is None:
        raise errors.Unauthenticated
    return caller.owner


def permit_files(caller: Caller, settings: Settings, *, wanted: bool) -> None:
    """Unauthenticated when the caller is anonymous, wants files, and files are for owners here."""
    if wanted and settings.file_authentication:
        require_owner(caller)


def issue_api_token(owner: str, name: str, *, now: datetime, expires_at: datetime | None = None) -> str:
    """Make an API token of 256 random bits; this is the only time that anybody sees it."""
    api_token = secrets.token_urlsafe(API_TOKEN_BYTES)
    store.add_api_token(
        store.ApiToken(
            digest=seal.digest(api_token),
            owner=owner,
            name=name,
            last_four=api_token[-4:],
            created_at=now,
            expires_at=expires_at,
        )
    )
    return api_token


def revoke_api_token(owner: str, digest: str) -> None:
    """Revoke one of the owner's API tokens; anybody else's digest, or what is none, revokes nothing."""
    token = store.find_api_token(digest) if seal.is_digest(digest) else None
    if token and token.owner == owner and not token.is_session:
        store.remove_api_token(digest)


def api_tokens(owner: str, *, now: datetime) -> list[store.ApiToken]:
    """The owner's API tokens that work, oldest first."""
    return [token for token in store.api_tokens(owner) if not token.is_session and not token.is_expired(now)]


def open_session(owner: str, *, now: datetime) -> str:
    """Make a session for a browser, for as long as the installation's settings say; give its cookie's value."""
    value = secrets.token_urlsafe(API_TOKEN_BYTES)
    store.add_api_token(
        store.ApiToken(
            digest=_session_digest(value),
            owner=owner,
            name="",
            last_four="",
            created_at=now,
            expires_at=now + current().session_lifetime,
            is_session=True,
        )
    )
    return value


def session_owner(value: str, *, now: datetime) -> str | None:
    """Whose session it is, None when it is over."""
    session = store.find_api_token(_session_digest(value))
    return None if session is None or session.is_expired(now) else session.owner


def close_session(value: str) -> None:
    """End a session."""
    store.remove_api_token(_session_digest(value))


def close_sessions(owner: str) -> None:
    """End all sessions of an owner, in whatever browser."""
    for token in store.api_tokens(owner):
        if token.is_session:
            store.remove_api_token(token.digest)


def form_token(session: str) -> str:
    """What a form of a signed-in page carries, so that no other site can send it."""
    return seal.digest(f"form {session}")


def _session_digest(value: str) -> str:
    # Not the digest of an API token of that value: a cookie must not work as one.
    return seal.digest(f"session {value}")
