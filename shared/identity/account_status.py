"""Whether an account still exists and is enabled. Cognito is asked once an hour, so its console counts here too."""

from datetime import UTC, datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import tokens
from shared.domain import owners
from shared.domain.limits import ACCOUNT_CHECK
from shared.domain.token import AccountStatus
from shared.runtime import deadline, metrics

_PAUSE = timedelta(minutes=1)  # after Cognito did not answer, until it is asked again
# Seconds that a request must have left to ask: a claim needs ten of them (backoff.py), and asking must not cost a view.
_ENOUGH_TIME = 13.0
_FAULT = 500


class _Pause:
    """Until when this process does not ask Cognito, which did not answer the last time."""

    until = datetime.min.replace(tzinfo=UTC)


def is_active(owner: str, status: AccountStatus, *, now: datetime) -> bool:
    """Whether an owner may act: a name always, an account unless Cognito says that it is gone or disabled.

    Where Cognito does not answer, the last answer holds. When it refuses the question, such as for a missing
    permission, its ClientError flies on.
    """
    sub = owners.account_sub(owner)
    if sub is None or (status.looked_at is not None and now - status.looked_at < ACCOUNT_CHECK):
        return True
    if now < _Pause.until or deadline.seconds_left() < _ENOUGH_TIME:
        return True
    from shared.aws import cognito  # loaded here: it is asked once an hour

    try:
        account = cognito.find(sub, single_try=True)
    except (BotoCoreError, ClientError, deadline.OutOfTime) as error:
        _pause_checks(error, now)
        return True
    if account is not None and account.is_enabled:
        tokens.record_account_check(owners.locator(owner), now=now)
        return True
    tokens.end_credentials(owners.locator(owner), before=now)
    return False


def reset() -> None:
    """Forget that Cognito did not answer, as a new process has."""
    _Pause.until = datetime.min.replace(tzinfo=UTC)


def _pause_checks(error: Exception, now: datetime) -> None:
    reason = metrics.error_name(error)
    answer = getattr(error, "response", None) or {}
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", _FAULT)
    if status < _FAULT and reason not in ("TooManyRequestsException", "ThrottlingException"):
        raise error  # It did answer: something is wrong on our side.
    metrics.count("AccountNotSeen", reason)
    _Pause.until = now + _PAUSE
