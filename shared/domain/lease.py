"""Leases: what lets the answer to a view be given again, to whoever brings the same idempotency key. Pure.

A lease keeps the push key once more, wrapped under a key that takes everything that its caller brought: url_token,
passphrase and idempotency key, of which the tables hold none. So it opens for them alone, also when the last view has
destroyed the plain wrapping, and for nobody once the secret and its salt are destroyed.
"""

from datetime import datetime
from typing import NamedTuple

from shared.domain import cipher, seal
from shared.domain.push import Push

PREFIX = "lease "  # of each id, with which no id of a push begins


class Lease(NamedTuple):
    """A view that was claimed with an idempotency key, and what its answer said.

    `id` is a digest of url_token and key. `claimed_at` is the moment of the claim, `until` the end of the lease.
    `views` counts the views with this one, `push_expires_at` is when the push would have expired without its last view.
    `repeats` counts how often the answer of a protected push was asked for again: MAX_REPEATS times at most.
    """

    id: str
    wrapped_key: bytes
    claimed_at: datetime
    until: datetime
    views: int
    push_expires_at: datetime
    repeats: int = 0

    def is_over(self, now: datetime) -> bool:
        """Whether the answer is not given again any more, by the clock alone."""
        return self.until <= now

    def restore_push(self, push: Push) -> Push:
        """The push as the answer to this view has shown it, whatever became of it since."""
        return push._replace(views=self.views, updated_at=self.claimed_at, expires_at=self.push_expires_at)


def lease_id(url_token: str, key: str) -> str:
    """Where the lease of a view is kept: found only with the url_token and the idempotency key."""
    return PREFIX + seal.digest(f"lease {url_token} {key}")


def wrap(keys: seal.Keys, salt: bytes, url_token: str, key: str) -> bytes:
    """The push key, wrapped for whoever brings the same url_token, passphrase and idempotency key."""
    return cipher.encrypt(_lease_key(keys.wrapping_key, salt, key), keys.push_key, _context(url_token))


def unwrap(lease: Lease, wrapping_key: bytes, salt: bytes, url_token: str, key: str) -> bytes:
    """The push key, 32 bytes; `wrapping_key` is the one that the push key was first wrapped under (seal.py).

    Raises: CannotOpen.
    """
    return cipher.decrypt(_lease_key(wrapping_key, salt, key), lease.wrapped_key, _context(url_token))


def _lease_key(wrapping_key: bytes, salt: bytes, key: str) -> bytes:
    return cipher.derive(cipher.join_parts([wrapping_key, salt, key.encode()]), b"secret-sharing lease v1")


def _context(url_token: str) -> str:
    return f"{seal.digest(url_token)}/lease"
