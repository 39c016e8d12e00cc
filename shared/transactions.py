"""How reads and writes are brought through to DynamoDB: sent again where that helps, and never counted twice."""

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from pynamodb.exceptions import DeleteError, TransactWriteError
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from shared import tries
from shared.tables import CONNECTION, ApiTokens, Labels, Pushes, Secrets

_HASH_KEYS: dict[type[Model], str] = {Pushes: "id", Labels: "id", Secrets: "id", ApiTokens: "digest"}
_FAILED_CONDITION = "ConditionalCheckFailed"
# What cancels a transaction and passes: another look is worth it. The SDK does not retry what was cancelled.
_LOST = {_FAILED_CONDITION, "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Throttled(Exception):
    """DynamoDB left items unread, again and again."""


def read(wanted: dict[type[Any], Sequence[str]]) -> dict[type[Any], list[Any]]:
    """Items by their hash keys, from several tables, strongly consistent, in one round trip unless throttled."""
    tables: dict[str, type[Model]] = {table.Meta.table_name: table for table in wanted}
    found: dict[type[Any], list[Any]] = {table: [] for table in wanted}
    unread: dict[str, Any] = {
        table.Meta.table_name: {
            "Keys": [{_HASH_KEYS[table]: {"S": key}} for key in dict.fromkeys(keys)],
            "ConsistentRead": True,
        }
        for table, keys in wanted.items()
    }
    for _ in tries.attempts():
        answer = CONNECTION.dispatch("BatchGetItem", {"RequestItems": unread})
        for name, items in answer["Responses"].items():
            found[tables[name]] += [tables[name].from_raw_data(item) for item in items]
        unread = answer.get("UnprocessedKeys") or {}
        if not unread:
            return found
    raise Throttled


def write(change: Callable[[TransactWrite], None], entry: int | None = None) -> bool:
    """Do all of a change or nothing, and say whether it was done: False means that a condition did not hold.

    `entry` is the place of the audit entry, if there is one, among the writes: PynamoDB sends deletes first, then puts,
    then updates.
    """
    token = _request_token()
    for _ in tries.attempts():
        try:
            with _transaction(token) as transaction:
                change(transaction)
        except TransactWriteError as error:
            cancelled = error
        else:
            return True
        done = _was_done(cancelled, entry)
        if done is not None:
            return done
    raise cancelled


def delete(item: Model) -> None:
    """Delete an item, whatever it holds; one that a transaction holds for a moment is waited for."""
    for _ in tries.attempts():
        try:
            item.delete()
        except DeleteError as error:
            if error.cause_response_code != "TransactionConflictException":
                raise
            in_the_way = error
        else:
            return
    raise in_the_way


def _was_done(error: TransactWriteError, entry: int | None) -> bool | None:
    """Whether a cancelled write had taken effect before, by the place of its entry; None when nobody can know yet."""
    codes = [reason.code if reason else None for reason in error.cancellation_reasons]
    if not set(codes) & _LOST or set(codes) - _LOST - {None}:
        raise error
    # The entry's key is fresh randomness. If it is there already, this very write took effect before, its answer was
    # lost, and it was sent again. AWS knows that by the request token, for ten minutes; this always does.
    if entry is not None and codes[entry] == _FAILED_CONDITION:
        return True
    # Another write in the way says nothing of a try before, whose answer may have been lost. A new write would count
    # a second view, so this one is sent again until its entry or its condition decides.
    return False if _FAILED_CONDITION in codes and (entry is None or codes[entry] is None) else None


def _transaction(token: str) -> TransactWrite:
    # The token is the same whenever this write is sent again, so that AWS lets it take effect only once.
    return TransactWrite(connection=CONNECTION, client_request_token=token)


def _request_token() -> str:
    return secrets.token_hex(16)
