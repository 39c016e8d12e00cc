"""Audit entries of a push, and the caller of a request. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from shared.domain.mail import Mailing, Status
from shared.domain.safe_repr import hide_fields
from shared.domain.token import Session


class AuditKind(StrEnum):
    """The kind of an audit entry (contract, section 5)."""

    CREATION = "creation"
    VIEW = "view"
    OWNER_VIEW = "owner_view"
    FAILED_VIEW = "failed_view"
    FAILED_PASSPHRASE = "failed_passphrase"  # noqa: S105 (a kind of entry, not a passphrase)
    EXPIRE = "expire"
    CREATION_EMAIL_SEND = "creation_email_send"


VIEWS = {AuditKind.VIEW, AuditKind.OWNER_VIEW}  # the kinds that count as a view


@hide_fields("session")
class Caller(NamedTuple):
    """The sender of a request: the owner, or None if anonymous, and the connection data from the gateway.

    `user_agent` and `referrer` are redacted (redact.py), and empty when absent. `session` is the browser session; None
    for an API token or an anonymous caller. `notify_when_viewed` says whether the owner's new pushes send notices by
    default (notice.py).
    """

    owner: str | None = None
    ip: str = ""
    user_agent: str = ""
    referrer: str = ""
    session: Session | None = None
    notify_when_viewed: bool = False


@hide_fields("recipients")
class AuditEntry(NamedTuple):
    """One row of a push's audit log; the fields after `created_at` are None except for mailings (mail.py).

    `ask_id` is only in the creation of an answer to an ask.
    """

    kind: AuditKind
    ip: str
    user_agent: str
    referrer: str
    created_at: datetime
    recipients: list[str] | None = None
    locale: str | None = None
    status: str | None = None
    successful_sends: int | None = None
    error_message: str | None = None
    ask_id: str | None = None

    @classmethod
    def of_mailing(cls, mailing: Mailing, caller: Caller, now: datetime) -> "AuditEntry":
        """Return the entry for a mailing by this caller, before any mail is sent."""
        return cls.of(AuditKind.CREATION_EMAIL_SEND, caller, now)._replace(
            recipients=list(mailing.recipients),
            locale=mailing.locale,
            status=Status.PENDING,
            successful_sends=0,
            error_message="",
        )

    @classmethod
    def of(cls, kind: AuditKind, caller: Caller, now: datetime) -> "AuditEntry":
        """Return the entry for an action of this caller."""
        return cls(kind, caller.ip, caller.user_agent, caller.referrer, now)
