"""Check once an hour whether an account exists and is enabled. So changes in Cognito's console apply here."""

from datetime import UTC, datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import tokens
from shared.domain import owners
from shared.domain.limits import ACCOUNT_CHECK
from shared.domain.token import AccountStatus
from shared.runtime import deadline, metrics

_PAUSE = timedelta(minutes=1)  # before the next check, after Cognito failed
# Seconds left for a check: a claim needs ten (backoff.py), and the check must not cost a view.
_ENOUGH_TIME = 13.0
_FAULT = 500


class _Pause:
    """The time until which this process skips checks, because Cognito failed."""

    until = datetime.min.replace(tzinfo=UTC)


def is_active(owner: str, status: AccountStatus, *, now: datetime, if_unknown: bool = True) -> bool:
    """Return whether an owner may act: an operator's name always, an account if it exists and is enabled in Cognito.

    If Cognito fails, return `if_unknown`, by default as if the last check had confirmed the account. If Cognito rejects
    the call, for example because a permission is missing, ClientError is raised.
    """
    sub = owners.account_sub(owner)
    if sub is None or (status.looked_at is not None and now - status.looked_at < ACCOUNT_CHECK):
        return True
    if now < _Pause.until or deadline.seconds_left() < _ENOUGH_TIME:
        return if_unknown
    from shared.aws import cognito  # loaded here: used once an hour

    try:
        account = cognito.find_by_sub(sub, status.username, single_try=True)
    except (BotoCoreError, ClientError, deadline.OutOfTime) as error:
        _pause_checks(error, now)
        return if_unknown
    if account is not None and account.is_enabled:
        tokens.record_account_check(owners.locator(owner), now=now)
        return True
    tokens.end_credentials(owners.locator(owner), before=now)
    return False


def reset() -> None:
    """Forget Cognito's failure, like a new process."""
    _Pause.until = datetime.min.replace(tzinfo=UTC)


def _pause_checks(error: Exception, now: datetime) -> None:
    reason = metrics.error_name(error)
    answer = getattr(error, "response", None) or {}
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", _FAULT)
    if status < _FAULT and reason not in ("TooManyRequestsException", "ThrottlingException"):
        raise error  # Cognito responded: the error is ours
    metrics.count("AccountNotSeen", reason)
    _Pause.until = now + _PAUSE
