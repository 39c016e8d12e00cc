"""Check whether a caller may read or expire a push. Pure."""

from datetime import datetime

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.push import Push


def require_existing(push: Push | None, now: datetime) -> Push:
    """Return the push, unless it is missing or past its retention.

    Raises: NotFound.
    """
    if push is None or push.is_purged(now):
        raise errors.NotFound
    return push


def check_may_expire(push: Push, caller: Caller) -> None:
    """Check that the caller may expire the push: the owner always, others only with `deletable_by_viewer`.

    Raises: Unauthenticated, for an anonymous caller; Forbidden.
    """
    if push.deletable_by_viewer or push.is_owned_by(caller):
        return
    refusal = errors.Unauthenticated if caller.owner is None else errors.Forbidden
    raise refusal(errors.ONLY_ITS_SENDER)
