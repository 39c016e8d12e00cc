"""DynamoDB reads and writes with retries and back-off; writes are atomic and idempotent."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from botocore.exceptions import ClientError
from pynamodb.exceptions import DeleteError, PutError, UpdateError
from pynamodb.models import Model

from shared.aws import backoff, items
from shared.aws.connection import client, connection
from shared.aws.table import Table
from shared.domain.safe_repr import hide_fields
from shared.runtime import metrics

_CONFLICTS = "Conflicts"
_FAILED_CONDITION = "ConditionalCheckFailed"
_NOT_TO_BLAME = "None"  # the reason of a part that did not cancel its transaction
_TOKEN_BYTES = 16  # of a transaction's request token
# Retryable reasons of a cancelled transaction. The SDK does not retry these.
_LOST = {_FAILED_CONDITION, "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class Throttled(Exception):
    """DynamoDB left items unread after every retry."""


@hide_fields("values")
class Put(NamedTuple):
    """An item to write, with its attribute values and a condition.

    A fresh item has a random key and the condition that it does not exist. If it does exist, an earlier try of the same
    write has created it.
    """

    table: type[Table]
    values: items.Values
    condition: Any = None
    is_fresh: bool = False


class Check(NamedTuple):
    """A condition on an item which is not written."""

    table: type[Table]
    key: str
    condition: Any


class Update(NamedTuple):
    """Actions on the item with this key, and a condition."""

    table: type[Table]
    key: str
    actions: Sequence[Any]
    condition: Any = None
    range_key: str | None = None


class Write(NamedTuple):
    """One atomic write: all checks, deletes, puts and updates happen together, or none.

    With `is_decided_again`, the caller reads and decides again after a conflict. Otherwise the same write is sent
    again.
    """

    checks: Sequence[Check] = ()
    deletes: Sequence[Model] = ()
    puts: Sequence[Put] = ()
    updates: Sequence[Update] = ()
    is_decided_again: bool = False

    @property
    def witness(self) -> int | None:
        """Return the position of the first fresh item among all parts of the write; None if no item is fresh.

        The order of the parts is: checks, deletes, puts, updates.
        """
        places = (len(self.checks) + len(self.deletes) + number for number, put in enumerate(self.puts) if put.is_fresh)
        return next(places, None)


def read(keys_by_table: dict[type[Table], Sequence[str]]) -> dict[type[Table], list[items.Values]]:
    """Read items by hash key from several tables, strongly consistent, in one round trip unless throttled.

    `keys_by_table` has at most 100 keys in total; without keys, there is no round trip. Returns the items of each table
    in any order.

    Raises: Throttled.
    """
    # Two models may share a table; the key tells them apart.
    models = {(table.table_name(), key): table for table, keys in keys_by_table.items() for key in keys}
    hash_keys = {table.table_name(): table.hash_key_name() for table in keys_by_table}
    items_by_table: dict[type[Table], list[items.Values]] = {table: [] for table in keys_by_table}
    unread: dict[str, Any] = {}
    for name, key in models:
        request = unread.setdefault(name, {"Keys": [], "ConsistentRead": True})
        request["Keys"].append({hash_keys[name]: {"S": key}})
    if not unread:
        return items_by_table
    for _ in backoff.attempts():
        answer = client().batch_get_item(RequestItems=unread)
        for name, rows in answer["Responses"].items():
            for raw in rows:
                table = models[name, raw[hash_keys[name]]["S"]]
                items_by_table[table].append(items.from_item(table, raw))
        unread = answer.get("UnprocessedKeys") or {}
        if not unread:
            return items_by_table
    raise Throttled


def write(transaction: Write) -> bool:
    """Execute a write; return whether it was done. False means a condition did not hold.

    With `is_decided_again`, also returns False after a conflict or throttling, if the write had certainly no effect.

    Raises: ClientError, if AWS rejects the write, or conflicts or throttling continue after all retries.
    """
    token, is_undone = secrets.token_hex(_TOKEN_BYTES), True
    for _ in backoff.attempts():
        try:
            _send(transaction, token)
        except ClientError as error:
            cancelled = error
        else:
            return True
        done = _earlier_outcome(cancelled, transaction.witness)
        if done is not None:
            return done
        is_undone = is_undone and _was_sent_once(cancelled)
        if is_undone and transaction.is_decided_again:
            return False
    raise cancelled


def update(change: Update) -> bool:
    """Execute one update; return whether its condition held. Half the price of a transaction, but not idempotent.

    Returns no attributes of the item, because the roles forbid that (`dynamodb:ReturnValues`).

    Raises: UpdateError.
    """
    table, key, actions, condition, range_key = change
    try:
        connection().update_item(table.table_name(), key, range_key, actions=actions, condition=condition)
    except UpdateError as error:
        if error.cause_response_code != "ConditionalCheckFailedException":
            raise
        return False
    return True


def delete(item: Model, condition: Any = None) -> None:
    """Delete an item, optionally with a condition. Idempotent; retried while a transaction locks the item.

    Raises: DeleteError.
    """
    for _ in backoff.attempts():
        try:
            with ignore_failed_condition():
                item.delete(condition=condition)
        except DeleteError as error:
            if error.cause_response_code != "TransactionConflictException":
                raise
            metrics.count(_CONFLICTS)
            conflict = error
        else:
            return
    raise conflict


@contextmanager
def ignore_failed_condition() -> Iterator[None]:
    """Ignore the failed condition of a put or a delete, which then changes nothing."""
    try:
        yield
    except (PutError, DeleteError) as error:
        if error.cause_response_code != "ConditionalCheckFailedException":
            raise


def _send(transaction: Write, token: str) -> None:
    parts = [
        *({"ConditionCheck": _check(check)} for check in transaction.checks),
        *({"Delete": item.get_delete_kwargs_from_instance()} for item in transaction.deletes),
        *({"Put": _put(put)} for put in transaction.puts),
        *({"Update": _update(update)} for update in transaction.updates),
    ]
    # The token is the same for each retry, so that AWS executes the write only once.
    client().transact_write_items(TransactItems=parts, ClientRequestToken=token)


def _check(check: Check) -> dict[str, Any]:
    return check.table.get_operation_kwargs_from_class(check.key, condition=check.condition)


def _put(put: Put) -> dict[str, Any]:
    # PynamoDB would handle the key separately and check each attribute again, which takes twice as long.
    request = {"TableName": put.table.table_name(), "Item": items.to_item(put.table, put.values)}
    if put.condition is None:
        return request
    names, values = dict[str, str](), dict[str, Any]()
    request["ConditionExpression"] = put.condition.serialize(names, values)
    request["ExpressionAttributeNames"] = {placeholder: name for name, placeholder in names.items()}
    return request | ({"ExpressionAttributeValues": values} if values else {})


def _update(update: Update) -> dict[str, Any]:
    return connection().get_operation_kwargs(
        update.table.table_name(), update.key, actions=update.actions, condition=update.condition
    )


def _earlier_outcome(error: ClientError, witness: int | None) -> bool | None:
    """Return whether an earlier try of a cancelled write took effect; None if that cannot be known."""
    answer: dict[str, Any] = error.response
    codes = [reason["Code"] for reason in answer.get("CancellationReasons", [])]
    if "TransactionConflict" in codes:
        metrics.count(_CONFLICTS)
    if not set(codes) & _LOST or set(codes) - _LOST - {_NOT_TO_BLAME}:
        raise error
    # The witness's key is random. If it exists, an earlier try of this write took effect and its response was lost.
    # AWS's own request token detects this only for ten minutes.
    if witness is not None and codes[witness] == _FAILED_CONDITION:
        return True
    # A conflict does not show whether an earlier try took effect. A new write might count another view, so retry the
    # same write until its witness or its condition decides.
    return False if _FAILED_CONDITION in codes and (witness is None or codes[witness] == _NOT_TO_BLAME) else None


def _was_sent_once(error: ClientError) -> bool:
    """Return whether the SDK sent a cancelled write only once, so that no earlier response was lost."""
    return bool(error.response.get("ResponseMetadata", {}).get("RetryAttempts") == 0)
