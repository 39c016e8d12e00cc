"""The encrypted value of the cookie with which a browser repeats a view by GET, after the POST that claimed it.

It holds the idempotency key and the passphrase of the POST. So "Back" and a reload show the secret again during the
lease. No visitor has the encryption key, so a stolen cookie file contains no passphrase. The value works for one push.
It allows the same as the key and the passphrase: repeats of one view, until the lease ends.
"""

from collections.abc import Iterable
from typing import NamedTuple

from shared.aws import keys, reads
from shared.domain import base64url, cipher, digests
from shared.domain.safe_repr import hide_fields


@hide_fields("key", "passphrase")
class Repeat(NamedTuple):
    """The idempotency key and the passphrase of a claimed view."""

    key: str
    passphrase: str


def seal_repeat(url_token: str, repeat: Repeat, key_version: str) -> str:
    """Return the encrypted value; `key_version` is the version of the instance key that sealed the push."""
    plain = f"{repeat.key}\n{repeat.passphrase}".encode()
    sealed = cipher.encrypt(_key(key_version), plain, _context(url_token))
    return base64url.encode(sealed)


def open_repeat(url_token: str, sent: Iterable[str]) -> Repeat | None:
    """Return what `seal_repeat` encrypted for this push, ignoring other values; None if the push's secret is gone.

    Another host of the domain can set a cookie of this name, too: it must not hide ours, whose view is claimed already.
    """
    # The version comes from the push: one in the cookie would let strangers choose what we ask Secrets Manager for.
    _, sealed, _ = reads.load(digests.digest(url_token))
    if sealed is None:
        return None
    key, context = _key(sealed.key_version), _context(url_token)
    return next(filter(None, (_open(value, key, context) for value in sent)), None)


def _open(sent: str, key: bytes, context: str) -> Repeat | None:
    try:
        plain = cipher.decrypt(key, base64url.decode(sent) or b"", context).decode()
    except (cipher.CannotOpen, ValueError):  # ValueError for a value that is too short
        return None
    return Repeat(*plain.split("\n", 1))


def _key(version: str) -> bytes:
    return cipher.derive(keys.version(version).material, b"secret-sharing repeat v1")


def _context(url_token: str) -> str:
    return f"{digests.digest(url_token)}/repeat"
