"""Send one mail and count the outcome; look up the address of an owner."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import mail_progress, ses
from shared.domain import owners
from shared.domain.mail import Mail
from shared.runtime import deadline, metrics

if TYPE_CHECKING:
    from shared.aws.cognito import Account


class MailsLeft(Exception):
    """Some mails were not sent: the queue delivers its message again."""


class Outcome(Enum):
    """What came of a mail."""

    SENT = auto()
    REFUSED = auto()  # for good: another attempt would end the same
    FAILED = auto()  # another attempt may succeed


def deliver(recipient: str, mail: Mail) -> Outcome:
    """Send a mail by SES, unless its address is blocked."""
    try:
        if mail_progress.is_blocked(recipient):
            metrics.count("MailUnsent", "Stopped")
            return Outcome.REFUSED
        ses.send(recipient, mail)
    except ses.NotTaken:
        metrics.count("MailUnsent", "NotTaken")
        return Outcome.REFUSED
    except (ClientError, BotoCoreError, deadline.OutOfTime) as error:
        metrics.count("MailUnsent", metrics.error_name(error))
        return Outcome.FAILED
    metrics.count("MailSent")
    return Outcome.SENT


def owner_account(owner: str | None) -> Account | None:
    """The account of an owner, None for a name of the operator's and where it is gone."""
    from shared.aws import cognito  # loaded here, as in account_status.py

    sub = owners.account_sub(owner or "")
    return cognito.find(sub) if sub else None


def owner_address(owner: str | None) -> str:
    """The verified address of an owner, empty for a name of the operator's and an account that is gone or disabled."""
    account = owner_account(owner)
    is_usable = account and account.is_confirmed and account.is_verified and account.is_enabled
    return account.address if account and is_usable else ""
