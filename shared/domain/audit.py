"""What happened to a push, and who asked. Pure."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from shared.domain.token import Session


class AuditKind(StrEnum):
    """What an audit entry records (contract, section 5)."""

    CREATION = "creation"
    VIEW = "view"
    OWNER_VIEW = "owner_view"
    FAILED_VIEW = "failed_view"
    FAILED_PASSPHRASE = "failed_passphrase"  # noqa: S105 (a kind of entry, not a passphrase)
    EXPIRE = "expire"


VIEWS = {AuditKind.VIEW, AuditKind.OWNER_VIEW}  # those that were counted


@dataclass(frozen=True)
class Caller:
    """Who sends a request: the owner, None for an anonymous caller, and what the gateway saw of them.

    `user_agent` and `referrer` are redacted (redact.py) and empty when absent. `session` is the one that a browser's
    owner is signed in by, None for API tokens.
    """

    owner: str | None = None
    ip: str = ""
    user_agent: str = ""
    referrer: str = ""
    session: Session | None = field(default=None, repr=False)


@dataclass(frozen=True)
class AuditEntry:
    """One line of a push's audit log."""

    kind: AuditKind
    ip: str
    user_agent: str
    referrer: str
    created_at: datetime

    @classmethod
    def of(cls, kind: AuditKind, caller: Caller, now: datetime) -> "AuditEntry":
        """The entry of what a caller does now."""
        return cls(kind, caller.ip, caller.user_agent, caller.referrer, now)
