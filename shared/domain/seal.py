"""Keys and encryption of a push. Pure, except for random keys and nonces.

A random 256-bit push key encrypts the payload. The push key is stored only wrapped, under a key derived from the
instance key, the url_token and the passphrase, if any. The database stores neither the url_token nor the passphrase. So
the database and the instance key together cannot open a push protected by a passphrase.
"""

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from shared.domain import cipher
from shared.domain.cipher import KEY_BYTES, CannotOpen
from shared.domain.digests import digest
from shared.domain.file import File
from shared.domain.push import Label
from shared.domain.safe_repr import hide_fields

SALT_BYTES = 16

# scrypt's (n, r, p). The first two are among OWASP's equally strong options (Password Storage Cheat Sheet, 2024): 16
# MiB and 128 MiB of memory. The last makes tests fast.
PASSPHRASE_COSTS = {"standard": (2**14, 8, 5), "strong": (2**17, 8, 1), "cheapest": (2**4, 8, 1)}

_MAX_COMPOSED = 4_000  # characters: 1,000 characters of a passphrase, each written as several


@hide_fields("material")
class InstanceKey(NamedTuple):
    """One version of the installation's key."""

    version: str
    material: bytes


class SealedSecret(NamedTuple):
    """The stored secret of a push: everything needed to open it, except for the url_token and the passphrase.

    `wrapped_key` is the push key, encrypted. It is None after the last view, if the secret is kept for leases
    (lease.py). `lease_salt` is an input to the key of each lease, so that no lease works after it is destroyed.

    `payload` and `files` are ciphertexts; `files` is the list of files. If the ciphertext is in S3, `payload` is None
    or `files` is empty. `files` is None if the push has no files.

    `salt` and `cost` are for scrypt, and None without a passphrase. `cost` names an entry of PASSPHRASE_COSTS.
    """

    key_version: str
    wrapped_key: bytes | None
    payload: bytes | None
    lease_salt: bytes
    files: bytes | None = None
    salt: bytes | None = None
    cost: str | None = None


def seal(
    payload: str,
    files: Sequence[File],
    url_token: str,
    passphrase: str | None,
    instance_key: InstanceKey,
    *,
    cost: str,
) -> SealedSecret:
    """Encrypt the payload and the list of files with a new push key; then encrypt (wrap) the push key itself.

    The second key is derived from the instance key, the url_token and the passphrase. `cost` is the name of an entry of
    PASSPHRASE_COSTS, the parameters of scrypt. It has no effect without a passphrase.
    """
    push_id = digest(url_token)
    push_key = secrets.token_bytes(KEY_BYTES)
    salt = secrets.token_bytes(SALT_BYTES) if passphrase else None
    key = _wrapping_key(instance_key, url_token, _normalize(passphrase), salt, cost)
    return SealedSecret(
        key_version=instance_key.version,
        wrapped_key=cipher.encrypt(key, push_key, f"{push_id}/key"),
        payload=cipher.encrypt(push_key, payload.encode(), f"{push_id}/payload"),
        files=cipher.encrypt(push_key, _encode_files(files), f"{push_id}/files") if files else None,
        salt=salt,
        cost=cost if passphrase else None,
        lease_salt=secrets.token_bytes(SALT_BYTES),
    )


@hide_fields("push_key", "wrapping_key")
class Keys(NamedTuple):
    """The push key, and the wrapping key, which the push key is encrypted with; 32 bytes each."""

    push_key: bytes
    wrapping_key: bytes


def unwrap(sealed: SealedSecret, url_token: str, passphrase: str | None, instance_key: InstanceKey) -> Keys:
    """Return the keys of a push. With a passphrase, this runs scrypt.

    Raises: CannotOpen, if the url_token or the passphrase is wrong, or the last view was claimed.
    """
    if sealed.wrapped_key is None:
        raise CannotOpen
    key = wrapping_key(sealed, url_token, passphrase, instance_key)
    return Keys(cipher.decrypt(key, sealed.wrapped_key, f"{digest(url_token)}/key"), key)


def wrapping_key(sealed: SealedSecret, url_token: str, passphrase: str | None, instance_key: InstanceKey) -> bytes:
    """Return the key that the push key is encrypted with. With a passphrase, this runs scrypt: 0.15 s at `standard`."""
    return _wrapping_key(instance_key, url_token, _normalize(passphrase), sealed.salt, sealed.cost)


def open_payload(push_key: bytes, ciphertext: bytes, url_token: str) -> str:
    """Return the payload, unchanged. Raises: CannotOpen."""
    return cipher.decrypt(push_key, ciphertext, f"{digest(url_token)}/payload").decode()


def open_files(push_key: bytes, ciphertext: bytes, url_token: str) -> tuple[File, ...]:
    """Return the list of files, in their original order. Raises: CannotOpen."""
    return tuple(File(*row) for row in json.loads(cipher.decrypt(push_key, ciphertext, f"{digest(url_token)}/files")))


def seal_label(label: Label, instance_key: InstanceKey) -> bytes:
    """Seal a label for the owner's lists, under a key derived from the instance key."""
    plain = json.dumps([label.url_token, label.name, label.note, *label.filenames], ensure_ascii=False).encode()
    push_id = digest(label.url_token)
    return cipher.encrypt(_label_key(instance_key, push_id), plain, f"{push_id}/label")


def open_label(ciphertext: bytes, push_id: str, instance_key: InstanceKey) -> Label:
    """Return the label of the push with this id. Raises: CannotOpen."""
    url_token, name, note, *filenames = json.loads(
        cipher.decrypt(_label_key(instance_key, push_id), ciphertext, f"{push_id}/label")
    )
    return Label(url_token, name, note, tuple(filenames))


def _encode_files(files: Sequence[File]) -> bytes:
    rows = [[file.filename, file.content_type, file.size] for file in files]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()  # compact: writes are priced by size


def _normalize(passphrase: str | None) -> str | None:
    """Return the passphrase in Unicode's NFC, so that every keyboard gives the same (RFC 8265, section 4.2)."""
    # Skip long texts: many combining marks take quadratic time, and no push has such a passphrase.
    if not passphrase or len(passphrase) > _MAX_COMPOSED:
        return passphrase
    return unicodedata.normalize("NFC", passphrase)


def _wrapping_key(
    instance_key: InstanceKey, url_token: str, passphrase: str | None, salt: bytes | None, cost: str | None
) -> bytes:
    parts = [instance_key.material, url_token.encode("utf-8", "surrogatepass")]
    if salt and cost:
        n, r, p = PASSPHRASE_COSTS[cost]
        # scrypt starts with an HMAC, which pads its key with NULs and hashes a long one. Without the digest, "p" and
        # "p\0" would be the same passphrase (RFC 2104, section 2).
        secret = hashlib.sha256((passphrase or "").encode("utf-8", "surrogatepass")).digest()
        parts.append(hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, maxmem=2**28, dklen=KEY_BYTES))
    return cipher.derive(cipher.join_parts(parts), b"secret-sharing push key wrapping v1")


def _label_key(instance_key: InstanceKey, push_id: str) -> bytes:
    # One key per push: with random nonces, a single key would be safe for 2**32 labels only.
    return cipher.derive(instance_key.material, f"secret-sharing label v1 {push_id}".encode())
