"""Pushes, secrets and audit entries in DynamoDB: read and written by the id of the push.

Every change to a push is one atomic transaction with conditions of its own, which also writes the audit entry and, when
the push ends, destroys its key. A function that returns bool says whether its write took effect: False means that
another write came first, and the caller must read again and decide again.
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

# Bytes. With a longer label a push's item might pass 1 KB, and each view would cost another write unit for each KB.
_MAX_LABEL = 512


def create(push: Push, sealed: SealedSecret, entry: AuditEntry) -> None:
    """Store a new push, its secret, its label and the first entry of its audit log, atomically."""
    is_long = push.label is not None and len(push.label) > _MAX_LABEL
    counted = replace(push, entries=1, label=None if is_long else push.label)

    puts = [
        # Fresh: a create that is sent again must not store a push again that was viewed meanwhile.
        _recorded(push, entry),
        Put(Pushes(**_values(counted))),
        Put(Secrets(id=push.id, expires_at=push.expires_at, **_values(sealed))),
    ]
    if is_long:
        puts.append(Put(Labels(id=Labels.PREFIX + push.id, label=push.label, purge_at=push.purge_at)))
    dynamodb.write(Write(puts=puts))


def load(push_id: str) -> tuple[Push | None, SealedSecret | None]:
    """A push and its secret, each None when there is none, strongly consistent and in one round trip.

    The two reads are no snapshot: a claim in between may have destroyed the secret of a push still read as active.
    """
    items = dynamodb.read({Pushes: [push_id], Secrets: [push_id]})
    push = next((_domain(item, Push) for item in items[Pushes]), None)
    sealed = next((_domain(item, SealedSecret) for item in items[Secrets]), None)
    return push, sealed


def find(push_id: str) -> Push | None:
    """A push, strongly consistent, None when there is none."""
    return next(iter(find_all([push_id])), None)


def find_all(push_ids: Sequence[str]) -> list[Push]:
    """Up to a hundred pushes, strongly consistent, in the order of their ids here; unknown ones are left out."""
    if not push_ids:
        return []
    items = {item.id: item for item in dynamodb.read({Pushes: push_ids})[Pushes]}
    return [_domain(items[push_id], Push) for push_id in push_ids if push_id in items]


def keep_arrival(push_id: str, stamps: list[str]) -> None:
    """Keep the stamps that a first view found of uploaded files. Idempotent: stamps that are there already stay."""
    arrived: Any = stamps  # PynamoDB's types ask for attributes here, its code for their values.
    actions: list[Any] = [Pushes.arrival.set(arrived), Pushes.awaits_files.set(False)]
    nobody_did = Pushes.awaits_files == True  # noqa: E712 (an expression, not a comparison)
    dynamodb.write(Write(updates=[Update(Pushes(id=push_id), actions, nobody_did)]))


def long_labels(push_ids: Sequence[str]) -> dict[str, bytes]:
    """The sealed labels that are items of their own, by the ids of their pushes; no ids cost no round trip."""
    if not push_ids:
        return {}
    items = dynamodb.read({Labels: [Labels.PREFIX + push_id for push_id in push_ids]})[Labels]
    return {item.id.removeprefix(Labels.PREFIX): item.label for item in items}


def claim(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """Count one view; the last one ends the push and destroys its key in the same write."""
    # Other views may be claimed in between, as long as this one is still the last, or still not the last. A condition
    # on `views` as read would make every claim fail all others that run beside it.
    before_last = push.expire_after_views - 1
    is_last = push.views >= before_last
    condition = _is_alive(now) & (Pushes.views == before_last if is_last else Pushes.views < before_last)
    if push.is_protected:
        # Of wrong passphrases tried in parallel, none may escape the rate limit.
        condition &= Pushes.guesses == push.guesses
    # Whoever claims has found all files in S3, so that later views need not look.
    actions = [Pushes.views.add(1), Pushes.updated_at.set(now), Pushes.awaits_files.set(False)]
    if push.guesses_in_a_row:
        actions.append(Pushes.guesses_in_a_row.set(0))
    if is_last:
        actions += _ends(push, now)
    return _write(push, actions, condition, [entry], destroy=is_last)


def expire(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """End the push by an explicit expire, and destroy its key."""
    return _write(push, _deletes(push, now), _has_view_left(push, now), [entry], destroy=True)


def record_missing_passphrase(push: Push, entry: AuditEntry, *, now: datetime) -> bool:
    """Record a retrieve without a passphrase, which is no guess."""
    condition = _has_view_left(push, now) & (Pushes.guesses == push.guesses) & (Pushes.entries < MAX_MISSING_ENTRIES)
    return _write(push, [], condition, [entry])


def record_guess(push: Push, entry: AuditEntry | None, end: AuditEntry | None, *, now: datetime) -> bool:
    """Count a wrong passphrase, record it (`entry` is None when the log is full), and with `end` end the push."""
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
    return _write(push, actions, condition, [written for written in (entry, end) if written], destroy=end is not None)


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
