"""Mailing the link of a push: recipients, language and status (contract, section 12). Pure.

The values of `Status` are the contract's.
"""

from enum import StrEnum
from typing import NamedTuple

from shared.domain.safe_repr import hide_fields

TO, LOCALE = "notify_emails_to", "notify_emails_to_locale"  # the fields to request a mailing


class Status(StrEnum):
    """The status of a mailing."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    PARTIALLY_FAILED = "partially_failed"
    FAILED = "failed"


@hide_fields("recipients")
class Mailing(NamedTuple):
    """The recipients of a link, and the mail's language tag; empty for the installation's default."""

    recipients: tuple[str, ...]
    locale: str = ""


@hide_fields("subject", "text", "html", "headers")
class Mail(NamedTuple):
    """A mail as plain text and as HTML; `headers` are added to the standard ones."""

    subject: str
    text: str
    html: str
    headers: tuple[tuple[str, str], ...] = ()


def mailbox(address: str) -> str:
    """Return the address without its subaddress (RFC 5233): `ann@example.com` for `Ann+shop@example.com.`."""
    local, _, domain = address.lower().rstrip(".").rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def final_status(sent: int, recipients: int) -> Status:
    """Return the final status of a mailing with `sent` mails sent."""
    if sent == recipients:
        return Status.COMPLETED
    return Status.PARTIALLY_FAILED if sent else Status.FAILED
