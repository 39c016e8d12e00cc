"""Quotas: how much of something may be used in a window of time, counted in one conditional write before it is used.

Windows are fixed (the clock's hours and days), so that a quota costs one small item and one write.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pynamodb.exceptions import UpdateError

from shared.aws.tables import Quotas
from shared.domain import errors, seal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Quota:
    """At most `limit` of something in each `window`; `refusal` is the sentence for whoever wants more."""

    name: str
    limit: int
    window: timedelta
    refusal: str


def spend(quota: Quota, who: str, amount: int = 1, *, now: datetime) -> None:
    """Count `amount` against what `who` may use; of `who`, an address say, only a digest is kept.

    An answer that is lost and asked for again by the SDK may count twice; nobody gets more than the limit.

    Raises: QuotaSpent, with the seconds until the next window; then nothing is counted.
    """
    number = (now - _EPOCH) // quota.window
    end = _EPOCH + (number + 1) * quota.window
    counter = Quotas(id=f"{quota.name} {number} {seal.digest(who)}")
    refusal = errors.QuotaSpent(-(-(end - now) // _SECOND), quota.refusal)
    if amount > quota.limit:
        raise refusal
    try:
        counter.update(
            actions=[Quotas.used.add(amount), Quotas.expires_at.set(end)],
            condition=Quotas.used.does_not_exist() | (Quotas.used <= quota.limit - amount),
        )
    except UpdateError as error:
        if error.cause_response_code != "ConditionalCheckFailedException":
            raise
        raise refusal from None
