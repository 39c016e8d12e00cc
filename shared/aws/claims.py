"""Claim views: count one, and store its lease, in one conditional write, which keeps the view limit.

`store.py` explains `now`, and the values that these functions return.
"""

from datetime import datetime, timedelta
from typing import Any

from shared.aws import dynamodb, store
from shared.aws.dynamodb import Put, Update
from shared.aws.items import values_of
from shared.aws.tables import Leases, Pushes, Secrets
from shared.domain.audit import AuditEntry
from shared.domain.lease import Lease
from shared.domain.limits import MAX_REPEATS, REPEAT_WINDOW
from shared.domain.push import Push

# The maximum time from receipt to response: the gateway's timeout (http-api-quotas).
_MAX_LATENCY = timedelta(seconds=30)


def claim(push: Push, entry: AuditEntry, lease: Lease | None = None, *, now: datetime) -> bool:
    """Count one view; the last view ends the push and destroys its key in the same write.

    The last view also destroys the ciphertext, unless a lease (`domain/lease.py`) is active or is stored by this claim.
    With a lease, also returns False if another claim with the same idempotency key came first.
    """
    # Other views may be claimed in between, if this one remains the last, or not the last. A condition on the exact
    # `views` would make all concurrent claims fail.
    before_last, at = push.expire_after_views - 1, entry.created_at
    is_last = push.views >= before_last
    condition = store.is_alive(now) & (Pushes.views == before_last if is_last else Pushes.views < before_last)
    condition &= store.nothing_is_later(at)
    if push.is_protected:
        # No parallel guess may bypass the rate limit.
        condition &= Pushes.guesses == push.guesses
    is_kept = is_last and (lease is not None or push.has_leases(now))
    actions = _view_actions(push, lease, at, is_last=is_last) + (store.end_actions(push, at) if is_last else [])
    write = store.transaction(push, actions, condition, [entry], destroy=is_last and not is_kept)
    puts = [*write.puts, _put_lease(lease, now)] if lease else write.puts
    updates = [*write.updates, _remove_wrapped_key(push)] if is_kept else write.updates
    return dynamodb.write(write._replace(puts=puts, updates=updates))


def spend_repeat(lease_id: str, *, now: datetime) -> bool:
    """Count one repeat of the request that has this lease; return False if no repeat is left or the lease has ended.

    Not idempotent: if a response is lost and the SDK retries, it may count twice. The limit always holds.
    """
    condition = (Leases.until > now) & (Leases.repeats < MAX_REPEATS)
    return dynamodb.update(Update(Leases, lease_id, [Leases.repeats.add(1)], condition))


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
    # Keep the ciphertext longer than the lease: a repeat received in time may be handled after a last view that was
    # received after the lease. Once the last view is claimed, it is kept only until the leases end.
    until = lease.until if is_last else min(lease.until + _MAX_LATENCY, lease.push_expires_at)
    return max(until, push.leased_until or until)


def _put_lease(lease: Lease, now: datetime) -> Put:
    """Return the write for a lease; it replaces an ended lease, but not another claim's."""
    item = {"expires_at": lease.until + REPEAT_WINDOW, **values_of(lease)}
    return Put(Leases, item, Leases.id.does_not_exist() | (Leases.until <= now))


def _remove_wrapped_key(push: Push) -> Update:
    """Return the update to remove the wrapped push key, so that only leases open the ciphertext."""
    return Update(Secrets, push.id, [Secrets.wrapped_key.remove()], Secrets.wrapped_key.exists())
