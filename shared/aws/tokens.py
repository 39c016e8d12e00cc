"""API tokens and sessions in DynamoDB, and one record for each owner (`AccountStatus`).

The record has the time before which the owner's credentials have ended. Its key is the owner's locator (owners.py). API
tokens and session cookies start with this locator, so one read finds the credential and its owner's record.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from shared.aws import dynamodb
from shared.aws.dynamodb import Update
from shared.aws.items import Values, to_named_tuple, values_of
from shared.aws.tables import ApiTokens
from shared.domain.limits import LONGEST_SESSION
from shared.domain.token import AccountStatus, ApiToken, Credential, Session

_MAX_BATCH = 100  # DynamoDB's maximum for one batch of items


def find(digest: str, locator: str | None = None) -> tuple[Credential | None, AccountStatus]:
    """Return the API token or session with this digest, even if expired, and its owner's record, in one read.

    The first is None if there is none, or if it is a revoked API token. Without a locator, or if the owner has no
    record, the second is empty.
    """
    tokens, status = _tokens([digest], locator)
    return next(iter(tokens), None), status


def account_status(locator: str) -> AccountStatus:
    """Return the record of the owner with this locator, strongly consistent; an empty one if there is none."""
    return _tokens([], locator)[1]


def add_api_token(token: ApiToken) -> None:
    """Store a new API token. Idempotent: an existing or revoked token is unchanged."""
    with dynamodb.ignore_failed_condition():
        ApiTokens(**_attributes(token), is_session=False).save(condition=ApiTokens.digest.does_not_exist())


def add_session(session: Session) -> None:
    """Store a new session."""
    ApiTokens(**_attributes(session), is_session=True).save()


def list_credentials(owner: str, locator: str) -> tuple[list[Credential], AccountStatus]:
    """Return the owner's API tokens and sessions, oldest first, and the owner's record.

    Includes expired ones that are still stored. New ones may be missing, because the index lags.
    """
    digests = [row.digest for row in ApiTokens.by_owner.query(owner)]
    step = _MAX_BATCH - 1
    batches = [_tokens(digests[start : start + step], locator) for start in range(0, max(len(digests), 1), step)]
    credentials = [token for tokens, _ in batches for token in tokens]
    return sorted(credentials, key=lambda token: token.created_at), batches[0][1]


def remove(digest: str) -> None:
    """Remove an API token or a session, so that the next request with it fails. Idempotent."""
    ApiTokens(digest=digest).delete()


def revoke(token: ApiToken) -> None:
    """Revoke an API token. Idempotent.

    The record is kept until the session that created the token must have ended. Without the record, that session's form
    could create the token again (token_form.py).
    """
    until = token.created_at + LONGEST_SESSION
    actions = [ApiTokens.is_revoked.set(True), ApiTokens.expires_at.set(until)]
    dynamodb.update(Update(ApiTokens, token.digest, actions, ApiTokens.digest.exists()))


def end_credentials(locator: str, *, before: datetime, only_sessions: bool = False) -> None:
    """Invalidate the owner's credentials from before this time, unless a later time is stored already. Idempotent."""
    ended_at = ApiTokens.sessions_ended_at if only_sessions else ApiTokens.ended_at
    is_later = ended_at.does_not_exist() | (ended_at < before)
    # Who ends everything may have disabled the account: the next request asks Cognito, and the owner's asks are over.
    actions: list[Any] = [ended_at.set(before), *([] if only_sessions else [ApiTokens.looked_at.remove()])]
    dynamodb.update(Update(ApiTokens, _record_key(locator), actions, is_later))


def record_account_check(locator: str, *, now: datetime, username: str = "") -> None:
    """Store the time at which Cognito last confirmed that the account exists and is enabled.

    `username` is Cognito's name for an account of the OIDC provider, stored as well. Nothing is stored if the owner's
    credentials have ended since `now`: the account may have been disabled after Cognito was asked.
    """
    actions: list[Any] = [ApiTokens.looked_at.set(now), *([ApiTokens.username.set(username)] if username else [])]
    is_latest = ApiTokens.ended_at.does_not_exist() | (ApiTokens.ended_at <= now)
    dynamodb.update(Update(ApiTokens, _record_key(locator), actions, is_latest))


def set_notice_default(locator: str, *, notify_when_viewed: bool, locale: str) -> None:
    """Store whether the owner's new pushes send notices by default, and the language of all notices to the owner.

    `locator` is the key of the owner's record (owners.py). Idempotent.
    """
    actions: list[Any] = [ApiTokens.notify_when_viewed.set(notify_when_viewed), ApiTokens.locale.set(locale)]
    dynamodb.update(Update(ApiTokens, _record_key(locator), actions))


def _tokens(digests: Sequence[str], locator: str | None) -> tuple[list[Credential], AccountStatus]:
    record = _record_key(locator) if locator else None
    items = dynamodb.read({ApiTokens: [*digests, record] if record else digests})[ApiTokens]
    status = next((to_named_tuple(item, AccountStatus) for item in items if item["digest"] == record), None)
    credentials = [_credential(item) for item in items if item["digest"] != record and not item["is_revoked"]]
    return credentials, status or AccountStatus()


def _credential(item: Values) -> Credential:
    return to_named_tuple(item, Session) if item["is_session"] else to_named_tuple(item, ApiToken)


def _attributes(credential: Credential) -> dict[str, Any]:
    attributes = values_of(credential)
    for name in ("notify_when_viewed", "username"):  # stored in the owner's record
        attributes.pop(name, None)
    return attributes


def _record_key(locator: str) -> str:
    # Not a digest, so that no API token matches it. The item has no `owner`, so that no index lists it.
    return f"owner {locator}"
