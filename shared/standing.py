"""Whether an account still stands: asked once an hour, so that what Cognito's console disables or deletes ends here."""

from datetime import UTC, datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from shared import deadline
from shared.aws import cognito, metrics, tokens
from shared.domain import owners
from shared.domain.token import Standing

INTERVAL = timedelta(hours=1)
_PAUSE = timedelta(minutes=1)  # in which a Cognito that did not answer is left alone
# Seconds that a request must have left: a claim wants ten of them (service.py), and no look may cost one.
_ENOUGH_TIME = 13.0
_FAULT = 500


class _Silence:
    """Until when this process asks no more, since Cognito did not answer; an hour is long, so it may ask again."""

    until = datetime.min.replace(tzinfo=UTC)


def holds(owner: str, seen: Standing, *, now: datetime) -> bool:
    """Whether an owner may act: a name always, an account unless it was found gone or disabled.

    Where Cognito cannot be asked, the last answer holds.
    """
    sub = owners.sub(owner)
    if sub is None or (seen.looked_at is not None and now - seen.looked_at < INTERVAL):
        return True
    if now < _Silence.until or deadline.left() < _ENOUGH_TIME:
        return True
    try:
        account = cognito.find(sub, is_impatient=True)
    except (BotoCoreError, ClientError, deadline.OutOfTime) as error:
        _be_silent(error, now)
        return True
    if account is not None and account.is_enabled:
        tokens.note_look(owners.locator(owner), now=now)
        return True
    tokens.end(owners.locator(owner), before=now)
    return False


def forget() -> None:
    """Forget that Cognito did not answer, as a new process has."""
    _Silence.until = datetime.min.replace(tzinfo=UTC)


def _be_silent(error: Exception, now: datetime) -> None:
    answer = getattr(error, "response", {})
    reason = answer.get("Error", {}).get("Code", type(error).__name__)
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", _FAULT)
    if status < _FAULT and reason not in ("TooManyRequestsException", "ThrottlingException"):
        raise error  # It did answer, and something is wrong here.
    metrics.count("AccountNotSeen", reason)
    _Silence.until = now + _PAUSE
