"""Keys and ciphertext. Pure, but for random keys, nonces and tokens.

A push has a random 256-bit push key that seals its payload. The push key is kept only wrapped, under a key derived
from the instance key, the url_token and, when there is one, the passphrase. The database holds neither the url_token
nor the passphrase, so the database and the instance key together open nothing that is protected by a passphrase.
"""

import hashlib
import json
import re
import secrets
import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from shared.domain.file import File
from shared.domain.push import Label

KEY_BYTES = 32
NONCE_BYTES = 12  # NIST SP 800-38D, section 8.2.2: the random nonce of AES-GCM
SALT_BYTES = 16

URL_TOKEN_ALPHABET = string.ascii_lowercase + string.digits
URL_TOKEN_LENGTH = 26  # 134 bits, and longer than any word that the paths reserve

# scrypt's (n, r, p). The first two are of OWASP's equally strong pairs (Password Storage Cheat Sheet, 2024): 16 MiB
# and 128 MiB of memory. The last is for tests, which would otherwise spend their time here.
PASSPHRASE_COSTS = {"standard": (2**14, 8, 5), "strong": (2**17, 8, 1), "cheapest": (2**4, 8, 1)}

_MAX_COMPOSED = 4_000  # characters: what a passphrase of 1,000 takes when each of its letters is spelled as several
_DIGEST = re.compile(r"[0-9a-f]{64}")


class CannotOpen(Exception):
    """The ciphertext does not open: a wrong passphrase, or not what was sealed."""


@dataclass(frozen=True)
class InstanceKey:
    """One version of the installation's own key."""

    version: str
    material: bytes = field(repr=False)


@dataclass(frozen=True)
class SealedSecret:
    """All that opens a push, except for what the recipient brings: url_token and passphrase.

    `payload` is None when the ciphertext is an object in S3, `files` when the push has none. `salt` and `cost`, a name
    of PASSPHRASE_COSTS, are None without a passphrase.
    """

    key_version: str
    wrapped_key: bytes
    payload: bytes | None
    files: bytes | None = None
    salt: bytes | None = None
    cost: str | None = None


def new_url_token() -> str:
    """A fresh url_token of 134 random bits."""
    return "".join(secrets.choice(URL_TOKEN_ALPHABET) for _ in range(URL_TOKEN_LENGTH))


def digest(token: str) -> str:
    """SHA-256 of a url_token or an API token, in hex: all that the tables ever hold of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_digest(text: str) -> bool:
    """Whether a text has the form of a digest. DynamoDB refuses keys that are blank or too long, so check before."""
    return len(text) == 2 * hashlib.sha256().digest_size and _DIGEST.fullmatch(text) is not None


def seal(
    payload: str,
    files: Sequence[File],
    url_token: str,
    passphrase: str | None,
    instance_key: InstanceKey,
    *,
    cost: str,
) -> SealedSecret:
    """Seal a payload and a list of files under a fresh push key, and wrap that key.

    `cost` is a name of PASSPHRASE_COSTS, used only with a passphrase.
    """
    push_id = digest(url_token)
    push_key = secrets.token_bytes(KEY_BYTES)
    salt = secrets.token_bytes(SALT_BYTES) if passphrase else None
    wrapping_key = _wrapping_key(instance_key, url_token, _normal(passphrase), salt, cost)
    return SealedSecret(
        key_version=instance_key.version,
        wrapped_key=_encrypt(wrapping_key, push_key, f"{push_id}/key"),
        payload=_encrypt(push_key, payload.encode(), f"{push_id}/payload"),
        files=_encrypt(push_key, _listed(files), f"{push_id}/files") if files else None,
        salt=salt,
        cost=cost if passphrase else None,
    )


def unwrap(sealed: SealedSecret, url_token: str, passphrase: str | None, instance_key: InstanceKey) -> bytes:
    """The push key, 32 bytes; it takes as long as the passphrase's scrypt (0.15 s at the cost `standard`).

    Raises: CannotOpen, when the passphrase is not the one that it was wrapped with.
    """
    context = f"{digest(url_token)}/key"
    normal = _normal(passphrase)
    wrapping_key = _wrapping_key(instance_key, url_token, normal, sealed.salt, sealed.cost)
    try:
        return _decrypt(wrapping_key, sealed.wrapped_key, context)
    except CannotOpen:
        if normal == passphrase:
            raise
    # Before 0.5.0 a passphrase was taken as it was typed.
    as_typed = _wrapping_key(instance_key, url_token, passphrase, sealed.salt, sealed.cost)
    return _decrypt(as_typed, sealed.wrapped_key, context)


def open_payload(push_key: bytes, ciphertext: bytes, url_token: str) -> str:
    """The payload exactly as it was pushed. Raises: CannotOpen."""
    return _decrypt(push_key, ciphertext, f"{digest(url_token)}/payload").decode()


def open_files(push_key: bytes, ciphertext: bytes, url_token: str) -> tuple[File, ...]:
    """The list of the files, in the order in which they were pushed. Raises: CannotOpen."""
    return tuple(File(*row) for row in json.loads(_decrypt(push_key, ciphertext, f"{digest(url_token)}/files")))


def seal_label(label: Label, instance_key: InstanceKey) -> bytes:
    """Seal a label under a key derived from the instance key, for the owner's lists."""
    plain = json.dumps([label.url_token, label.name, label.note], ensure_ascii=False).encode()
    push_id = digest(label.url_token)
    return _encrypt(_label_key(instance_key, push_id), plain, f"{push_id}/label")


def open_label(ciphertext: bytes, push_id: str, instance_key: InstanceKey) -> Label:
    """The label of the push with this id. Raises: CannotOpen."""
    return Label(*json.loads(_decrypt(_label_key(instance_key, push_id), ciphertext, f"{push_id}/label")))


def _listed(files: Sequence[File]) -> bytes:
    rows = [[file.filename, file.content_type, file.size] for file in files]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()  # compact: a write costs by its size


def _normal(passphrase: str | None) -> str | None:
    """A passphrase in the form in which it is the same from every keyboard (RFC 8265, section 4.2: NFC)."""
    # The time to compose a heap of combining marks grows with its square, and no push has so long a passphrase.
    if not passphrase or len(passphrase) > _MAX_COMPOSED:
        return passphrase
    return unicodedata.normalize("NFC", passphrase)


def _wrapping_key(
    instance_key: InstanceKey, url_token: str, passphrase: str | None, salt: bytes | None, cost: str | None
) -> bytes:
    parts = [instance_key.material, url_token.encode("utf-8", "surrogatepass")]
    if salt and cost:
        n, r, p = PASSPHRASE_COSTS[cost]
        # scrypt starts with an HMAC, which pads its key with NULs and hashes a long one: without the digest, "p" and
        # "p\0" would be one passphrase (RFC 2104, section 2).
        secret = hashlib.sha256((passphrase or "").encode("utf-8", "surrogatepass")).digest()
        parts.append(hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, maxmem=2**28, dklen=KEY_BYTES))
    # Lengths first, so that no two lists of parts give the same bytes.
    material = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return _derive(material, b"secret-sharing push key wrapping v1")


def _label_key(instance_key: InstanceKey, push_id: str) -> bytes:
    # One key a push: random nonces under a single key would be safe for 2**32 labels only.
    return _derive(instance_key.material, f"secret-sharing label v1 {push_id}".encode())


def _derive(material: bytes, info: bytes) -> bytes:
    """HKDF-SHA256 (RFC 5869); the material has full entropy already, so there is no salt."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(material)


def _encrypt(key: bytes, plain: bytes, context: str) -> bytes:
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, context.encode())


def _decrypt(key: bytes, sealed: bytes, context: str) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context.encode())
    except InvalidTag as error:
        raise CannotOpen from error
