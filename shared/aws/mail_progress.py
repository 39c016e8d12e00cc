"""The progress of mailings and notices, stored in their audit entries."""

from datetime import datetime
from typing import Any, NamedTuple

from shared.aws import dynamodb
from shared.aws.tables import AuditEntries
from shared.domain.limits import SENDING_LOCK
from shared.domain.mail import Status
from shared.domain.safe_repr import hide_fields

_UNDONE = (Status.PENDING, Status.PROCESSING)


@hide_fields("recipients", "sent_to")
class MailingTurn(NamedTuple):
    """A mailing locked for sending; `sent_to` lists the recipients whose mail was sent already."""

    recipients: list[str]
    locale: str
    sent_to: list[str]


@hide_fields("user_agent")
class NoticeEntry(NamedTuple):
    """An audit entry that may need a notice; `status` is None if sending has not been tried.

    `ask_id` is set for the creation of an answer to an ask.
    """

    kind: str
    user_agent: str
    created_at: datetime
    views_left: int
    status: str | None
    ask_id: str | None = None


class BeingSent(Exception):
    """Another process is sending this mailing or notice, or was killed while sending."""


def begin_mailing(push_id: str, entry: str, *, now: datetime) -> MailingTurn | None:
    """Lock a mailing for sending; return None if it is finished or missing.

    Raises: BeingSent.
    """
    item = _find_entry(push_id, entry)
    if item is None or item.status not in _UNDONE:
        return None
    _lock(push_id, entry, AuditEntries.status.is_in(*_UNDONE), now)
    return MailingTurn(item.recipients, item.locale or "", item.sent_to or [])


def find_unsent_notice(push_id: str, entry: str) -> NoticeEntry | None:
    """Return the audit entry of an unsent notice; None if it was sent or is missing."""
    item = _find_entry(push_id, entry)
    if item is None or item.status not in (None, Status.PROCESSING):
        return None
    return NoticeEntry(item.kind, item.user_agent, item.created_at, int(item.views_left), item.status, item.ask_id)


def begin_notice(push_id: str, entry: str, *, now: datetime) -> None:
    """Lock a notice for sending.

    Raises: BeingSent.
    """
    _lock(push_id, entry, AuditEntries.status.does_not_exist() | (AuditEntries.status == Status.PROCESSING), now)


def record_sent(push_id: str, entry: str, sent_to: list[str]) -> None:
    """Store the recipients whose mail has been sent so far."""
    addresses: Any = sent_to  # PynamoDB's types expect attributes, its code values
    actions: list[Any] = [AuditEntries.sent_to.set(addresses), AuditEntries.successful_sends.set(len(sent_to))]
    _update(push_id, entry, actions)


def release(push_id: str, entry: str, *, now: datetime) -> None:
    """Release the lock of an unfinished mailing, so that a later try can send the rest."""
    _update(push_id, entry, [AuditEntries.sending_until.set(now)])


def finish(push_id: str, entry: str, status: Status, error_message: str) -> None:
    """Finish a mailing and release its lock."""
    actions: list[Any] = [AuditEntries.status.set(status), AuditEntries.error_message.set(error_message)]
    actions += [AuditEntries.sending_until.remove(), AuditEntries.sent_to.remove()]
    _update(push_id, entry, actions)


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


def _update(push_id: str, entry: str, actions: list[Any], condition: Any = None) -> bool:
    return dynamodb.update(dynamodb.Update(AuditEntries, push_id, actions, condition, entry))
