"""API tokens and sessions in DynamoDB, and a record of each owner, which says from when on they count.

The record is found by the owner's locator (owners.py), so that it comes in the same read as what starts with that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pynamodb.exceptions import UpdateError

from shared import transactions
from shared.items import domain, values
from shared.tables import ApiTokens

_MAX_BATCH = 100  # items that DynamoDB gives in one batch


@dataclass(frozen=True)
class ApiToken:
    """What is kept of an API token, or of a session in a browser: never the token itself.

    `expires_at` is None when it has no end. `name` of a session is the e-mail address that signed in.
    """

    digest: str
    owner: str
    name: str
    last_four: str
    created_at: datetime
    expires_at: datetime | None = None
    is_session: bool = False
    proven_at: datetime | None = None

    @property
    def proof(self) -> datetime:
        """When whoever made it had last proved who they are: a token is as old as the session that it was made in."""
        return self.proven_at or self.created_at

    def is_expired(self, now: datetime) -> bool:
        """Whether the token has had its time, even if DynamoDB has not removed it yet."""
        return self.expires_at is not None and self.expires_at <= now


@dataclass(frozen=True)
class Standing:
    """What is kept of an owner: nothing proven before `ended_at` counts; Cognito was asked at `looked_at`."""

    ended_at: datetime | None = None
    looked_at: datetime | None = None

    def counts(self, token: ApiToken) -> bool:
        """Whether a token or a session is of a time that still counts."""
        return self.ended_at is None or token.proof >= self.ended_at


def find(digest: str, locator: str | None = None) -> tuple[ApiToken | None, Standing]:
    """The API token or session with this digest, expired or not, and the standing of the owner there, in one read."""
    tokens, standing = _tokens([digest], locator)
    return next(iter(tokens), None), standing


def standing(locator: str) -> Standing:
    """The standing of an owner, as it is now."""
    return _tokens([], locator)[1]


def add(token: ApiToken) -> None:
    """Keep a new API token."""
    ApiTokens(**values(token)).save()


def of_owner(owner: str, locator: str) -> tuple[list[ApiToken], Standing]:
    """The owner's API tokens and sessions, oldest first, and their standing.

    What is expired or over, but still kept, is among them; what the index, which lags, does not show yet is not.
    """
    digests = [row.digest for row in ApiTokens.by_owner.query(owner)]
    step = _MAX_BATCH - 1
    batches = [_tokens(digests[start : start + step], locator) for start in range(0, max(len(digests), 1), step)]
    found = [token for tokens, _ in batches for token in tokens]
    return sorted(found, key=lambda token: token.created_at), batches[0][1]


def remove(digest: str) -> None:
    """Revoke an API token: the next request with it is refused."""
    ApiTokens(digest=digest).delete()


def end(locator: str, *, before: datetime) -> None:
    """Have no API token and no session of an owner count that was proven before this moment, which never moves back."""
    try:
        ApiTokens(digest=_record(locator)).update(
            actions=[ApiTokens.ended_at.set(before)],
            condition=ApiTokens.ended_at.does_not_exist() | (ApiTokens.ended_at < before),
        )
    except UpdateError as error:
        if error.cause_response_code != "ConditionalCheckFailedException":
            raise


def note_look(locator: str, *, now: datetime) -> None:
    """Note that Cognito was asked for an owner's account, which stands."""
    ApiTokens(digest=_record(locator)).update(actions=[ApiTokens.looked_at.set(now)])


def _tokens(digests: Sequence[str], locator: str | None) -> tuple[list[ApiToken], Standing]:
    record = _record(locator) if locator else None
    found = transactions.read({ApiTokens: [*digests, *([record] if record else [])]})[ApiTokens]
    standing = next((domain(item, Standing) for item in found if item.digest == record), Standing())
    return [domain(item, ApiToken) for item in found if item.digest != record], standing


def _record(locator: str) -> str:
    # No digest in hex, so that no API token finds it; and without an owner, so that no index does.
    return f"owner {locator}"
