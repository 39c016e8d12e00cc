"""Write pushes, secrets, leases and audit entries. `reads.py` reads them.

Each change of a push is one conditional transaction; the condition of `claim` keeps the view limit. The transaction
also writes the audit entry and, if the push ends, destroys its key. Functions returning bool return whether the write
took effect. False means another write came first: read and decide again.

`now` is the time at which the gateway received the request. The condition of a write compares it with `expires_at`, to
decide whether the request is in time. The date of a view or an end is another time: the `created_at` of its audit
entry. The same write stores this date in the push: in `updated_at`; if the push ends, also in `expires_at`; if a guess
ends it, also as the time of that guess. Such a write fails if the push already has a later `updated_at`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from shared.aws import dynamodb, log_pages
from shared.aws.dynamodb import Check, Put, Update, Write
from shared.aws.items import values_of as _values
from shared.aws.tables import AuditEntries, Labels, Leases, Pushes, Secrets
from shared.domain.audit import VIEWS, AuditEntry
from shared.domain.lease import Lease
from shared.domain.limits import MAX_AUDIT_ENTRIES, MAX_MISSING_ENTRIES, MAX_RECIPIENTS, MAX_REPEATS, REPEAT_WINDOW
from shared.domain.push import Push
from shared.domain.seal import SealedSecret

if TYPE_CHECKING:
    from shared.domain.ask import Answered

# Bytes, networks and key id included. More might push the item over 1 KB: another write unit for each view and KB.
_MAX_LABEL = 512
# The maximum time from receipt to response: the gateway's timeout (http-api-quotas).
_OLDEST = timedelta(seconds=30)
_IS_NEW = Pushes.id.does_not_exist()
_ENTRY_IS_NEW = AuditEntries.at.does_not_exist()


def create(
    push: Push,
    sealed: SealedSecret,
    entries: Sequence[AuditEntry],
    twins: Sequence[str] = (),
    answered: "Answered | None" = None,
) -> bool:
    """Store a new push with its secret, its label and its first audit entries, atomically.

    `twins` are the ids that the push would have had if the same request had come on a day before or after. Returns
    False and stores nothing if a push with one of these ids, or with its own, was created within the last day. The same
    write counts an answer to the ask in `answered`; also returns False if that accepts no more.
    """
    is_long = push.label is not None and len(push.label) > _MAX_LABEL - _optional_size(push)
    counted = push._replace(entries=len(entries), label=None if is_long else push.label)

    puts = [
        # Fresh: a repeated write must not restore a push already viewed.
        *(_put_entry(push, entry, nth) for nth, entry in enumerate(entries)),
        # A repeated request must not restore a push already viewed.
        Put(Pushes, {"active_since": push.created_at if push.owner else None, **_values(counted)}, _IS_NEW),
        Put(Secrets, {"id": push.id, "expires_at": push.expires_at, **_values(sealed)}),
    ]
    if is_long:
        label = {"id": Labels.PREFIX + push.id, "label": push.label, "purge_at": push.purge_at}
        puts.append(Put(Labels, label))
    counted_answers = [_count_answer(answered, push.created_at)] if answered else []
    return dynamodb.write(Write(checks=[_no_twin(push, twin) for twin in twins], puts=puts, updates=counted_answers))


def record_arrival(push_id: str, stamps: list[str]) -> None:
    """Store that all files of a push have been uploaded, and a stamp for each (uploads.py), in the files' order.

    Called before the first view is claimed. Idempotent: existing stamps are kept.
    """
    arrived: Any = stamps  # PynamoDB's types expect attributes, its code values
    actions: list[Any] = [Pushes.arrival.set(arrived), Pushes.awaits_files.set(False)]
    nobody_did = Pushes.awaits_files == True  # noqa: E712 (an expression, not a comparison)
    dynamodb.write(Write(updates=[Update(Pushes, push_id, actions, nobody_did)]))


def claim(push: Push, entry: AuditEntry, lease: Lease | None = None, *, now: datetime) -> bool:
    """Count one view; the last view ends the push and destroys its key in the same write.

    The last view also destroys the ciphertext, unless a lease (`domain/lease.py`) is active or is stored by this claim.
    With a lease, also returns False if another claim with the same idempotency key came first.
    """
    # Other views may be claimed in between, if this one remains the last, or not the last. A condition on the exact
    # `views` would make all concurrent claims fail.
    before_last, at = push.expire_after_views - 1, entry.created_at
    is_last = push.views >= before_last
    condition = _is_alive(now) & (Pushes.views == before_last if is_last else Pushes.views < before_last)
    condition &= _nothing_is_later(at)
    if push.is_protected:
        # No parallel guess may bypass the rate limit.
        condition &= Pushes.guesses == push.guesses
    is_kept = is_last and (lease is not None or push.has_leases(now))
    actions = _view_actions(push, lease, at, is_last=is_last) + (_end_actions(push, at) if is_last else [])
    write = _write_of(push, actions, condition, [entry], destroy=is_last and not is_kept)
    puts = [*write.puts, _put_lease(lease, now)] if lease else write.puts
    updates = [*write.updates, _remove_wrapped_key(push)] if is_kept else write.updates
    return dynamodb.write(write._replace(puts=puts, updates=updates))


def expire(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """End the push by an explicit expire, and destroy its key."""
    at = entry.created_at
    condition = _has_view_left(push, now) & _nothing_is_later(at)
    return _write(push, _delete_actions(push, at), condition, [entry], destroy=True)


def spend_repeat(lease_id: str, *, now: datetime) -> bool:
    """Count one repeat of the request that has this lease; return False if no repeat is left or the lease has ended.

    Not idempotent: if a response is lost and the SDK retries, it may count twice. The limit always holds.
    """
    condition = (Leases.until > now) & (Leases.repeats < MAX_REPEATS)
    return dynamodb.update(Update(Leases, lease_id, [Leases.repeats.add(1)], condition))


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
        condition &= _nothing_is_later(end.created_at)
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


def _count_answer(answered: "Answered", at: datetime) -> Update:
    from shared.aws import asks  # loaded here: few creates are answers

    return asks.count_answer(answered, at)


def _optional_size(push: Push) -> int:
    optional = (
        (Pushes.networks, push.networks),
        (Pushes.sealed_key_id, push.sealed_key_id),
        (Pushes.ask_id, push.ask_id),
    )
    return sum(len(attribute.attr_name) + len(value) for attribute, value in optional if value)


def _no_twin(push: Push, twin: str) -> Check:
    return Check(Pushes, twin, _IS_NEW | (Pushes.created_at <= push.created_at - REPEAT_WINDOW))


def _is_alive(now: datetime) -> Any:
    # Not only by the clock: a request received before an expire may be handled after it.
    return (Pushes.expires_at > now) & (Pushes.is_deleted == False)  # noqa: E712 (an expression, not a comparison)


def _has_view_left(push: Push, now: datetime) -> Any:
    return _is_alive(now) & (Pushes.views < push.expire_after_views)


def _nothing_is_later(at: datetime) -> Any:
    # `updated_at` never goes back. Otherwise an end could be dated before an earlier view.
    return Pushes.updated_at <= at


def _is_next_guess(push: Push, entry: AuditEntry | None) -> Any:
    condition = (Pushes.guesses == push.guesses) & (Pushes.guesses_in_a_row == push.guesses_in_a_row)
    return condition & (Pushes.entries < MAX_AUDIT_ENTRIES) if entry else condition


def _count_guess(push: Push, at: datetime) -> list[Any]:
    counted = push.after_guess(at)
    guesses: Any = counted.guesses  # PynamoDB's types expect attributes, its code values
    return [Pushes.guesses.set(guesses), Pushes.guesses_in_a_row.set(counted.guesses_in_a_row)]


def _view_actions(push: Push, lease: Lease | None, at: datetime, *, is_last: bool) -> list[Any]:
    # A claim is only made with all files in S3, so later views need not check.
    actions = [Pushes.views.add(1), Pushes.updated_at.set(at), Pushes.awaits_files.set(False)]
    if push.manage_digest:
        # Not by `push.views`: another view may be claimed in between.
        first: Any = Pushes.first_viewed_at | at  # PynamoDB's types know no `if_not_exists`
        actions += [Pushes.first_viewed_at.set(first), Pushes.last_viewed_at.set(at)]
    if push.guesses_in_a_row:
        actions.append(Pushes.guesses_in_a_row.set(0))
    if lease:
        actions.append(Pushes.leased_until.set(_lease_end(push, lease, is_last=is_last)))
    return actions


def _lease_end(push: Push, lease: Lease, *, is_last: bool) -> datetime:
    # A claim received earlier may be written later, and must not shorten other leases. The last claim knows all others,
    # because none came after its read.
    until = lease.until if is_last else min(lease.until + _OLDEST, lease.push_expires_at)
    return max(until, push.leased_until or until)


def _delete_actions(push: Push, at: datetime) -> list[Any]:
    return [Pushes.updated_at.set(at), Pushes.is_deleted.set(True), *_end_actions(push, at)]


def _end_actions(push: Push, at: datetime) -> list[Any]:
    ended = push.after_end(at)
    moved = [Pushes.expires_at.set(ended.expires_at), Pushes.purge_at.set(ended.purge_at)]
    return [*moved, Pushes.active_since.remove()]


def _put_lease(lease: Lease, now: datetime) -> Put:
    """Return the write for a lease; it replaces an ended lease, but not another claim's."""
    item = {"expires_at": lease.until + REPEAT_WINDOW, **_values(lease)}
    return Put(Leases, item, Leases.id.does_not_exist() | (Leases.until <= now))


def _remove_wrapped_key(push: Push) -> Update:
    """Return the update to remove the wrapped push key, so that only leases open the ciphertext."""
    return Update(Secrets, push.id, [Secrets.wrapped_key.remove()], Secrets.wrapped_key.exists())


def _write(
    push: Push, actions: list[Any], condition: Any, entries: Sequence[AuditEntry], *, destroy: bool = False
) -> bool:
    """Write all changes or none; return whether it was done."""
    return dynamodb.write(_write_of(push, actions, condition, entries, destroy=destroy))


def _write_of(push: Push, actions: list[Any], condition: Any, entries: Sequence[AuditEntry], *, destroy: bool) -> Write:
    counted = [*actions, Pushes.entries.add(len(entries))] if entries else actions
    if entries:
        # Only one in fifty writes fills a page, so few concurrent writes must be repeated.
        condition &= Pushes.entries < log_pages.max_entries(push, len(entries))
    return Write(
        deletes=[Secrets(id=push.id)] if destroy else [],
        puts=[_put_entry(push, entry, nth) for nth, entry in enumerate(entries)],
        updates=[Update(Pushes, push.id, counted, condition)],
        is_decided_again=True,
    )


def _put_entry(push: Push, entry: AuditEntry, nth: int) -> Put:
    """Return the write for a new audit entry; `nth` is its position among the entries of this write, from 0."""
    at = log_pages.key(push, entry, nth)
    left = push.views_remaining - (entry.kind in VIEWS)
    places = {"push_id": push.id, "at": at, "purge_at": push.purge_at, "owner": push.owner, "views_left": left}
    places["notify_when_viewed"] = push.notify_when_viewed
    return Put(AuditEntries, places | _values(entry), _ENTRY_IS_NEW, is_fresh=True)
