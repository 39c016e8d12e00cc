"""Rate limits of mails: no stranger may use up the mails of a day, nor fill somebody's mailbox."""

from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from shared.aws import quotas
from shared.domain.limits import MAX_CODES_FROM_SOURCE, MAX_CODES_TO_ADDRESS
from shared.domain.sentence import Sentence

_SENTENCE = Sentence(
    "That is as many mails as may be asked for in an hour: please use the code sent last, or try again later."
)
TO_ADDRESS = quotas.Quota("mails to an address", MAX_CODES_TO_ADDRESS, timedelta(hours=1), _SENTENCE)
FROM_SOURCE = quotas.Quota("mails from a source", MAX_CODES_FROM_SOURCE, timedelta(hours=1), _SENTENCE)
_NETWORK = 64  # bits: whoever has one address of an IPv6 network of that size has all of them


def spend(address: str, ip: str, *, now: datetime) -> None:
    """Count a mail to an address, from an IP address, before it is known whether there is such an account.

    Raises: QuotaSpent.
    """
    quotas.spend(FROM_SOURCE, source(ip), now=now)
    quotas.spend(TO_ADDRESS, address, now=now)


def source(ip: str) -> str:
    """The one behind an IP address: the address itself or, of IPv6, its network."""
    parsed = ip_address(ip)
    return str(ip_network((parsed, _NETWORK), strict=False)) if parsed.version != 4 else ip  # noqa: PLR2004 (IPv4)
