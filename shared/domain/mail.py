"""Mailing the link of a push: to whom, in which language, and how far it got (contract, section 12). Pure.

A status is a word of the contract.
"""

from enum import StrEnum
from typing import NamedTuple

from shared.domain import seal
from shared.domain.safe_repr import hide_fields

TO, LOCALE = "notify_emails_to", "notify_emails_to_locale"  # the fields that ask for one


class Status(StrEnum):
    """How far a mailing got."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    PARTIALLY_FAILED = "partially_failed"
    FAILED = "failed"


@hide_fields("recipients")
class Mailing(NamedTuple):
    """To whom the link goes, and the language of the mail: a tag that is served, or empty for the installation's."""

    recipients: tuple[str, ...]
    locale: str = ""


@hide_fields("subject", "text", "html", "headers")
class Mail(NamedTuple):
    """What a mail says, in two forms that say the same; `headers` are beside those that every mail has."""

    subject: str
    text: str
    html: str
    headers: tuple[tuple[str, str], ...] = ()


def address_digest(address: str) -> str:
    """The digest by which an address is kept that no more mails go to, in whatever case it is written."""
    return seal.digest(address.lower())


def mailbox(address: str) -> str:
    """The address that all subaddresses of a mailbox (RFC 5233), such as `ann+shop@example.com`, are counted as."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def final_status(sent: int, recipients: int) -> Status:
    """The last status of a mailing of which so many were sent."""
    if sent == recipients:
        return Status.COMPLETED
    return Status.PARTIALLY_FAILED if sent else Status.FAILED
