"""Asks in DynamoDB; a function returning bool returns whether its write took effect."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from shared.aws import dynamodb
from shared.aws.dynamodb import Check, Put, Update, Write
from shared.aws.index_range import Range
from shared.aws.indexes import AsksByOwner
from shared.aws.items import to_named_tuple, values_of
from shared.aws.tables import Asks
from shared.domain.ask import Answered, Ask
from shared.domain.limits import REPEAT_WINDOW

_IS_NEW = Asks.id.does_not_exist()


def create(ask: Ask, twins: Sequence[str] = ()) -> bool:
    """Store a new ask.

    `twins` are the ids that it would have had on a day before or after. Returns False and stores nothing if an ask with
    one of these ids, or with its own, was created within the last day.
    """
    since = ask.created_at - REPEAT_WINDOW
    checks = [Check(Asks, twin, _IS_NEW | (Asks.created_at <= since)) for twin in twins]
    return dynamodb.write(Write(checks=checks, puts=[Put(Asks, values_of(ask), _IS_NEW)]))


def find(ask_id: str) -> Ask | None:
    """Return the ask with this id, or None; strongly consistent."""
    return next(iter(find_all([ask_id])), None)


def find_all(ask_ids: Sequence[str]) -> list[Ask]:
    """Return up to 100 asks, strongly consistent, in the order of `ask_ids`, without missing ones."""
    items = {item["id"]: to_named_tuple(item, Ask) for item in dynamodb.read({Asks: ask_ids})[Asks]}
    return [items[ask_id] for ask_id in ask_ids if ask_id in items]


def of_owner(owner: str, page: int, *, now: datetime) -> tuple[list[Ask], bool]:
    """Return one page (from 1) of the owner's asks, newest first, and whether there is a next page."""
    ask_ids, more = Range(AsksByOwner.Meta.index_name, owner, table=Asks).page(page)
    return [ask for ask in find_all(ask_ids) if not ask.is_purged(now)], more


def end(ask: Ask, at: datetime) -> bool:
    """End an ask that still accepts answers."""
    return dynamodb.write(Write(updates=[Update(Asks, ask.id, [Asks.ended_at.set(at)], _is_open(ask, at))]))


def ids_of_owner(owner: str) -> list[str]:
    """Return the ids of all asks of the owner; those of the last moments may be missing, because the index lags."""
    return [row.id for row in Asks.by_owner.query(owner)]


def remove(ask_id: str) -> None:
    """Remove an ask. Idempotent."""
    dynamodb.delete(Asks(id=ask_id))


def stop_notices(ask_id: str) -> bool:
    """Store that the asker wants no mails about answers; return False if the ask is gone. Idempotent."""
    return dynamodb.update(Update(Asks, ask_id, [Asks.is_quiet.set(True)], Asks.id.exists()))


def count_answer(answered: Answered, at: datetime) -> Update:
    """Return the update to count an answer and its bytes, part of the write that creates it."""
    ask, size, max_bytes = answered
    actions = [Asks.answers.add(1), Asks.answered_at.set(at), Asks.taken_bytes.add(size)]
    return Update(Asks, ask.id, actions, _is_open(ask, at) & (Asks.taken_bytes <= max_bytes - size))


def _is_open(ask: Ask, now: datetime) -> Any:
    """Return the condition that an ask accepts another answer."""
    return (Asks.expires_at > now) & Asks.ended_at.does_not_exist() & (Asks.answers < ask.limit)
