"""Mails that came back: stop further mails to an address after a complaint or a permanent bounce."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from shared.aws import mail_blocks
from shared.domain import digests
from shared.runtime import metrics

_FINAL = {"Complaint", "Permanent"}


def record(detail: dict[str, Any], *, now: datetime) -> None:
    """Count the returned mails of an SES event; block mails to these addresses for a year, if the reason is final.

    `detail` is that of "Email Bounced" or "Email Complaint Received" (SES Developer Guide, event examples). Another
    bounce, for example from a full mailbox, is only counted. The addresses' mailboxes are not blocked: otherwise a
    sender could block a mailbox with an invented subaddress that bounces.
    """
    for address, reason in _returned(detail):
        metrics.count("MailReturned", reason)
        if reason in _FINAL:
            mail_blocks.block_address(digests.address_digest(address), now=now)


def _returned(detail: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Return each address with the reason for the metric MailReturned."""
    if complaint := detail.get("complaint"):
        yield from ((one["emailAddress"], "Complaint") for one in complaint["complainedRecipients"])
    if bounce := detail.get("bounce"):
        reason = "Permanent" if bounce["bounceType"] == "Permanent" else "Passing"
        yield from ((one["emailAddress"], reason) for one in bounce["bouncedRecipients"])
