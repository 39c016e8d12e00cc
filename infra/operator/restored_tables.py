"""End the items of restored tables, or copy the missing ones into the stack's tables: the work of after_restore.py.

`shared` is imported in functions: it reads the names of the tables once, and `_use_tables` sets them first.
"""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from infra.build import template
from infra.operator import accounts, end_push

VARIABLES = {
    "Pushes": "PUSHES_TABLE",
    "AuditEntries": "AUDIT_ENTRIES_TABLE",
    "ApiTokens": "API_TOKENS_TABLE",
    "Asks": "ASKS_TABLE",
}
ENDED = ("Pushes", "ApiTokens", "Asks")
COPIED = ("AuditEntries", "Pushes", "Asks")  # in this order: a record without its log would be worse than the reverse
_BATCH = 100  # keys in one DynamoDB batch


def end(restored: dict[str, str], *, now: datetime) -> dict[str, int]:
    """End all live items of these tables, names by logical id; return counts. Idempotent."""
    _use_tables(restored)
    counted = {}
    if "Pushes" in restored:
        counted["pushes ended"] = sum(_end_push(push_id, now) for push_id in _live_push_ids(now))
    if "ApiTokens" in restored:
        counted["API tokens and sessions ended"] = _end_credentials(now)
    if "Asks" in restored:
        counted["asks ended"] = _end_asks(now)
    return counted


def copy(restored: dict[str, str], live: dict[str, str], *, now: datetime) -> dict[str, int]:
    """Copy missing items of the restored tables into the live ones, both by logical id; return counts. Idempotent."""
    # Only items that the live table lacks are ended; it knows the others better than the restored table.
    _use_tables({name: restored.get(name, live[name]) for name in ("Pushes", "Asks")})
    counted = {}
    for name in COPIED:
        if name in restored:
            lacking = _missing_keys(name, restored[name], live[name], now)
            done = [_put(name, restored[name], live[name], key, now) for key in lacking]
            counted[f"items of {name} copied"] = sum(done)
    return counted


def _use_tables(tables: dict[str, str]) -> None:
    """Configure `shared` to use these tables, names by logical id.

    `shared` reads the names once. If it had read them before, the live items of the stack's own tables would end.
    """
    from shared.runtime import settings

    variables = {VARIABLES[name]: table for name, table in tables.items()}
    os.environ.update(variables)
    taken = settings.current()._asdict()
    if any(taken[variable.lower()] != table for variable, table in variables.items()):
        raise RuntimeError("The names of the tables were read before they were set. Nothing was done.")


def _live_push_ids(now: datetime) -> Iterator[str]:
    from shared.aws.tables import Pushes

    found = Pushes.scan(Pushes.expires_at > now, consistent_read=True)
    return (item.id for item in found)


def _end_push(push_id: str, now: datetime) -> bool:
    from shared.domain import digests

    # A label with its own record is in the same table.
    return digests.is_digest(push_id) and end_push.end_push(push_id, "after_restore", now)


def _end_credentials(now: datetime) -> int:
    """End credentials through their owners' records first, which are enough by themselves; then delete them."""
    from shared.aws import tokens
    from shared.aws.tables import ApiTokens
    from shared.domain import owners

    credentials = [(item.owner, item.digest) for item in ApiTokens.scan(ApiTokens.owner.exists(), consistent_read=True)]
    for owner in {owner for owner, _ in credentials}:
        tokens.end_credentials(owners.locator(owner), before=now)
    for _, digest in credentials:
        tokens.remove(digest)
    return len(credentials)


def _end_asks(now: datetime) -> int:
    from shared.aws.tables import Asks

    ask_ids = [item.id for item in Asks.scan(Asks.expires_at > now, consistent_read=True)]
    return sum(_end_ask(ask_id, now) for ask_id in ask_ids)


def _end_ask(ask_id: str, now: datetime) -> bool:
    from shared.aws import asks

    found = asks.find(ask_id)
    return found is not None and asks.end(found, now)


def _missing_keys(name: str, restored: str, live: str, now: datetime) -> Iterator[dict[str, Any]]:
    """Return the keys of items that only the restored table has and whose retention has not ended."""
    dynamodb = _client()
    names = [key["AttributeName"] for key in template.resources("AWS::DynamoDB::Table")[name]["KeySchema"]]
    for page in dynamodb.get_paginator("scan").paginate(TableName=restored, ConsistentRead=True):
        kept = [item for item in page["Items"] if int(item["purge_at"]["N"]) > now.timestamp()]
        keys = [{key: item[key] for key in names} for item in kept]
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            there = _existing_items(dynamodb, live, batch, names)
            yield from (key for key in batch if key not in there)


def _existing_items(dynamodb: Any, table: str, keys: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any]]:
    aliases = {f"#{name}": name for name in names}
    projection = {"ProjectionExpression": ", ".join(aliases), "ExpressionAttributeNames": aliases}
    asked: dict[str, Any] = {table: {"Keys": keys, "ConsistentRead": True, **projection}}
    found: list[dict[str, Any]] = []
    while asked:
        answer = dynamodb.batch_get_item(RequestItems=asked)
        found += answer["Responses"].get(table, [])
        asked = answer.get("UnprocessedKeys") or {}
    return found


def _put(name: str, restored: str, live: str, key: dict[str, Any], now: datetime) -> bool:
    """Copy one item. A push or ask ends first, so that the live table never has it alive."""
    dynamodb = _client()
    if end_item := {"Pushes": _end_push, "Asks": _end_ask}.get(name):
        end_item(key["id"]["S"], now)
    item = dynamodb.get_item(TableName=restored, Key=key, ConsistentRead=True)["Item"]
    if name == "Asks" and not _has_owner(item["owner"]["S"]):
        return False
    first = next(iter(key))
    condition = {"ConditionExpression": "attribute_not_exists(#key)", "ExpressionAttributeNames": {"#key": first}}
    try:
        dynamodb.put_item(TableName=live, Item=item, **condition)
    except dynamodb.exceptions.ConditionalCheckFailedException:  # created since, with the same idempotency key
        return False
    return True


def _has_owner(owner: str) -> bool:
    """Return whether the ask's owner still exists; asks of a deleted account must stay deleted."""
    from shared.domain import owners

    sub = owners.account_sub(owner)
    return sub is None or bool(accounts.find(sub))


def _client() -> Any:
    from shared.aws import clients

    return clients.client("dynamodb")
