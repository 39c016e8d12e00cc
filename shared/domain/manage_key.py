"""The manage key in an anonymous sender's own link (contract, section 14). Pure, except for `new_key`.

Its holder may see the state of the push and delete it. The push keeps a digest of it, which is enough to check it:
that needs no instance key.
"""

import base64
import hashlib
import hmac
import secrets

from shared.domain.push import Push

_KEY_BYTES = 16
_DIGEST_BYTES = 16
_PURPOSE = b"secret-sharing manage v1"


def new_key() -> str:
    """Return a new random manage key: 128 bits, as 26 characters of a-z and 2-7."""
    return _encode(secrets.token_bytes(_KEY_BYTES))


def derive_key(url_token: str, material: bytes) -> str:
    """Return the manage key of a create with an idempotency key: the same for each repeat.

    `material` is the instance key that the url_token was derived from, so a rotation does not change the manage key.
    """
    from shared.domain import cipher  # imported here: checking a key needs no OpenSSL

    return _encode(hmac.digest(cipher.derive(material, _PURPOSE), url_token.encode(), "sha256")[:_KEY_BYTES])


def digest(key: str) -> bytes:
    """Return the digest that a push keeps, the first 16 bytes of the SHA-256."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]


def opens(key: str, push: Push) -> bool:
    """Return whether this is the manage key of the push, in constant time; an owner's push has none."""
    return push.manage_digest is not None and hmac.compare_digest(digest(key), push.manage_digest)


def _encode(raw: bytes) -> str:
    return base64.b32encode(raw).decode().rstrip("=").lower()
