"""Rate limits for mails with codes, so that nobody can use up the daily mails or flood a mailbox."""

from datetime import datetime, timedelta

from shared.aws import quotas
from shared.domain import mail
from shared.domain.limits import MAX_CODES_FROM_SOURCE, MAX_CODES_TO_ADDRESS
from shared.domain.sentence import Sentence

_SENTENCE = Sentence("Too many e-mails requested. Please use the code sent last, or try again in an hour.")
TO_ADDRESS = quotas.Quota("mails to an address", MAX_CODES_TO_ADDRESS, timedelta(hours=1), _SENTENCE)
FROM_SOURCE = quotas.Quota("mails from a source", MAX_CODES_FROM_SOURCE, timedelta(hours=1), _SENTENCE)


def spend(address: str, ip: str, *, now: datetime) -> None:
    """Count a mail to a mailbox, requested from an IP address, whether or not the account exists.

    Raises: QuotaSpent.
    """
    quotas.spend(FROM_SOURCE, quotas.source(ip), now=now)
    quotas.spend(TO_ADDRESS, mail.mailbox(address), now=now)
