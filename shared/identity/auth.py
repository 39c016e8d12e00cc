"""Authenticate API tokens and browser sessions (contract, section 7)."""

import re
import secrets
from collections.abc import Mapping
from datetime import datetime

from shared.aws import tokens
from shared.domain import digests, errors, owners
from shared.domain.audit import Caller
from shared.domain.token import ApiToken, Credential, Session
from shared.identity import account_status
from shared.runtime.settings import current

API_TOKEN_BYTES = 32
_MAX_CREDENTIAL = 1_000  # characters; an API token has 65
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


def token_from_headers(headers: Mapping[str, str]) -> str | None:
    """Return the API token in the headers; None if they have no credential.

    The legacy `X-User-Token` takes precedence over `Authorization`; its e-mail address is not checked.

    Raises: Unauthenticated, for a credential of another type.
    """
    if legacy := headers.get("x-user-token", "").strip():
        return legacy
    authorization = headers.get("authorization", "").strip()
    if not authorization:
        return None
    if len(authorization) <= _MAX_CREDENTIAL and (bearer := _BEARER.fullmatch(authorization)):
        return bearer[1]
    raise errors.Unauthenticated


def require_api_token(value: str, *, now: datetime) -> ApiToken:
    """Return the record of an API token.

    Raises: Unauthenticated, if the token is unknown, revoked or expired, or its owner's account deleted or disabled.
    """
    token = find_api_token(value, now=now)
    if token is None:
        raise errors.Unauthenticated
    return token


def find_api_token(value: str, *, now: datetime) -> ApiToken | None:
    """Return the record of an API token.

    None if the token is unknown, revoked or expired, or if its owner's account was deleted or disabled.
    """
    token = _find_credential(digests.digest(value), value, now=now)
    return token if isinstance(token, ApiToken) else None


def require_owner(caller: Caller) -> str:
    """Return the caller's owner.

    Raises: Unauthenticated, for an anonymous caller.
    """
    if caller.owner is None:
        raise errors.Unauthenticated
    return caller.owner


def require_session(caller: Caller) -> Session:
    """Return the caller's session.

    Raises: Unauthenticated.
    """
    if caller.session is None:
        raise errors.Unauthenticated
    return caller.session


def issue_api_token(
    owner: str,
    name: str,
    *,
    now: datetime,
    expires_at: datetime | None = None,
    proven_at: datetime | None = None,
    api_token: str | None = None,
) -> str:
    """Create an API token of 256 random bits, 65 characters; only its digest is stored.

    `proven_at` is the time at which the owner signed in. `end_all_credentials` for a later time also ends the token.
    None for a token that an operator creates. `api_token` is a token to store in place of a random one
    (token_form.py); if it is stored already, its record does not change.
    """
    api_token = api_token or _new_credential(owner)
    tokens.add_api_token(
        ApiToken(
            digest=digests.digest(api_token),
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
    """Revoke the owner's API token with this digest; ignore other owners' tokens and malformed digests.

    The record is kept for a while, so that the form that created the token cannot create it again.
    """
    token = tokens.find(digest)[0] if digests.is_digest(digest) else None
    if isinstance(token, ApiToken) and token.owner == owner:
        tokens.revoke(token)


def list_api_tokens(owner: str, *, now: datetime) -> list[ApiToken]:
    """Return the owner's valid API tokens, oldest first."""
    credentials, status = tokens.list_credentials(owner, owners.locator(owner))
    own = [token for token in credentials if isinstance(token, ApiToken)]
    return [token for token in own if not token.is_expired(now) and status.accepts(token, now)]


def open_session(
    owner: str,
    *,
    now: datetime,
    address: str = "",
    proven_at: datetime | None = None,
    second_factor: bool = False,
    username: str = "",
) -> str:
    """Create a browser session with the lifetime from the setting `SessionHours`; return its cookie's value.

    `address` is the e-mail address at sign-in. `proven_at` is the time at which Cognito accepted the password, by
    default `now`. It is also stored as the time of the last account check (account_status.py). `second_factor` says
    whether the sign-in asked for a one-time code. `username` is Cognito's name for an account of the OIDC provider.

    Raises: SignInLapsed, if `proven_at` is in the future.
    """
    created_at = proven_at or now
    if created_at > now:
        raise errors.SignInLapsed
    value, expires_at = _new_credential(owner), created_at + current().session_lifetime
    session = Session(_session_digest(value), owner, address, created_at, expires_at, second_factor=second_factor)
    tokens.add_session(session)
    tokens.record_account_check(owners.locator(owner), now=created_at, username=username)
    return value


def find_session(value: str, *, now: datetime) -> Session | None:
    """Return the session with this cookie value; None if it has ended or is unknown."""
    credential = _find_credential(_session_digest(value), value, now=now)
    if not isinstance(credential, Session):
        return None
    # The current setting applies to existing sessions, too.
    return credential if now < credential.created_at + current().session_lifetime else None


def lacks_second_factor(session: Session) -> bool:
    """Return whether the session is limited: the setting `RequireTwoFactor` is on, and no one-time code was asked.

    A session of the OIDC provider is not: whether to ask for a second factor is the provider's decision.
    """
    return current().require_two_factor and not session.second_factor and not session.username


def set_notice_default(owner: str, *, notify_when_viewed: bool, locale: str) -> None:
    """Store whether the owner's new pushes send notices by default, and the language of all notices to the owner."""
    tokens.set_notice_default(owners.locator(owner), notify_when_viewed=notify_when_viewed, locale=locale)


def close_session(value: str) -> None:
    """End the session with this cookie value."""
    tokens.remove(_session_digest(value))


def end_all_credentials(owner: str, *, now: datetime) -> None:
    """End all sessions and API tokens of an owner from before this time, even if the index does not have them yet."""
    tokens.end_credentials(owners.locator(owner), before=now)
    _remove_ended(owner, now)


def end_sessions(owner: str, *, now: datetime) -> None:
    """End all sessions of an owner from before this time; API tokens remain valid."""
    tokens.end_credentials(owners.locator(owner), before=now, only_sessions=True)
    _remove_ended(owner, now)


def form_token(session: str) -> str:
    """Return the CSRF token for forms; `session` is the cookie's value, which other sites cannot know."""
    return digests.digest(f"form {session}")


def new_form_secret() -> str:
    """Return a new random value for a cookie: while nobody is signed in, CSRF tokens are derived from it."""
    return secrets.token_urlsafe(API_TOKEN_BYTES)


def _find_credential(digest: str, value: str, *, now: datetime) -> Credential | None:
    """Return the API token or session with this digest; None if it is unknown, expired or ended.

    `value` is the token or cookie itself. It starts with the locator of its owner, the key of the owner's record, so
    one read returns the credential and that record. The record has the time before which credentials have ended, and
    the owner's default for notices.
    """
    locator = owners.locator_of(value)
    if locator is None:
        return None
    credential, status = tokens.find(digest, locator)
    if credential is None or credential.is_expired(now):
        return None
    counts = status.accepts(credential, now)
    if not counts or not account_status.is_active(credential.owner, status, now=now):
        return None
    if isinstance(credential, Session):
        credential = credential._replace(username=status.username or "")
    return credential._replace(notify_when_viewed=bool(status.notify_when_viewed))


def _remove_ended(owner: str, now: datetime) -> None:
    # Only cleanup: they are already invalid.
    credentials, status = tokens.list_credentials(owner, owners.locator(owner))
    for credential in credentials:
        if not status.accepts(credential, now):
            tokens.remove(credential.digest)


def _new_credential(owner: str) -> str:
    return owners.locator(owner) + secrets.token_urlsafe(API_TOKEN_BYTES)


def _session_digest(value: str) -> str:
    # Different from an API token's digest, so that a cookie does not work as an API token.
    return digests.digest(f"session {value}")
