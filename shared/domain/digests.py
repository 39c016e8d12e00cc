"""Digests of url_tokens, API tokens and the like: the tables store only these. Pure."""

import hashlib
import re

_DIGEST = re.compile(r"[0-9a-f]{64}")


def digest(text: str) -> str:
    """Return the SHA-256 of a text in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def address_digest(address: str) -> str:
    """Return the digest of an e-mail address, ignoring case; blocked addresses are stored as digests."""
    return digest(address.lower())


def is_digest(text: str) -> bool:
    """Return whether the text looks like a digest. DynamoDB rejects blank and long keys, so check first."""
    return len(text) == 2 * hashlib.sha256().digest_size and _DIGEST.fullmatch(text) is not None
