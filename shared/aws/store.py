"""Change and destroy stored pushes: `new_pushes.py` stores them, `claims.py` counts views, `reads.py` reads them.

Each change of a push is one conditional transaction, which also writes the audit entry and, if the push ends, destroys
its key. Functions returning bool return whether the write took effect. False means another write came first: read and
decide again.

`now` is the time at which the gateway received the request. The condition of a write compares it with `expires_at`, to
decide whether the request is in time. The date of a view or an end is another time: the `created_at` of its audit
entry. The same write stores this date in the push: in `updated_at`; if the push ends, also in `expires_at`; if a guess
ends it, also as the time of that guess. Such a write fails if the push already has a later `updated_at`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from shared.aws import dynamodb, log_pages
from shared.aws.dynamodb import Update, Write
from shared.aws.tables import Pushes, Secrets
from shared.domain.audit import AuditEntry
from shared.domain.limits import MAX_AUDIT_ENTRIES, MAX_MISSING_ENTRIES, MAX_RECIPIENTS
from shared.domain.push import Push


def record_arrival(push_id: str, stamps: list[str]) -> None:
    """Store that all files of a push have been uploaded, and a stamp for each (uploads.py), in the files' order.

    Called before the first view is claimed. Idempotent: existing stamps are kept.
    """
    arrived: Any = stamps  # PynamoDB's types expect attributes, its code values
    actions: list[Any] = [Pushes.arrival.set(arrived), Pushes.awaits_files.set(False)]
    still_awaits = Pushes.awaits_files == True  # noqa: E712 (an expression, not a comparison)
    dynamodb.write(Write(updates=[Update(Pushes, push_id, actions, still_awaits)]))


def expire(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """End the push by an explicit expire, and destroy its key."""
    at = entry.created_at
    condition = _has_view_left(push, now) & nothing_is_later(at)
    return _write(push, _delete_actions(push, at), condition, [entry], destroy=True)


def record_missing_passphrase(push: Push, entry: AuditEntry, *, now: datetime, is_over: bool = False) -> bool:
    """Record a retrieve of a protected push without a passphrase, which is not a guess.

    `is_over` is true if the push has expired and the request repeats one with an active lease.
    """
    condition = (Pushes.guesses == push.guesses) & (Pushes.entries < MAX_MISSING_ENTRIES)
    return _write(push, [], condition if is_over else _has_view_left(push, now) & condition, [entry])


def record_guess(push: Push, entry: AuditEntry | None, end: AuditEntry | None, *, now: datetime) -> bool:
    """Count a wrong passphrase, and record it in the audit log.

    `entry` is None if the log is full. `end` is the audit entry for the end of the push if this guess ends it, else
    None.
    """
    condition = _has_view_left(push, now) & _is_next_guess(push, entry)
    actions = _count_guess(push, end.created_at if end else now)
    if end:
        condition &= nothing_is_later(end.created_at)
        actions += _delete_actions(push, end.created_at)
    return _write(push, actions, condition, [written for written in (entry, end) if written], destroy=end is not None)


def record_late_guess(push: Push, entry: AuditEntry | None, *, now: datetime, destroy: bool) -> bool:
    """Count and record a wrong passphrase for a push that has expired, while a lease is active.

    `entry` is None if the audit log is full. `destroy` also deletes the ciphertext, which ends all leases.
    """
    entries = [entry] if entry else []
    return _write(push, _count_guess(push, now), _is_next_guess(push, entry), entries, destroy=destroy)


def record_failed_view(push: Push, entry: AuditEntry, *, destroy: bool) -> bool:
    """Record a retrieve of an expired push; `destroy` also deletes its secret, if the push expired by time."""
    return _write(push, [], Pushes.entries < MAX_AUDIT_ENTRIES, [entry], destroy=destroy)


def record_wrong_network(push: Push, entry: AuditEntry) -> bool:
    """Record a request from a network that the push cannot be opened from. It never changes or destroys anything."""
    return _write(push, [], Pushes.entries < MAX_MISSING_ENTRIES, [entry])


def record_mailing(push: Push, entry: AuditEntry, count: int, *, now: datetime) -> bool:
    """Add `count` recipients to the push's total, and record the mailing; the new audit entry triggers sending.

    Returns False also if the total would exceed MAX_RECIPIENTS.
    """
    has_room = Pushes.mailed <= MAX_RECIPIENTS - count
    if push.mailed is None:
        has_room |= Pushes.mailed.does_not_exist()
    return _write(push, [Pushes.mailed.add(count)], _has_view_left(push, now) & has_room, [entry])


def set_notify_when_viewed(push_id: str, *, is_on: bool) -> bool:
    """Set whether the owner gets notices about a push; return False if the push is gone. Idempotent."""
    actions = [Pushes.notify_when_viewed.set(is_on)]
    return dynamodb.write(Write(updates=[Update(Pushes, push_id, actions, Pushes.id.exists())]))


def unlist(push_id: str) -> None:
    """Remove an expired push from the list of active ones. Idempotent."""
    actions = [Pushes.active_since.remove()]
    dynamodb.write(Write(updates=[Update(Pushes, push_id, actions, Pushes.active_since.exists())]))


def destroy(push_id: str) -> None:
    """Destroy the secret of an expired push, which also invalidates its leases."""
    dynamodb.delete(Secrets(id=push_id))


def destroy_ciphertext(push_id: str) -> None:
    """Destroy the ciphertext that was kept for leases after the last view.

    Changes nothing if the push key is still stored, because such a push may have views left.
    """
    dynamodb.delete(Secrets(id=push_id), Secrets.wrapped_key.does_not_exist())


def is_alive(now: datetime) -> Any:
    """Return the condition that the push has not ended."""
    # Not only by the clock: a request received before an expire may be handled after it.
    return (Pushes.expires_at > now) & (Pushes.is_deleted == False)  # noqa: E712 (an expression, not a comparison)


def nothing_is_later(at: datetime) -> Any:
    """Return the condition for a write dated `at`."""
    # `updated_at` never goes back. Otherwise an end could be dated before an earlier view.
    return Pushes.updated_at <= at


def end_actions(push: Push, at: datetime) -> list[Any]:
    """Return the actions that end the push."""
    ended = push.after_end(at)
    moved = [Pushes.expires_at.set(ended.expires_at), Pushes.purge_at.set(ended.purge_at)]
    return [*moved, Pushes.active_since.remove()]


def transaction(
    push: Push, actions: list[Any], condition: Any, entries: Sequence[AuditEntry], *, destroy: bool
) -> Write:
    """Return the write that changes the push and adds the audit entries; `destroy` also deletes the secret."""
    counted = [*actions, Pushes.entries.add(len(entries))] if entries else actions
    if entries:
        # Only one in fifty writes fills a page, so few concurrent writes must be repeated.
        condition &= Pushes.entries < log_pages.max_entries(push, len(entries))
    return Write(
        deletes=[Secrets(id=push.id)] if destroy else [],
        puts=[log_pages.put_entry(push, entry, nth) for nth, entry in enumerate(entries)],
        updates=[Update(Pushes, push.id, counted, condition)],
        is_decided_again=True,
    )


def _has_view_left(push: Push, now: datetime) -> Any:
    return is_alive(now) & (Pushes.views < push.expire_after_views)


def _is_next_guess(push: Push, entry: AuditEntry | None) -> Any:
    condition = (Pushes.guesses == push.guesses) & (Pushes.guesses_in_a_row == push.guesses_in_a_row)
    return condition & (Pushes.entries < MAX_AUDIT_ENTRIES) if entry else condition


def _count_guess(push: Push, at: datetime) -> list[Any]:
    counted = push.after_guess(at)
    guesses: Any = counted.guesses  # PynamoDB's types expect attributes, its code values
    return [Pushes.guesses.set(guesses), Pushes.guesses_in_a_row.set(counted.guesses_in_a_row)]


def _delete_actions(push: Push, at: datetime) -> list[Any]:
    return [Pushes.updated_at.set(at), Pushes.is_deleted.set(True), *end_actions(push, at)]


def _write(
    push: Push, actions: list[Any], condition: Any, entries: Sequence[AuditEntry], *, destroy: bool = False
) -> bool:
    """Write all changes or none; return whether it was done."""
    return dynamodb.write(transaction(push, actions, condition, entries, destroy=destroy))
