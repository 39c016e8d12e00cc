"""Leases: during a lease, a request with the same idempotency key gets the same response. Pure.

A lease stores the push key again, wrapped under a key derived from the url_token, the passphrase and the idempotency
key. The tables store none of these, so only the same client can unwrap it, even after the last view. Destroying the
secret and its salt invalidates all leases.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from shared.domain import cipher, digests, seal
from shared.domain.limits import DOWNLOAD_LIFETIME
from shared.domain.push import Push

PREFIX = "lease "  # of each lease's id; no id of a push starts with it


class Lease(NamedTuple):
    """A view claimed with an idempotency key, and the data to repeat its response.

    `id` is a digest of the url_token and the idempotency key. `wrapped_key` is the push key, encrypted for this lease.
    `claimed_at` is the time of the claim, `until` the end of the lease. `views` is the number of views, including this
    one. `push_expires_at` is the push's expiry before this view. `repeats` counts the repeats with a
    passphrase, at most MAX_REPEATS.
    """

    id: str
    wrapped_key: bytes
    claimed_at: datetime
    until: datetime
    views: int
    push_expires_at: datetime
    repeats: int = 0

    def is_over(self, now: datetime) -> bool:
        """Return whether the lease has ended, by the clock alone."""
        return self.until <= now

    def restore_push(self, push: Push) -> Push:
        """Return the push as in the response to this view, without later changes."""
        return push._replace(views=self.views, updated_at=self.claimed_at, expires_at=self.push_expires_at)


def lifetime(setting: timedelta, *, has_files: bool) -> timedelta:
    """Return how long a lease lives: as `LeaseSeconds` says, but with files as long as the links to them."""
    return DOWNLOAD_LIFETIME if has_files else setting


def lease_id(url_token: str, key: str) -> str:
    """Return the id of a lease; `key` is the idempotency key. Nobody can compute the id without both."""
    return PREFIX + digests.digest(f"lease {url_token} {key}")


def wrap(keys: seal.Keys, salt: bytes, url_token: str, key: str) -> bytes:
    """Return the push key, encrypted for a lease.

    `salt` is the secret's `lease_salt`, `key` the idempotency key. `keys.wrapping_key` depends on the passphrase.
    """
    return cipher.encrypt(_lease_key(keys.wrapping_key, salt, key), keys.push_key, _context(url_token))


def unwrap(lease: Lease, wrapping_key: bytes, salt: bytes, url_token: str, key: str) -> bytes:
    """Return the push key, 32 bytes. `wrapping_key` comes from `seal.wrapping_key`, `key` is the idempotency key.

    Raises: CannotOpen.
    """
    return cipher.decrypt(_lease_key(wrapping_key, salt, key), lease.wrapped_key, _context(url_token))


def _lease_key(wrapping_key: bytes, salt: bytes, key: str) -> bytes:
    return cipher.derive(cipher.join_parts([wrapping_key, salt, key.encode()]), b"secret-sharing lease v1")


def _context(url_token: str) -> str:
    return f"{digests.digest(url_token)}/lease"
