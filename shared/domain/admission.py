"""The decision of a retrieve: what becomes of it, from what was read and what the caller brought. Pure.

`decide` may ask for something to be done first (`Spend`, `Open`), and is then asked again with what came of it.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from shared.domain.lease import Lease
from shared.domain.limits import MAX_REPEATS
from shared.domain.push import Push
from shared.domain.seal import SealedSecret

_SECOND = timedelta(seconds=1)


class Seen(NamedTuple):
    """What the tables hold: each is None when it is not there. The reads are no snapshot of one moment."""

    push: Push | None
    sealed: SealedSecret | None
    lease: Lease | None


class Attempt(NamedTuple):
    """What a caller brings, and what has been tried so far.

    `now` is the receipt of the request. With `once` its idempotency key claims no second view after its lease.
    `has_spent` says whether it has used up one of the repeats of its lease; `is_right`, whether the secret opened with
    the passphrase, None before it was tried.
    """

    now: datetime
    has_passphrase: bool
    once: bool = False
    has_spent: bool = False
    is_right: bool | None = None


class Unknown(NamedTuple):
    """There is no such push, or no more."""


class Unsettled(NamedTuple):
    """A write came between the reads: read again."""


class SeenBefore(NamedTuple):
    """The key has shown this push, its lease is over, and it may not claim another view."""

    push: Push


class Expired(NamedTuple):
    """The push is over; with `is_due`, something of its secret is left to destroy."""

    push: Push
    is_due: bool


class TooManyGuesses(NamedTuple):
    """No passphrase is tried for so many seconds; `is_repeat` where the lease has no repeats left."""

    push: Push
    retry_after: int
    is_repeat: bool


class Refused(NamedTuple):
    """The passphrase is missing or wrong; `is_repeat` beside a lease, also when the push itself is over."""

    push: Push
    is_repeat: bool


class Spend(NamedTuple):
    """Use up one repeat of the lease before the passphrase is tried."""

    push: Push
    lease: Lease


class Open(NamedTuple):
    """Open the secret, by the lease if there is one: only then is it known whether the passphrase is right."""

    push: Push
    sealed: SealedSecret
    lease: Lease | None


class Admitted(NamedTuple):
    """Claim a view of the push."""

    push: Push
    sealed: SealedSecret


class AnsweredAgain(NamedTuple):
    """Send the answer to the lease's view once more."""

    push: Push
    lease: Lease


Decision = (
    Unknown | Unsettled | SeenBefore | Expired | TooManyGuesses | Refused | Spend | Open | Admitted | AnsweredAgain
)


def decide(seen: Seen, attempt: Attempt) -> Decision:
    """The decision, in the contract's order: unknown, network, lease, state, guess limit, passphrase."""
    push, sealed, lease = seen
    if push is None or push.is_purged(attempt.now):
        return Unknown()
    # A refusal by network would belong here: after unknown, before any state.
    if lease and sealed and not push.is_deleted:
        if not lease.is_over(attempt.now):
            return _decide_repeat(push, sealed, lease, attempt)
        if attempt.once and not push.is_expired(attempt.now):
            return SeenBefore(push)
    return _decide_view(push, sealed, attempt)


def _decide_repeat(push: Push, sealed: SealedSecret, lease: Lease, attempt: Attempt) -> Decision:
    """The decision beside a living lease: its limit of guesses is its own, so that no stranger can use it up."""
    if push.is_protected and attempt.has_passphrase and not attempt.has_spent:
        if lease.repeats < MAX_REPEATS:
            return Spend(push, lease)
        return TooManyGuesses(push, -(-(lease.until - attempt.now) // _SECOND), is_repeat=True)
    return _decide_by_passphrase(push, sealed, lease, attempt)


def _decide_view(push: Push, sealed: SealedSecret | None, attempt: Attempt) -> Decision:
    if push.is_expired(attempt.now):
        # What a last view has left for its leases stays until they are over.
        return Expired(push, is_due=sealed is not None and not push.has_leases(attempt.now))
    if sealed is None or sealed.wrapped_key is None:  # The last view was claimed between the reads.
        return Unsettled()
    if wait := push.retry_after(attempt.now):
        return TooManyGuesses(push, wait, is_repeat=False)
    return _decide_by_passphrase(push, sealed, None, attempt)


def _decide_by_passphrase(push: Push, sealed: SealedSecret, lease: Lease | None, attempt: Attempt) -> Decision:
    if push.is_protected and not attempt.has_passphrase:
        return Refused(push, is_repeat=lease is not None)
    if attempt.is_right is None:
        return Open(push, sealed, lease)
    if not attempt.is_right:
        return Refused(push, is_repeat=lease is not None)
    return AnsweredAgain(push, lease) if lease else Admitted(push, sealed)
