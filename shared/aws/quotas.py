"""Quotas (rate limits): how much of something may be used in a window of time, counted before it is used.

Each count is one atomic conditional write. Windows are fixed (the clock's hours and days, unless the caller says from
when on), so that a quota costs one small item and one write.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from shared.aws import dynamodb
from shared.aws.attributes import EPOCH
from shared.aws.tables import Quotas
from shared.domain import errors, seal

_SECOND = timedelta(seconds=1)


class Quota(NamedTuple):
    """At most `limit` of something in each `window`; `refusal` is the sentence for a caller who wants more."""

    name: str
    limit: int
    window: timedelta
    refusal: str


def spend(quota: Quota, who: str, amount: int = 1, *, now: datetime, since: datetime = EPOCH) -> None:
    """Count `amount` towards the quota of `who`, such as an e-mail address, of which only a digest is kept.

    Windows follow each other from `since` on.

    Not idempotent: when an answer is lost and the SDK tries again, it may count twice. Nobody gets more than the limit.

    Raises: QuotaSpent, with the seconds until the next window; then nothing is counted.
    """
    number = (now - since) // quota.window
    end = since + (number + 1) * quota.window
    key = f"{quota.name} {number} {seal.digest(who)}"
    actions = [Quotas.used.add(amount), Quotas.expires_at.set(end)]
    has_room = Quotas.used.does_not_exist() | (Quotas.used <= quota.limit - amount)
    if amount > quota.limit or not dynamodb.update(dynamodb.Update(Quotas, key, actions, has_room)):
        raise errors.QuotaSpent(-(-(end - now) // _SECOND), quota.refusal)
