"""A double of DynamoDB's item locks: concurrent transactions on one item cancel each other, as in no emulator.

"Transaction conflict handling in DynamoDB" (Amazon DynamoDB Developer Guide): a TransactWriteItems that conflicts with
another one is cancelled with TransactionConflict; a PutItem, UpdateItem or DeleteItem that conflicts is rejected with
TransactionConflictException. Plain reads are not. The SDK retries none of these.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from tests.doubles.virtual_time import VirtualTime
from tests.meters import wire_tap

_PLAIN_WRITES = ("PutItem", "UpdateItem", "DeleteItem")
_HASH_KEYS = ("id", "push_id", "digest")
SENT_ONCE = {"ResponseMetadata": {"RetryAttempts": 0}}  # botocore's metadata for a call sent once
Item = tuple[str, str]


@contextmanager
def locking(clock: VirtualTime, *, hold: float, round_trip: float = 0.003) -> Iterator[dict[str, int]]:
    """Each transaction locks its items for `hold` seconds, each call takes `round_trip`; count both outcomes."""
    held: set[Item] = set()
    counted = {"done": 0, "cancelled": 0}

    def answer(client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        clock.sleep(round_trip)
        if operation in _PLAIN_WRITES and _item(parameters) in held:
            raise client.exceptions.from_code("TransactionConflictException")(
                {"Error": {"Code": "TransactionConflictException"}}, operation
            )
        if operation != "TransactWriteItems":
            return call()
        items = [_item(action) for one in parameters["TransactItems"] for action in one.values()]
        if held & set(items):
            counted["cancelled"] += 1
            reasons = [{"Code": "TransactionConflict" if item in held else "None"} for item in items]
            error: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
            raise ClientError(error | SENT_ONCE, operation)
        held.update(items)
        try:
            clock.sleep(hold)
            counted["done"] += 1
            return call()
        finally:
            held.difference_update(items)

    with wire_tap.around(answer):
        yield counted


def _item(action: dict[str, Any]) -> Item:
    keys = action.get("Key") or action["Item"]
    hash_key = next(name for name in _HASH_KEYS if name in keys)
    return action["TableName"], f"{keys[hash_key]} {keys.get('at')}"
