"""Record requests from networks that a push cannot be opened from."""

from datetime import datetime

from shared.aws import store
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.limits import MAX_MISSING_ENTRIES
from shared.domain.push import Push


def record(push: Push, caller: Caller, *, now: datetime) -> bool:
    """Record the request as a failed view, in at most half of the audit log; return False after a lost race.

    Unlike other failed views, it never destroys the secret of an expired push.
    """
    if not push.has_room_for_failures(MAX_MISSING_ENTRIES):
        return True
    at = max(now, push.expires_at) if push.is_expired(now) else now
    return store.record_wrong_network(push, AuditEntry.of(AuditKind.FAILED_VIEW, caller, at))
