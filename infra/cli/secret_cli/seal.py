"""End-to-end encryption: texts as compact JWE, files in chunks (docs/contract.md, "Sealed by the sender")."""

import base64
import binascii
import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CHUNK = 65_536  # bytes of plaintext
_SALT = 16
_TAG = 16
_KEY_ID = 4  # bytes of the digest
_FRAGMENT = re.compile(r"k=([A-Za-z0-9_-]{43})")


class Unopenable(Exception):
    """The ciphertext was not made with this key, or was changed or cut."""


@dataclass(frozen=True)
class Key:
    """A 256-bit key that only the link's fragment carries."""

    raw: bytes = field(repr=False)

    @classmethod
    def new(cls) -> "Key":
        """Return a random key."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def from_fragment(cls, fragment: str) -> "Key | None":
        """Return the key in a link's fragment, or None; characters that a mail program appended do not matter."""
        found = _FRAGMENT.match(fragment)
        return cls(_decoded(found[1])) if found else None

    @property
    def fragment(self) -> str:
        """The fragment for the link, without `#`."""
        return f"k={_encoded(self.raw)}"

    @property
    def id(self) -> str:
        """The key's public id: it tells whether a key fits, and reveals nothing that helps to find it."""
        return _encoded(hashlib.sha256(self.raw).digest()[:_KEY_ID])


def seal_text(key: Key, text: str) -> str:
    """Return a text as a compact JWE."""
    return _sealed(key, text.encode(), {})


def seal_list(key: Key, text: str, files: list[dict[str, Any]]) -> str:
    """Return a text and the names, types and sizes of its files as a compact JWE."""
    return _sealed(key, json.dumps({"text": text, "files": files}, ensure_ascii=False).encode(), {"cty": "json"})


def open_payload(key: Key, jwe: str) -> tuple[str, list[str]]:
    """Return the text in a compact JWE and the names of its files.

    Raises: Unopenable, if the key does not fit or the JWE is not one of this service.
    """
    try:
        protected, encrypted_key, nonce, ciphertext, tag = jwe.split(".")
        header = json.loads(_decoded(protected))
        if encrypted_key or (header["alg"], header["enc"], header["kid"]) != ("dir", "A256GCM", key.id):
            raise Unopenable
        plain = AESGCM(key.raw).decrypt(_decoded(nonce), _decoded(ciphertext) + _decoded(tag), protected.encode())
        if header.get("cty") != "json":
            return plain.decode(), []
        document = json.loads(plain)
        return str(document["text"]), [str(file["name"]) for file in document["files"]]
    except (ValueError, LookupError, TypeError, InvalidTag) as error:
        raise Unopenable from error


def sealed_size(size: int) -> int:
    """Return how many bytes a file of `size` bytes has when it is sealed."""
    return _SALT + size + _TAG * max(1, -(-size // CHUNK))


def seal_file(key: Key, number: int, content: BinaryIO) -> Iterator[bytes]:
    """Yield a sealed file piece by piece. Each call uses a new salt, so that a changed file repeats no nonce."""
    salt = secrets.token_bytes(_SALT)
    cipher = AESGCM(_file_key(key, number, salt))
    yield salt
    counter, chunk = 0, content.read(CHUNK)
    while True:
        following = content.read(CHUNK)
        yield cipher.encrypt(_nonce(counter, is_last=not following), chunk, None)
        if not following:
            return
        counter, chunk = counter + 1, following


def open_file(key: Key, number: int, sealed: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a file's plaintext piece by piece. It is whole only if the iterator ends without an error.

    Raises: Unopenable, as soon as a chunk was changed, moved or left out.
    """
    pieces = _pieces(sealed)
    salt = next(pieces)
    cipher = AESGCM(_file_key(key, number, salt))
    chunk = next(pieces, b"")
    for counter in range(2**63):
        following = next(pieces, b"")
        try:
            yield cipher.decrypt(_nonce(counter, is_last=not following), chunk, None)
        except (InvalidTag, ValueError) as error:
            raise Unopenable from error
        if not following:
            return
        chunk = following


def _pieces(sealed: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the salt, then sealed chunks, from bytes in pieces of any size."""
    buffer, wanted = bytearray(), _SALT
    for part in sealed:
        buffer += part
        while len(buffer) >= wanted:
            yield bytes(buffer[:wanted])
            del buffer[:wanted]
            wanted = CHUNK + _TAG
    if buffer or wanted == _SALT:
        yield bytes(buffer)


def _file_key(key: Key, number: int, salt: bytes) -> bytes:
    return HKDF(SHA256(), 32, salt, f"sealed file v1 {number}".encode()).derive(key.raw)


def _nonce(counter: int, *, is_last: bool) -> bytes:
    return counter.to_bytes(11) + bytes([is_last])


def _sealed(key: Key, plain: bytes, more: dict[str, str]) -> str:
    header = {"alg": "dir", "enc": "A256GCM", "kid": key.id} | more
    protected = _encoded(json.dumps(header, separators=(",", ":")).encode())
    nonce = secrets.token_bytes(12)
    sealed = AESGCM(key.raw).encrypt(nonce, plain, protected.encode())
    return ".".join([protected, "", _encoded(nonce), _encoded(sealed[:-_TAG]), _encoded(sealed[-_TAG:])])


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError from error
