"""Replay a handler's calls without the handler: the same bytes for another push."""

import uuid
from typing import Any

from tests.drivers.client import Json, handle
from tests.meters import wire_tap

Calls = list[tuple[str, dict[str, Any]]]


def calls(event: Json) -> Calls:
    """Let this process's handler answer an event; return its calls to DynamoDB and Secrets Manager."""
    with wire_tap.calls() as made:
        handle(event["routeKey"], event)
    return list(made)


def without_key(event: Json) -> Calls:
    """Return the calls of a handler that already has the instance key."""
    return [call for call in calls(event) if call[0] != "GetSecretValue"]


def of_another(made: Calls, push_id: str, other_id: str) -> Calls:
    """Return the same calls for another push: DynamoDB would reject a second push with the same id."""
    return [(operation, _renamed(parameters, push_id, other_id)) for operation, parameters in made]


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        # A transaction with the same token takes effect only once.
        fresh = {"ClientRequestToken": str(uuid.uuid4())} if "ClientRequestToken" in value else {}
        return {key: _renamed(one, old, new) for key, one in value.items()} | fresh
    if isinstance(value, list):
        return [_renamed(one, old, new) for one in value]
    return value.replace(old, new) if isinstance(value, str) else value
