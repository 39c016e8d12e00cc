"""End a push from an operator's command, as a DELETE does; the owner sees it in the audit log."""

from datetime import datetime

from shared.aws import backoff, reads, store
from shared.domain.audit import AuditEntry, AuditKind, Caller


def end_push(push_id: str, command: str, now: datetime) -> bool:
    """End a push if it is alive and destroy its key, in one write; the audit log names the command.

    Raises: RuntimeError, if every try conflicts with other writes.
    """
    for _ in backoff.attempts():
        push = reads.find(push_id)
        if push is None or push.is_expired(now):
            return False
        entry = AuditEntry.of(AuditKind.EXPIRE, Caller(user_agent=command), push.date_of_write(now))
        if store.expire(push, entry, now=now):
            return True
    raise RuntimeError("A push could not be ended, because it is in use. Run the command again.")
