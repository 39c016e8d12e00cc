"""Send one mail and count the outcome; look up the e-mail address of an owner."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import mail_blocks, ses, tokens
from shared.domain import owners
from shared.domain.mail import Mail
from shared.runtime import deadline, metrics

if TYPE_CHECKING:
    from shared.aws.cognito import Account


class MailsLeft(Exception):
    """Some mails could not be sent now. The queue will deliver its message again, for another try."""


class Outcome(Enum):
    """The result of sending a mail."""

    SENT = auto()
    REFUSED = auto()  # permanent: a retry would fail, too
    FAILED = auto()  # temporary: a retry may succeed


def deliver(recipient: str, mail: Mail) -> Outcome:
    """Send a mail with SES, unless mails to the recipient are blocked; return the outcome, and count it."""
    try:
        if mail_blocks.is_blocked(recipient):
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
    """Return the account of an owner; None for an operator's name, a deleted account or no owner."""
    from shared.aws import cognito  # loaded here, as in account_status.py

    sub = owners.account_sub(owner or "")
    if owner is None or sub is None:
        return None
    return cognito.find_by_sub(sub, tokens.account_status(owners.locator(owner)).username)


def owner_address(owner: str | None) -> str:
    """Return the owner's verified e-mail address; empty without one, or if the account is deleted or disabled."""
    account = owner_account(owner)
    is_usable = account and account.is_confirmed and account.is_verified and account.is_enabled
    return account.address if account and is_usable else ""
