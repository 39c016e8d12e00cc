"""Pushes, secrets and audit entries in DynamoDB. What crosses this door is never an item.

One write decides. Every change to a push is one transaction on conditions of its own; with it go the audit entry and,
when the push ends, the destruction of its key. Such a function says whether its write took effect: False means that
somebody else wrote first, and the caller must look again.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from shared.aws import dynamodb
from shared.aws.attributes import milliseconds
from shared.aws.dynamodb import Put, Update, Write
from shared.aws.items import domain as _domain
from shared.aws.items import values as _values
from shared.aws.tables import AuditEntries, Labels, Pushes, Secrets
from shared.domain.audit import AuditEntry
from shared.domain.limits import MAX_AUDIT_ENTRIES, MAX_MISSING_ENTRIES
from shared.domain.push import Push
from shared.domain.seal import SealedSecret

# Bytes. With a longer one a push's item might pass 1 KB, and each view would cost another write unit for each KB.
_MAX_LABEL = 512


def create(push: Push, sealed: SealedSecret, entry: AuditEntry) -> None:
    """Store a new push, its secret, its label and the first line of its audit log, all or nothing."""
    is_long = push.label is not None and len(push.label) > _MAX_LABEL
    counted = replace(push, entries=1, label=None if is_long else push.label)

    puts = [
        # Fresh: a create that arrives again, or late, must not make anew what was viewed meanwhile.
        _recorded(push, entry),
        Put(Pushes(**_values(counted))),
        Put(Secrets(id=push.id, expires_at=push.expires_at, **_values(sealed))),
    ]
    if is_long:
        puts.append(Put(Labels(id=Labels.PREFIX + push.id, label=push.label, purge_at=push.purge_at)))
    dynamodb.write(Write(puts=puts))


def load(push_id: str) -> tuple[Push | None, SealedSecret | None]:
    """A push and its secret as they are now, in one round trip.

    The two reads are no snapshot: a claim in between may have destroyed the secret of a push still read as active.
    """
    found = dynamodb.read({Pushes: [push_id], Secrets: [push_id]})
    push = next((_domain(item, Push) for item in found[Pushes]), None)
    sealed = next((_domain(item, SealedSecret) for item in found[Secrets]), None)
    return push, sealed


def find(push_id: str) -> Push | None:
    """A push as it is now."""
    return next(iter(find_all([push_id])), None)


def find_all(push_ids: Sequence[str]) -> list[Push]:
    """Up to a hundred pushes as they are now, in the order asked for; unknown ones are left out."""
    if not push_ids:
        return []
    found = {item.id: item for item in dynamodb.read({Pushes: push_ids})[Pushes]}
    return [_domain(found[push_id], Push) for push_id in push_ids if push_id in found]


def keep_arrival(push_id: str, stamps: list[str]) -> None:
    """Keep what the first view found of files that came by a form; what another view kept before stays."""
    arrived: Any = stamps  # PynamoDB's types ask for attributes here, its code for their values.
    actions: list[Any] = [Pushes.arrival.set(arrived), Pushes.awaits_files.set(False)]
    nobody_did = Pushes.awaits_files == True  # noqa: E712 (an expression, not a comparison)
    dynamodb.write(Write(updates=[Update(Pushes(id=push_id), actions, nobody_did)]))


def long_labels(push_ids: Sequence[str]) -> dict[str, bytes]:
    """The sealed labels that are no part of their pushes, by the pushes' ids; no round trip when none is asked for."""
    if not push_ids:
        return {}
    found = dynamodb.read({Labels: [Labels.PREFIX + push_id for push_id in push_ids]})[Labels]
    return {item.id.removeprefix(Labels.PREFIX): item.label for item in found}


def claim(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """Count one view; the last one ends the push."""
    # Others may claim views in between, as long as this one stays what it was decided to be: the last, or not.
    # Requiring `views` as seen would make every claim fail all that run beside it.
    before_last = push.expire_after_views - 1
    is_last = push.views >= before_last
    condition = _is_alive(now) & (Pushes.views == before_last if is_last else Pushes.views < before_last)
    if push.is_protected:
        # Guesses beside this one must not slip by the limit.
        condition &= Pushes.guesses == push.guesses
    # Whoever claims has seen all files in S3, so that nobody needs to look again.
    actions = [Pushes.views.add(1), Pushes.updated_at.set(now), Pushes.awaits_files.set(False)]
    if push.guesses_in_a_row:
        actions.append(Pushes.guesses_in_a_row.set(0))
    if is_last:
        actions += _ends(push, now)
    return _write(push, actions, condition, [entry], destroy=is_last)


def expire(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """End the push."""
    return _write(push, _deletes(push, now), _has_view_left(push, now), [entry], destroy=True)


def record_missing_passphrase(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """Record that nobody brought a passphrase, which is no guess."""
    condition = _has_view_left(push, now) & (Pushes.guesses == push.guesses) & (Pushes.entries < MAX_MISSING_ENTRIES)
    return _write(push, [], condition, [entry])


def record_guess(push: Push, entry: AuditEntry | None, end: AuditEntry | None, *, now: datetime) -> bool:
    """Count a wrong passphrase, and record it if the audit log has room; with the entry `end`, end the push by it."""
    in_a_row = Pushes.guesses_in_a_row == push.guesses_in_a_row
    if not push.guesses_in_a_row:
        in_a_row |= Pushes.guesses_in_a_row.does_not_exist()  # a push from before 0.5.0
    condition = _has_view_left(push, now) & (Pushes.guesses == push.guesses) & in_a_row
    if entry:
        condition &= Pushes.entries < MAX_AUDIT_ENTRIES
    guesses: Any = push.guessed(now).guesses  # PynamoDB's types ask for attributes here, its code for their values.
    actions = [Pushes.guesses.set(guesses), Pushes.guesses_in_a_row.set(push.guesses_in_a_row + 1)]
    if end:
        actions += _deletes(push, now)
    return _write(push, actions, condition, [one for one in (entry, end) if one], destroy=end is not None)


def record_failed_view(push: Push, entry: AuditEntry, *, destroy: bool = False) -> bool:
    """Record that the push was asked for in vain; destroy what the day expiry has left of its secret."""
    return _write(push, [], Pushes.entries < MAX_AUDIT_ENTRIES, [entry], destroy=destroy)


def destroy(push_id: str) -> None:
    """Destroy what the day expiry has left of the secret of a push, where there is nothing to record."""
    dynamodb.delete(Secrets(id=push_id))


def _is_alive(now: datetime) -> Any:
    # Not only by the clock: a request that was received before an expire may be served after it.
    return (Pushes.expires_at > now) & (Pushes.is_deleted == False)  # noqa: E712 (an expression, not a comparison)


def _has_view_left(push: Push, now: datetime) -> Any:
    return _is_alive(now) & (Pushes.views < push.expire_after_views)


def _deletes(push: Push, now: datetime) -> list[Any]:
    return [Pushes.updated_at.set(now), Pushes.is_deleted.set(True), *_ends(push, now)]


def _ends(push: Push, now: datetime) -> list[Any]:
    ended = push.expired(now)
    return [Pushes.expires_at.set(ended.expires_at), Pushes.purge_at.set(ended.purge_at)]


def _write(
    push: Push, actions: list[Any], condition: Any, entries: Sequence[AuditEntry], *, destroy: bool = False
) -> bool:
    """Do all of it or nothing, and say whether it was done."""
    counted = [*actions, Pushes.entries.add(len(entries))] if entries else actions
    return dynamodb.write(
        Write(
            deletes=[Secrets(id=push.id)] if destroy else [],
            puts=[_recorded(push, entry, number) for number, entry in enumerate(entries)],
            updates=[Update(Pushes(id=push.id), counted, condition)],
        )
    )


def _recorded(push: Push, entry: AuditEntry, number: int = 0) -> Put:
    """The entry as a fresh item, the `number`-th of its write."""
    at = f"{milliseconds(entry.created_at):013d}-{push.entries + number:05d}-{secrets.token_hex(4)}"
    item = AuditEntries(push_id=push.id, at=at, purge_at=push.purge_at, **_values(entry))
    return Put(item, fresh=AuditEntries.at.does_not_exist())
