"""Hand a mail to SES, unless its address is stopped, and count what came of it; and find the address of an owner."""

from botocore.exceptions import BotoCoreError, ClientError

from shared.aws import mail_progress, ses
from shared.domain import owners
from shared.domain.mail import Mail
from shared.runtime import deadline, metrics


class MailsLeft(Exception):
    """Some is left to send at another try."""


def deliver(recipient: str, said: Mail) -> bool | None:
    """Whether SES has taken the mail; None where another try may do."""
    try:
        if mail_progress.is_blocked(recipient):
            metrics.count("MailUnsent", "Stopped")
            return False
        ses.send(recipient, said)
    except ses.NotTaken:
        metrics.count("MailUnsent", "NotTaken")
        return False
    except (ClientError, BotoCoreError, deadline.OutOfTime) as error:
        metrics.count("MailUnsent", metrics.error_name(error))
        return None
    metrics.count("MailSent")
    return True


def owner_address(owner: str | None) -> str:
    """The confirmed address of an owner, empty for a name of the operator's and an account that is gone or disabled."""
    from shared.aws import cognito  # loaded here, as in account_status.py

    sub = owners.account_sub(owner or "")
    account = cognito.find(sub) if sub else None
    return account.address if account and account.is_confirmed and account.is_enabled else ""
