"""Who a credential belongs to: API tokens, and sessions of browsers (contract, section 7)."""

import re
import secrets
from collections.abc import Mapping
from datetime import datetime

from shared.aws import tokens
from shared.domain import errors, owners, seal
from shared.domain.audit import Caller
from shared.domain.token import ApiToken, Credential, Session
from shared.identity import account_status
from shared.runtime.settings import Settings, current

API_TOKEN_BYTES = 32
_MAX_CREDENTIAL = 1_000  # characters that a pattern is tried on; an API token has 65
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)


def token_from_headers(headers: Mapping[str, str]) -> str | None:
    """The API token that a request carries, None when it carries no credential at all.

    The legacy `X-User-Token` wins over `Authorization`; the e-mail address that comes with it is not compared.

    Raises: Unauthenticated, when there is a credential of another kind.
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
    """The record of an API token.

    Raises: Unauthenticated, when the API token is unknown, revoked or expired, or its owner's account has ended.
    """
    token = find_api_token(value, now=now)
    if token is None:
        raise errors.Unauthenticated
    return token


def find_api_token(value: str, *, now: datetime) -> ApiToken | None:
    """The record of an API token, None when it is unknown, revoked or expired, or its owner's account has ended."""
    token = _find_credential(seal.digest(value), value, now=now)
    return token if isinstance(token, ApiToken) else None


def require_owner(caller: Caller) -> str:
    """The owner that the caller is.

    Raises: Unauthenticated, when they are anonymous.
    """
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


def check_may_push_files(caller: Caller, settings: Settings, *, wanted: bool) -> None:
    """Check that the caller may push files, where they want to.

    Raises: Unauthenticated, when they are anonymous and files are for owners here.
    """
    if wanted and settings.file_authentication:
        require_owner(caller)


def issue_api_token(
    owner: str,
    name: str,
    *,
    now: datetime,
    expires_at: datetime | None = None,
    proven_at: datetime | None = None,
    api_token: str | None = None,
) -> str:
    """Make an API token of 256 random bits, 65 characters; only its digest is kept.

    `proven_at` is when the owner signed in, None for an operator: what ends the sessions of that time ends it too.
    `api_token` is one that the caller has derived (token_form.py); one that was made before stays as it is.
    """
    api_token = api_token or _new_credential(owner)
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
    """Revoke the owner's API token with this digest; another owner's, or a text that is no digest, is ignored.

    Its record stays for a while: the form that made the token cannot make it again.
    """
    token = tokens.find(digest)[0] if seal.is_digest(digest) else None
    if isinstance(token, ApiToken) and token.owner == owner:
        tokens.revoke(token)


def list_api_tokens(owner: str, *, now: datetime) -> list[ApiToken]:
    """The owner's API tokens that are valid, oldest first."""
    credentials, status = tokens.list_credentials(owner, owners.locator(owner))
    own = [token for token in credentials if isinstance(token, ApiToken)]
    return [token for token in own if not token.is_expired(now) and status.accepts(token, now)]


def open_session(owner: str, *, now: datetime, address: str = "", proven_at: datetime | None = None) -> str:
    """Create a session for a browser, for as long as the setting `SessionHours` says; return its cookie's value.

    `proven_at` is when the password was right, `now` if that is not given. Signing in has just asked Cognito about the
    account, so this is noted: the first pages need not ask again.

    Raises: SignInLapsed, when `proven_at` is in the future.
    """
    created_at = proven_at or now
    if created_at > now:
        raise errors.SignInLapsed
    value, expires_at = _new_credential(owner), created_at + current().session_lifetime
    tokens.add_session(Session(_session_digest(value), owner, address, created_at, expires_at))
    tokens.record_account_check(owners.locator(owner), now=created_at)
    return value


def find_session(value: str, *, now: datetime) -> Session | None:
    """The session of a cookie with this value, None when it is over or unknown."""
    credential = _find_credential(_session_digest(value), value, now=now)
    if not isinstance(credential, Session):
        return None
    # Whatever end is stored, the setting of today holds as well.
    return credential if now < credential.created_at + current().session_lifetime else None


def set_notice_default(owner: str, *, notify_when_viewed: bool, locale: str) -> None:
    """Keep whether an owner is to hear of the views of new pushes that say nothing of it, and in which language."""
    tokens.set_notice_default(owners.locator(owner), notify_when_viewed=notify_when_viewed, locale=locale)


def close_session(value: str) -> None:
    """End a session."""
    tokens.remove(_session_digest(value))


def end_all_credentials(owner: str, *, now: datetime) -> None:
    """End all sessions and API tokens of an owner from before this moment, even those that the index lacks yet."""
    tokens.end_credentials(owners.locator(owner), before=now)
    _remove_ended(owner, now)


def end_sessions(owner: str, *, now: datetime) -> None:
    """End all sessions of an owner from before this moment; API tokens go on working."""
    tokens.end_credentials(owners.locator(owner), before=now, only_sessions=True)
    _remove_ended(owner, now)


def form_token(session: str) -> str:
    """The CSRF token of a form: what it carries beside the cookie of that value, so that no other site can send it."""
    return seal.digest(f"form {session}")


def new_form_secret() -> str:
    """A random cookie's value, which CSRF tokens are derived from where there is no session yet (double submit)."""
    return secrets.token_urlsafe(API_TOKEN_BYTES)


def _find_credential(digest: str, value: str, *, now: datetime) -> Credential | None:
    """The API token or session with this digest and value, if it is valid; its owner's record is in the same read."""
    locator = owners.locator_of(value)
    if locator is None:
        return None
    credential, status = tokens.find(digest, locator)
    if credential is None or credential.is_expired(now):
        return None
    counts = status.accepts(credential, now)
    if not counts or not account_status.is_active(credential.owner, status, now=now):
        return None
    return credential._replace(notify_when_viewed=bool(status.notify_when_viewed))


def _remove_ended(owner: str, now: datetime) -> None:
    # They are refused already; removing them is tidying.
    credentials, status = tokens.list_credentials(owner, owners.locator(owner))
    for credential in credentials:
        if not status.accepts(credential, now):
            tokens.remove(credential.digest)


def _new_credential(owner: str) -> str:
    return owners.locator(owner) + secrets.token_urlsafe(API_TOKEN_BYTES)


def _session_digest(value: str) -> str:
    # Not the digest that an API token of that value has: a cookie must not work as an API token.
    return seal.digest(f"session {value}")
