"""Record retrieves that fail, in the audit log and in the counters of wrong passphrases.

Each function writes at most once, and returns False after a lost race: read and decide again.
"""

from datetime import datetime

from shared.aws import store
from shared.domain.audit import AuditEntry, AuditKind, Caller
from shared.domain.limits import MAX_MISSING_ENTRIES
from shared.domain.push import Push
from shared.runtime import deadline, settings


def record_wrong_network(push: Push, caller: Caller, *, now: datetime) -> bool:
    """Record a request from a network that the push cannot be opened from, in at most half of the audit log.

    Unlike other failed views, it never destroys the secret of an expired push.
    """
    if not push.has_room_for_failures(MAX_MISSING_ENTRIES):
        return True
    at = max(now, push.expires_at) if push.is_expired(now) else now
    return store.record_wrong_network(push, AuditEntry.of(AuditKind.FAILED_VIEW, caller, at))


def record_refusal(push: Push, caller: Caller, *, now: datetime, has_passphrase: bool) -> bool:
    """Record a missing or wrong passphrase; only a wrong one counts towards the guess limits."""
    entry, is_over = AuditEntry.of(AuditKind.FAILED_PASSPHRASE, caller, now), push.is_expired(now)
    if not has_passphrase:
        if not push.has_room_for_failures(MAX_MISSING_ENTRIES):
            return True
        return store.record_missing_passphrase(push, entry, now=now, is_over=is_over)
    is_end, has_room = push.is_ended_by_guess(settings.current().max_guesses), push.has_room_for_failures()
    if is_over:
        return store.record_late_guess(push, entry if has_room else None, now=now, destroy=is_end)
    at = push.date_of_write(now + deadline.elapsed()) if is_end else now
    entry = AuditEntry.of(AuditKind.FAILED_PASSPHRASE, caller, at)
    end = AuditEntry.of(AuditKind.EXPIRE, caller, at) if is_end else None
    return store.record_guess(push, entry if has_room else None, end, now=now)


def record_failed_view(push: Push, caller: Caller, *, now: datetime, destroy: bool) -> bool:
    """Record a view of an expired push; `destroy` also destroys what is left of its secret."""
    if push.has_room_for_failures():
        entry = AuditEntry.of(AuditKind.FAILED_VIEW, caller, max(now, push.expires_at))
        return store.record_failed_view(push, entry, destroy=destroy)
    if destroy:
        store.destroy(push.id)
    return True
