"""Read pushes, secrets, leases and labels by key; `lists.py` reads lists."""

from collections.abc import Sequence
from typing import TypeVar

from shared.aws import dynamodb
from shared.aws.items import Values
from shared.aws.items import to_named_tuple as _domain
from shared.aws.tables import Labels, Leases, Pushes, Secrets
from shared.domain.lease import Lease
from shared.domain.push import Push
from shared.domain.seal import SealedSecret

_T = TypeVar("_T")


def load(push_id: str, lease_id: str | None = None) -> tuple[Push | None, SealedSecret | None, Lease | None]:
    """Return a push, its secret and a lease, each None if it is missing; strongly consistent, in one round trip.

    The reads are no snapshot: a claim in between may have destroyed the secret of a push read as active.
    """
    items = dynamodb.read({Pushes: [push_id], Secrets: [push_id], Leases: [lease_id] if lease_id else []})
    return _first(items[Pushes], Push), _first(items[Secrets], SealedSecret), _first(items[Leases], Lease)


def find_lease(lease_id: str) -> Lease | None:
    """Return the lease with this id, or None; strongly consistent."""
    return _first(dynamodb.read({Leases: [lease_id]})[Leases], Lease)


def find(push_id: str) -> Push | None:
    """Return the push with this id, or None; strongly consistent."""
    return next(iter(find_all([push_id])), None)


def find_all(push_ids: Sequence[str]) -> list[Push]:
    """Return up to 100 pushes, strongly consistent, in the order of `push_ids`, without missing ones."""
    items = {item["id"]: item for item in dynamodb.read({Pushes: push_ids})[Pushes]}
    return [_domain(items[push_id], Push) for push_id in push_ids if push_id in items]


def long_labels(push_ids: Sequence[str]) -> dict[str, bytes]:
    """Return long labels (sealed, stored as separate items) by push id; without ids, no round trip."""
    items = dynamodb.read({Labels: [Labels.PREFIX + push_id for push_id in push_ids]})[Labels]
    return {item["id"].removeprefix(Labels.PREFIX): item["label"] for item in items}


def _first(items: Sequence[Values], named: type[_T]) -> _T | None:
    return next((_domain(item, named) for item in items), None)
