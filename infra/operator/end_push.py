"""How an operator's command ends a push: as a DELETE does, so that its owner reads of it in the audit log."""

from datetime import datetime


def end_push(push_id: str, command: str, now: datetime) -> bool:
    """End a push if it is alive; its audit log names the command. All of it is one write, its key's destruction too.

    Raises: RuntimeError, when others write to it at every try.
    """
    from shared.aws import backoff, reads, store
    from shared.domain.audit import AuditEntry, AuditKind, Caller

    for _ in backoff.attempts():
        push = reads.find(push_id)
        if push is None or push.is_expired(now):
            return False
        entry = AuditEntry.of(AuditKind.EXPIRE, Caller(user_agent=command), push.date_of_write(now))
        if store.expire(push, entry, now=now):
            return True
    raise RuntimeError("A push could not be ended: somebody uses it at this moment. Run the command again.")
