"""Who may do what to a push: checks that raise a refusal. Pure."""

from datetime import datetime

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.push import Push


def require_existing(push: Push | None, now: datetime) -> Push:
    """The push that the store found, if its record is not past its retention.

    Raises: NotFound.
    """
    if push is None or push.is_purged(now):
        raise errors.NotFound
    return push


def check_may_expire(push: Push, caller: Caller) -> None:
    """Check that the caller may expire the push: its owner, and anybody where the sender allowed that.

    Raises: Unauthenticated, when they are anonymous; Forbidden.
    """
    if push.deletable_by_viewer or push.is_owned_by(caller):
        return
    refusal = errors.Unauthenticated if caller.owner is None else errors.Forbidden
    raise refusal(errors.ONLY_ITS_SENDER)
