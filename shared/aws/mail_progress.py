"""Mailings and notices in DynamoDB: how far each got, by its audit entry; and the addresses that no mail goes to."""

from datetime import datetime
from typing import Any, NamedTuple

from shared.aws import dynamodb
from shared.aws.tables import AuditEntries, Quotas
from shared.domain import mail
from shared.domain.limits import ADDRESS_BLOCK, SENDING_LOCK
from shared.domain.mail import Status
from shared.domain.safe_repr import hide_fields

_STOPPED = "stopped mail"
_UNDONE = (Status.PENDING, Status.PROCESSING)


@hide_fields("recipients", "sent_to")
class MailingTurn(NamedTuple):
    """A mailing whose turn it is; `sent_to` are those of the recipients who have got their mail."""

    recipients: list[str]
    locale: str
    sent_to: list[str]


@hide_fields("user_agent")
class NoticeEntry(NamedTuple):
    """An audit entry that may be told of; `status` is None before anybody has tried to."""

    kind: str
    user_agent: str
    created_at: datetime
    views_left: int
    status: str | None


class BeingSent(Exception):
    """Somebody else is about to send this mailing or notice, or was when it ended without a word."""


def begin_mailing(push_id: str, entry: str, *, now: datetime) -> MailingTurn | None:
    """Take the turn at a mailing; None when it is over, or there is none.

    Raises: BeingSent.
    """
    item = _find_entry(push_id, entry)
    if item is None or item.status not in _UNDONE:
        return None
    _lock(push_id, entry, AuditEntries.status.is_in(*_UNDONE), now)
    return MailingTurn(item.recipients, item.locale or "", item.sent_to or [])


def find_unsent_notice(push_id: str, entry: str) -> NoticeEntry | None:
    """The entry of a view or an end that is still to be told of; None when it was, or there is none."""
    item = _find_entry(push_id, entry)
    if item is None or item.status not in (None, Status.PROCESSING):
        return None
    return NoticeEntry(item.kind, item.user_agent, item.created_at, int(item.views_left), item.status)


def begin_notice(push_id: str, entry: str, *, now: datetime) -> None:
    """Take the turn at telling of an entry.

    Raises: BeingSent.
    """
    _lock(push_id, entry, AuditEntries.status.does_not_exist() | (AuditEntries.status == Status.PROCESSING), now)


def _find_entry(push_id: str, entry: str) -> Any:
    return next(iter(AuditEntries.query(push_id, AuditEntries.at == entry, consistent_read=True)), None)


def _lock(push_id: str, entry: str, is_undone: Any, now: datetime) -> None:
    is_free = AuditEntries.sending_until.does_not_exist() | (AuditEntries.sending_until <= now)
    actions: list[Any] = [
        AuditEntries.status.set(Status.PROCESSING),
        AuditEntries.sending_until.set(now + SENDING_LOCK),
    ]
    if not _update(push_id, entry, actions, AuditEntries.kind.exists() & is_undone & is_free):
        raise BeingSent


def record_sent(push_id: str, entry: str, sent_to: list[str]) -> None:
    """Keep who has got their mail so far."""
    addresses: Any = sent_to  # PynamoDB's types ask for attributes here, its code for their values.
    actions: list[Any] = [AuditEntries.sent_to.set(addresses), AuditEntries.successful_sends.set(len(sent_to))]
    _update(push_id, entry, actions)


def release(push_id: str, entry: str, *, now: datetime) -> None:
    """End the turn at a mailing of which some is left to send."""
    _update(push_id, entry, [AuditEntries.sending_until.set(now)])


def finish(push_id: str, entry: str, status: Status, error_message: str) -> None:
    """End a mailing."""
    actions: list[Any] = [AuditEntries.status.set(status), AuditEntries.error_message.set(error_message)]
    actions += [AuditEntries.sending_until.remove(), AuditEntries.sent_to.remove()]
    _update(push_id, entry, actions)


def block_address(address_digest: str, *, now: datetime) -> None:
    """Send no mail to the address with this digest for a year. Idempotent."""
    actions: list[Any] = [Quotas.used.set(1), Quotas.expires_at.set(now + ADDRESS_BLOCK)]
    dynamodb.update(dynamodb.Update(Quotas, _block_key(address_digest), actions))


def is_blocked(address: str) -> bool:
    """Whether a mail to an address came back, or its reader complained or wanted no more, within a year."""
    return any(Quotas.query(_block_key(mail.address_digest(address)), consistent_read=True, limit=1))


def _block_key(address_digest: str) -> str:
    return f"{_STOPPED} {address_digest}"


def _update(push_id: str, entry: str, actions: list[Any], condition: Any = None) -> bool:
    return dynamodb.update(dynamodb.Update(AuditEntries, push_id, actions, condition, entry))
