"""Key derivation (HKDF) and authenticated encryption (AES-GCM), from `cryptography`. Pure, except for random nonces."""

import secrets
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
NONCE_BYTES = 12  # NIST SP 800-38D, section 8.2.2: the random nonce of AES-GCM


class CannotOpen(Exception):
    """Decryption failed: wrong passphrase, wrong idempotency key, or modified ciphertext."""


def join_parts(parts: Sequence[bytes]) -> bytes:
    """Join the parts, each prefixed with its length, so that different lists never give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def derive(material: bytes, info: bytes) -> bytes:
    """Return a key of 32 bytes, by HKDF-SHA256 (RFC 5869). No salt: the material already has full entropy."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(material)


def encrypt(key: bytes, plain: bytes, context: str) -> bytes:
    """Return the nonce and the ciphertext; `decrypt` needs the same key and context."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, context.encode())


def decrypt(key: bytes, sealed: bytes, context: str) -> bytes:
    """Return the plaintext.

    Raises: CannotOpen.
    """
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context.encode())
    except InvalidTag as error:
        raise CannotOpen from error
