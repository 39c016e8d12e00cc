"""Credentials to an owner: API tokens, and sessions of browsers (contract, section 7)."""

import re
import secrets
from collections.abc import Mapping
from datetime import datetime

from shared import standing
from shared.aws import tokens
from shared.domain import errors, owners, seal
from shared.domain.audit import Caller
from shared.domain.token import ApiToken, Credential, Session
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
    """The owner of an API token.

    Raises: Unauthenticated, when it is unknown, revoked, expired or over, or its owner's account is.
    """
    token = _found(seal.digest(api_token), api_token, now=now)
    if not isinstance(token, ApiToken):
        raise errors.Unauthenticated
    return token.owner


def require_owner(caller: Caller) -> str:
    """The caller's name as an owner, or Unauthenticated when they are anonymous."""
    if caller.owner is None:
        raise errors.Unauthenticated
    return caller.owner


def require_session(caller: Caller) -> Session:
    """The session that a caller is signed in by.

    Raises: Unauthenticated.
    """
    if caller.session is None:
        raise errors.Unauthenticated
    return caller.session


def permit_files(caller: Caller, settings: Settings, *, wanted: bool) -> None:
    """Unauthenticated when the caller is anonymous, wants files, and files are for owners here."""
    if wanted and settings.file_authentication:
        require_owner(caller)


def issue_api_token(
    owner: str,
    name: str,
    *,
    now: datetime,
    expires_at: datetime | None = None,
    proven_at: datetime | None = None,
) -> str:
    """Make an API token of 256 random bits; this is the only time that anybody sees it.

    `proven_at` is when the owner signed in: what ends that session, an hour late or at once, ends the token too.
    """
    api_token = _new_credential(owner)
    tokens.add_api_token(
        ApiToken(
            digest=seal.digest(api_token),
            owner=owner,
            name=name,
            last_four=api_token[-4:],
            created_at=now,
            expires_at=expires_at,
            proven_at=proven_at,
        )
    )
    return api_token


def revoke_api_token(owner: str, digest: str) -> None:
    """Revoke one of the owner's API tokens; anybody else's digest, or what is none, revokes nothing."""
    token = tokens.find(digest)[0] if seal.is_digest(digest) else None
    if isinstance(token, ApiToken) and token.owner == owner:
        tokens.remove(digest)


def api_tokens(owner: str, *, now: datetime) -> list[ApiToken]:
    """The owner's API tokens that work, oldest first."""
    found, seen = tokens.of_owner(owner, owners.locator(owner))
    own = [token for token in found if isinstance(token, ApiToken)]
    return [token for token in own if not token.is_expired(now) and seen.counts(token)]


def open_session(owner: str, *, now: datetime, address: str = "") -> str:
    """Make a session for a browser, for as long as the installation's settings say; give its cookie's value.

    Whoever signs in has just been seen by Cognito, so that their first pages need not ask.
    """
    value = _new_credential(owner)
    lifetime = current().session_lifetime
    tokens.add_session(Session(_session_digest(value), owner, address, created_at=now, expires_at=now + lifetime))
    tokens.note_look(owners.locator(owner), now=now)
    return value


def session(value: str, *, now: datetime) -> Session | None:
    """What is kept of a session, None when it is over."""
    found = _found(_session_digest(value), value, now=now)
    return found if isinstance(found, Session) else None


def close_session(value: str) -> None:
    """End a session."""
    tokens.remove(_session_digest(value))


def end_all(owner: str, *, now: datetime) -> None:
    """End all sessions and API tokens of an owner that are older than this moment, whatever the index shows of them."""
    tokens.end(owners.locator(owner), before=now)
    found, seen = tokens.of_owner(owner, owners.locator(owner))
    for token in found:  # They do not work any more; this is tidying.
        if not seen.counts(token):
            tokens.remove(token.digest)


def form_token(session: str) -> str:
    """What a form carries beside the cookie of that value, so that no other site can send it."""
    return seal.digest(f"form {session}")


def new_form_secret() -> str:
    """A cookie's value for forms of people who have no session yet."""
    return secrets.token_urlsafe(API_TOKEN_BYTES)


def _found(digest: str, credential: str, *, now: datetime) -> Credential | None:
    """What is kept of a credential that still counts; the owner's record comes with it, in the same read."""
    presented = owners.presented_locator(credential)
    token, seen = tokens.find(digest, presented)
    if token is None or token.is_expired(now):
        return None
    if presented != (own := owners.locator(token.owner)):  # A token of 0.4.0: these cost one read more.
        seen = tokens.standing(own)
    return token if seen.counts(token) and standing.holds(token.owner, seen, now=now) else None


def _new_credential(owner: str) -> str:
    return owners.locator(owner) + secrets.token_urlsafe(API_TOKEN_BYTES)


def _session_digest(value: str) -> str:
    # Not the digest of an API token of that value: a cookie must not work as one.
    return seal.digest(f"session {value}")
