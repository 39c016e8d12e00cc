"""Decide who may read or expire a push, and whether a view is its owner's. Pure."""

from datetime import datetime

from shared.domain import errors, manage_key, networks
from shared.domain.audit import AuditKind, Caller
from shared.domain.push import Push


def require_existing(push: Push | None, now: datetime) -> Push:
    """Return the push, unless it is missing or past its retention.

    Raises: NotFound.
    """
    if push is None or push.is_purged(now):
        raise errors.NotFound
    return push


def view_kind(push: Push, caller: Caller) -> AuditKind:
    """Return the kind of audit entry for a view: `owner_view` if the caller owns the push."""
    return AuditKind.OWNER_VIEW if push.is_owned_by(caller) else AuditKind.VIEW


def is_elsewhere(push: Push, ip: str) -> bool:
    """Return whether the push can be opened only from networks that this IP address is not in."""
    return push.networks is not None and not networks.include(push.networks, ip)


def check_manage_key(push: Push, key: str) -> None:
    """Check that this is the manage key of the push.

    Raises: NotFound.
    """
    if not manage_key.opens(key, push):
        raise errors.NotFound


def check_may_expire(push: Push, caller: Caller, key: str | None = None) -> None:
    """Check that the caller may expire the push: the owner always, others only with `deletable_by_viewer`.

    A manage key alone decides: with a wrong one nothing ends, even where viewers may expire the push.

    Raises: NotFound, for a wrong manage key; Unauthenticated, for an anonymous caller; Forbidden, for another owner.
    """
    if key is not None:
        check_manage_key(push, key)
        return
    if push.deletable_by_viewer or push.is_owned_by(caller):
        return
    refusal = errors.Unauthenticated if caller.owner is None else errors.Forbidden
    raise refusal(errors.ONLY_ITS_SENDER)
