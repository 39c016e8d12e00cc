"""Quotas (rate limits): the maximum use per time window, counted before the use.

Each count is one atomic conditional write. Windows are fixed (hours and days of the clock, unless `since` is given), so
a quota needs one small item and one write.
"""

from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from shared.aws import dynamodb
from shared.aws.attributes import EPOCH
from shared.aws.tables import Quotas
from shared.domain import digests, errors

_SECOND = timedelta(seconds=1)
_SOURCE_BITS = 64  # one customer usually has a whole IPv6 network of this size


class Quota(NamedTuple):
    """At most `limit` uses in each `window`; `refusal` is the error message."""

    name: str
    limit: int
    window: timedelta
    refusal: str


def spend(quota: Quota, who: str, amount: int = 1, *, now: datetime, since: datetime = EPOCH) -> None:
    """Count `amount` towards the quota of `who`, such as an e-mail address or a `source`; only its digest is stored.

    The first window starts at `since`. A negative `amount` gives back what was counted at the same `now`.

    Not idempotent: if a response is lost and the SDK retries, the amount may count twice. So only a negative one can
    let more than the limit through.

    Raises: QuotaSpent, with the seconds until the next window; then nothing is counted.
    """
    number = (now - since) // quota.window
    end = since + (number + 1) * quota.window
    key = f"{quota.name} {number} {digests.digest(who)}"
    actions = [Quotas.used.add(amount), Quotas.expires_at.set(end)]
    has_room = Quotas.used.does_not_exist() | (Quotas.used <= quota.limit - amount)
    if amount > quota.limit or not dynamodb.update(dynamodb.Update(Quotas, key, actions, has_room)):
        raise errors.QuotaSpent(-(-(end - now) // _SECOND), quota.refusal)


def source(ip: str) -> str:
    """Return the text to count the requests from an IP address under: an IPv4 address itself, an IPv6 /64 network."""
    parsed = ip_address(ip)
    return str(ip_network((parsed, _SOURCE_BITS), strict=False)) if parsed.version != 4 else ip  # noqa: PLR2004 (IPv4)
