"""API tokens and sessions in DynamoDB, and a record of each owner, which says from when on they count.

The record is found by the owner's locator (owners.py), so that it comes in the same read as what starts with that.
"""

from collections.abc import Sequence
from datetime import datetime

from pynamodb.exceptions import UpdateError

from shared.aws import dynamodb
from shared.aws.items import domain, values
from shared.aws.tables import ApiTokens
from shared.domain.token import ApiToken, Credential, Session, Standing

_MAX_BATCH = 100  # items that DynamoDB gives in one batch


def find(digest: str, locator: str | None = None) -> tuple[Credential | None, Standing]:
    """The API token or session with this digest, expired or not, and the standing of the owner there, in one read."""
    tokens, standing = _tokens([digest], locator)
    return next(iter(tokens), None), standing


def standing(locator: str) -> Standing:
    """The standing of an owner, as it is now."""
    return _tokens([], locator)[1]


def add_api_token(token: ApiToken) -> None:
    """Keep a new API token."""
    ApiTokens(**values(token), is_session=False).save()


def add_session(session: Session) -> None:
    """Keep a new session."""
    kept = values(session)
    # Kept as a token is, since 0.3.0: the address stands where that has its name.
    kept["name"] = kept.pop("address")
    ApiTokens(**kept, last_four="", is_session=True).save()


def of_owner(owner: str, locator: str) -> tuple[list[Credential], Standing]:
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


def _tokens(digests: Sequence[str], locator: str | None) -> tuple[list[Credential], Standing]:
    record = _record(locator) if locator else None
    found = dynamodb.read({ApiTokens: [*digests, *([record] if record else [])]})[ApiTokens]
    standing = next((domain(item, Standing) for item in found if item.digest == record), Standing())
    return [_credential(item) for item in found if item.digest != record], standing


def _credential(item: ApiTokens) -> Credential:
    if item.is_session:
        return Session(item.digest, item.owner, item.name, item.created_at, item.expires_at)
    return domain(item, ApiToken)


def _record(locator: str) -> str:
    # No digest in hex, so that no API token finds it; and without an owner, so that no index does.
    return f"owner {locator}"
