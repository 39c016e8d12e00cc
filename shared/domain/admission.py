"""Decide the response to a retrieve from the stored state and the request. Pure.

`decide` may return a step to do first (`Spend`, `Open`). The caller does it, records the result in `Attempt` and calls
`decide` again.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from shared.domain import access
from shared.domain.lease import Lease
from shared.domain.limits import GUESS_WINDOW, MAX_GUESSES, MAX_REPEATS
from shared.domain.push import Push
from shared.domain.seal import SealedSecret

_SECOND = timedelta(seconds=1)


class Seen(NamedTuple):
    """The stored state; a missing item is None. The items come from separate reads, so they may be inconsistent."""

    push: Push | None
    sealed: SealedSecret | None
    lease: Lease | None


class Attempt(NamedTuple):
    """The request, and the steps done so far.

    `now` is the time of receipt, `ip` the caller's IP address. `once` forbids a second view with the same idempotency
    key after its lease has ended, `repeats_only` any view that has no living lease. `has_spent` is true after this
    request was counted as one of the lease's repeats. `is_right` says whether the passphrase opened the secret; None
    before it was tried.
    """

    now: datetime
    has_passphrase: bool
    ip: str = ""
    once: bool = False
    repeats_only: bool = False
    has_spent: bool = False
    is_right: bool | None = None


class Unknown(NamedTuple):
    """The push does not exist, or is past its retention."""


class Elsewhere(NamedTuple):
    """The push can be opened only from networks that the caller is not in. Nothing else about it is decided."""

    push: Push


class Unsettled(NamedTuple):
    """A write happened between the reads: read again."""


class SeenBefore(NamedTuple):
    """`once` or `repeats_only` forbids another view: the lease of this idempotency key has ended, or is gone."""

    push: Push


class Expired(NamedTuple):
    """The push has expired; `is_due` is true if its secret is still stored and must be destroyed now."""

    push: Push
    is_due: bool


class TooManyGuesses(NamedTuple):
    """No passphrase is tried for `retry_after` seconds.

    `is_repeat` is true if the lease has no repeats left, false if the push had too many wrong passphrases.
    """

    push: Push
    retry_after: int
    is_repeat: bool


class Refused(NamedTuple):
    """The passphrase is missing or wrong.

    `is_repeat` is true if the request repeats a view whose lease is active; the push may have expired since.
    """

    push: Push
    is_repeat: bool


class Spend(NamedTuple):
    """Count one more repeated request for this lease, before its passphrase is tried: the lease allows ten."""

    push: Push
    lease: Lease


class Open(NamedTuple):
    """Open the secret, with the lease's copy of the key if there is one: this shows whether the passphrase is right."""

    push: Push
    sealed: SealedSecret
    lease: Lease | None


class Admitted(NamedTuple):
    """Claim a view of the push."""

    push: Push
    sealed: SealedSecret


class AnsweredAgain(NamedTuple):
    """Send the response to the view that has this lease once more."""

    push: Push
    lease: Lease


Decision = (
    Unknown
    | Elsewhere
    | Unsettled
    | SeenBefore
    | Expired
    | TooManyGuesses
    | Refused
    | Spend
    | Open
    | Admitted
    | AnsweredAgain
)


def decide(seen: Seen, attempt: Attempt) -> Decision:
    """Return the decision. Checks in the contract's order: existence, network, lease, expiry, guesses, passphrase."""
    push, sealed, lease = seen
    if push is None or push.is_purged(attempt.now):
        return Unknown()
    if access.is_elsewhere(push, attempt.ip):
        return Elsewhere(push)
    if lease and sealed and not push.is_deleted:
        if not lease.is_over(attempt.now):
            return _decide_repeat(push, sealed, lease, attempt)
        if attempt.once and not push.is_expired(attempt.now):
            return SeenBefore(push)
    if attempt.repeats_only:
        return SeenBefore(push)
    return _decide_view(push, sealed, attempt)


def seconds_to_next_guess(push: Push, now: datetime) -> int:
    """Return the seconds until a passphrase may be tried again; 0 unless the last minute had five wrong ones."""
    if len(push.guesses) < MAX_GUESSES:
        return 0
    wait = push.guesses[-MAX_GUESSES] + GUESS_WINDOW - now
    return max(0, -(-wait // _SECOND))


def _decide_repeat(push: Push, sealed: SealedSecret, lease: Lease, attempt: Attempt) -> Decision:
    """Decide while a lease is active. Each lease has a guess limit of its own, which other callers cannot use up."""
    if push.is_protected and attempt.has_passphrase and not attempt.has_spent:
        if lease.repeats < MAX_REPEATS:
            return Spend(push, lease)
        return TooManyGuesses(push, -(-(lease.until - attempt.now) // _SECOND), is_repeat=True)
    return _decide_by_passphrase(push, sealed, lease, attempt)


def _decide_view(push: Push, sealed: SealedSecret | None, attempt: Attempt) -> Decision:
    if push.is_expired(attempt.now):
        # After the last view, the ciphertext is kept until the last lease has ended.
        return Expired(push, is_due=sealed is not None and not push.has_leases(attempt.now))
    if sealed is None or sealed.wrapped_key is None:  # the last view was claimed between the reads
        return Unsettled()
    if wait := seconds_to_next_guess(push, attempt.now):
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
