"""Decrypt everything possible with the tables, the bucket, the instance key and a caller's secrets."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from infra.build import template
from shared.aws import keys, reads
from shared.domain import cipher, digests, lease, seal
from tests.engines import resources

_SEALED = ("key", "payload", "files", "lease")


def decrypt_all(url_token: str, *, passphrase: str = "", key: str = "") -> set[bytes]:
    """Return every plaintext of a push that can be decrypted; `key` is an idempotency key.

    Each result is tried as a key for the rest. Without an idempotency key, it tries the values stored in its place.
    """
    blobs = [*_attributes(), *_objects()]
    known = {keys.current().material, *_wrapping_keys(url_token, passphrase), *(b for b in blobs if len(b) == 32)}
    for wrapping_key in list(known):
        known |= set(_leased(url_token, wrapping_key, [key, "", url_token, passphrase, digests.digest(url_token)]))
    found = set[bytes]()
    while new := {text for text in _opened(blobs, known, digests.digest(url_token)) if text not in found}:
        found |= new
        known |= {text for text in new if len(text) == cipher.KEY_BYTES}
    return found


def _wrapping_keys(url_token: str, passphrase: str) -> Iterator[bytes]:
    _, sealed, _ = reads.load(digests.digest(url_token))
    kept = sealed or seal.SealedSecret(keys.current().version, None, None, b"")
    yield seal.wrapping_key(kept, url_token, passphrase, keys.version(kept.key_version))


def _leased(url_token: str, wrapping_key: bytes, brought: list[str]) -> Iterator[bytes]:
    _, sealed, _ = reads.load(digests.digest(url_token))
    salt = sealed.lease_salt if sealed else b""
    for lease_id in [item["id"]["S"] for item in resources.items("Secrets")]:
        if lease_id.startswith(lease.PREFIX) and (found := reads.find_lease(lease_id)):
            for key in [*brought, lease_id, lease_id.removeprefix(lease.PREFIX)]:
                with suppress(cipher.CannotOpen):
                    yield lease.unwrap(found, wrapping_key, salt, url_token, key)


def _opened(blobs: list[bytes], known: set[bytes], push_id: str) -> Iterator[bytes]:
    for blob in blobs:
        for key in known:
            for what in _SEALED:
                with suppress(cipher.CannotOpen, ValueError):
                    yield cipher.decrypt(key, blob, f"{push_id}/{what}")


def _attributes() -> Iterator[bytes]:
    for table in template.resources("AWS::DynamoDB::Table"):
        for item in resources.items(table):
            yield from (value["B"] for value in item.values() if "B" in value)


def _objects() -> Iterator[bytes]:
    s3: Any = resources.client("s3")
    for key in resources.object_keys():
        yield s3.get_object(Bucket="test-bucket", Key=key)["Body"].read()
