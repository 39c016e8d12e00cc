"""The primitives that seal: key derivation (HKDF) and authenticated encryption (AES-GCM), by `cryptography`. Pure."""

import secrets
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
NONCE_BYTES = 12  # NIST SP 800-38D, section 8.2.2: the random nonce of AES-GCM


class CannotOpen(Exception):
    """The ciphertext does not open: a wrong passphrase or idempotency key, or not what was sealed."""


def join_parts(parts: Sequence[bytes]) -> bytes:
    """Parts as one text; lengths first, so that no two lists of parts give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def derive(material: bytes, info: bytes) -> bytes:
    """A key of 32 bytes by HKDF-SHA256 (RFC 5869); the material has full entropy already, so there is no salt."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(material)


def encrypt(key: bytes, plain: bytes, context: str) -> bytes:
    """Ciphertext that opens under this key and in this context only."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, context.encode())


def decrypt(key: bytes, sealed: bytes, context: str) -> bytes:
    """What was encrypted.

    Raises: CannotOpen.
    """
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context.encode())
    except InvalidTag as error:
        raise CannotOpen from error
