"""How reads and writes are brought through to DynamoDB: sent again where that helps, and never counted twice."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pynamodb.exceptions import DeleteError, TransactWriteError
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from shared.aws import retry
from shared.aws.connection import connection
from shared.aws.tables import ApiTokens, Labels, Pushes, Secrets, Table

_HASH_KEYS: dict[type[Table], str] = {Pushes: "id", Labels: "id", Secrets: "id", ApiTokens: "digest"}
_FAILED_CONDITION = "ConditionalCheckFailed"
# What cancels a transaction and passes: another look is worth it. The SDK does not retry what was cancelled.
_LOST = {_FAILED_CONDITION, "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Throttled(Exception):
    """DynamoDB left items unread, again and again."""


@dataclass(frozen=True)
class Put:
    """An item to be written whole. A fresh one has a key that nobody else can have written, and is not there yet."""

    item: Model
    fresh: Any = None  # the condition that says so

    @property
    def is_fresh(self) -> bool:
        """Whether the item, found there, proves that this very write took effect before."""
        return self.fresh is not None


@dataclass(frozen=True)
class Update:
    """What to do to the item with this key, on which condition."""

    key: Model
    actions: Sequence[Any]
    condition: Any


@dataclass(frozen=True)
class Write:
    """What is deleted, put and updated together: all of it or nothing."""

    deletes: Sequence[Model] = ()
    puts: Sequence[Put] = ()
    updates: Sequence[Update] = ()

    @property
    def witness(self) -> int | None:
        """The place of the first fresh item among the writes: PynamoDB sends deletes first, then puts, then updates."""
        places = (len(self.deletes) + number for number, put in enumerate(self.puts) if put.is_fresh)
        return next(places, None)


def read(wanted: dict[type[Any], Sequence[str]]) -> dict[type[Any], list[Any]]:
    """Items by their hash keys, from several tables, strongly consistent, in one round trip unless throttled.

    Raises: Throttled.
    """
    tables: dict[str, type[Table]] = {table.table_name(): table for table in wanted}
    found: dict[type[Any], list[Any]] = {table: [] for table in wanted}
    unread: dict[str, Any] = {
        table.table_name(): {
            "Keys": [{_HASH_KEYS[table]: {"S": key}} for key in dict.fromkeys(keys)],
            "ConsistentRead": True,
        }
        for table, keys in wanted.items()
    }
    for _ in retry.attempts():
        answer = connection().dispatch("BatchGetItem", {"RequestItems": unread})
        for name, items in answer["Responses"].items():
            found[tables[name]] += [tables[name].from_raw_data(item) for item in items]
        unread = answer.get("UnprocessedKeys") or {}
        if not unread:
            return found
    raise Throttled


def write(wanted: Write) -> bool:
    """Do all of a write or nothing, and say whether it was done: False means that a condition did not hold."""
    token = _request_token()
    for _ in retry.attempts():
        try:
            _send(wanted, token)
        except TransactWriteError as error:
            cancelled = error
        else:
            return True
        done = _was_done(cancelled, wanted.witness)
        if done is not None:
            return done
    raise cancelled


def delete(item: Model) -> None:
    """Delete an item, whatever it holds; one that a transaction holds for a moment is waited for."""
    for _ in retry.attempts():
        try:
            item.delete()
        except DeleteError as error:
            if error.cause_response_code != "TransactionConflictException":
                raise
            in_the_way = error
        else:
            return
    raise in_the_way


def _send(wanted: Write, token: str) -> None:
    # The token is the same whenever this write is sent again, so that AWS lets it take effect only once.
    with TransactWrite(connection=connection(), client_request_token=token) as transaction:
        for item in wanted.deletes:
            transaction.delete(item)
        for put in wanted.puts:
            transaction.save(put.item, condition=put.fresh)
        for update in wanted.updates:
            transaction.update(update.key, actions=list(update.actions), condition=update.condition)


def _was_done(error: TransactWriteError, witness: int | None) -> bool | None:
    """Whether a cancelled write had taken effect before, by its witness; None when nobody can know yet."""
    codes = [reason.code if reason else None for reason in error.cancellation_reasons]
    if not set(codes) & _LOST or set(codes) - _LOST - {None}:
        raise error
    # The witness's key is fresh randomness. If it is there already, this very write took effect before, its answer was
    # lost, and it was sent again. AWS knows that by the request token, for ten minutes; this always does.
    if witness is not None and codes[witness] == _FAILED_CONDITION:
        return True
    # Another write in the way says nothing of a try before, whose answer may have been lost. A new write would count
    # a second view, so this one is sent again until its witness or its condition decides.
    return False if _FAILED_CONDITION in codes and (witness is None or codes[witness] is None) else None


def _request_token() -> str:
    return secrets.token_hex(16)
