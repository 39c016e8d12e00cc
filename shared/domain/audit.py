"""What happened to a push, and who asked. Pure."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from shared.domain.mail import Mailing, Status
from shared.domain.safe_repr import hide_fields
from shared.domain.token import Session


class AuditKind(StrEnum):
    """What an audit entry records (contract, section 5)."""

    CREATION = "creation"
    VIEW = "view"
    OWNER_VIEW = "owner_view"
    FAILED_VIEW = "failed_view"
    FAILED_PASSPHRASE = "failed_passphrase"  # noqa: S105 (a kind of entry, not a passphrase)
    EXPIRE = "expire"
    CREATION_EMAIL_SEND = "creation_email_send"


VIEWS = {AuditKind.VIEW, AuditKind.OWNER_VIEW}  # those that were counted


@hide_fields("session")
class Caller(NamedTuple):
    """Who sends a request: the owner, None for an anonymous caller, and what the gateway saw of them.

    `user_agent` and `referrer` are redacted (redact.py) and empty when absent. `session` is the one that a browser's
    owner is signed in by, None for API tokens; `notify_when_viewed` whether their new pushes are such that they hear of
    views (notice.py), unless a push says otherwise.
    """

    owner: str | None = None
    ip: str = ""
    user_agent: str = ""
    referrer: str = ""
    session: Session | None = None
    notify_when_viewed: bool = False


@hide_fields("recipients")
class AuditEntry(NamedTuple):
    """One line of a push's audit log; what follows `created_at` is None but where the link was mailed (mail.py)."""

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

    @classmethod
    def of_mailing(cls, mailing: Mailing, caller: Caller, now: datetime) -> "AuditEntry":
        """The entry of a link that a caller has mailed now, before any mail was sent."""
        return cls.of(AuditKind.CREATION_EMAIL_SEND, caller, now)._replace(
            recipients=list(mailing.recipients),
            locale=mailing.locale,
            status=Status.PENDING,
            successful_sends=0,
            error_message="",
        )

    @classmethod
    def of(cls, kind: AuditKind, caller: Caller, now: datetime) -> "AuditEntry":
        """The entry of what a caller does now."""
        return cls(kind, caller.ip, caller.user_agent, caller.referrer, now)
