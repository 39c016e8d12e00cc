"""Payloads that were sealed by their sender: compact JWE (RFC 7516) of one form (contract, section 15). Pure."""

import json
from typing import Any

from shared.domain import base64url

SEALED_BY, SENDER = "sealed_by", "sender"  # the field that announces such a payload, and its only value
KEY_ID_BYTES = 4  # of the SHA-256 of the key
_PARTS = 5
_MAX_HEADER = 200  # characters; ours have at most 75
_NONCE_BYTES = 12
_TAG_BYTES = 16
_HEADER = {"alg": "dir", "enc": "A256GCM"}


def key_id(compact: str) -> bytes | None:
    """Return the id of the key that sealed this JWE, 4 bytes; None unless the JWE has exactly the contract's form.

    Nothing is decrypted, because this service never gets the key.
    """
    parts = compact.split(".", _PARTS)
    if len(parts) != _PARTS:
        return None
    header, encrypted_key, *others = parts
    if encrypted_key or len(header) > _MAX_HEADER:
        return None
    nonce, ciphertext, tag = map(base64url.decode, others)
    if ciphertext is None or len(nonce or b"") != _NONCE_BYTES or len(tag or b"") != _TAG_BYTES:
        return None
    return _key_id_of(_parse_header(base64url.decode(header)))


def _parse_header(raw: bytes | None) -> dict[str, Any]:
    """Return the members of a protected header; empty unless it is a JSON object without repeated names."""
    try:
        members = json.loads((raw or b"").decode(), object_pairs_hook=_members)
    except ValueError:
        return {}
    return members if isinstance(members, dict) else {}


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else {}


def _key_id_of(header: dict[str, Any]) -> bytes | None:
    text = header.pop("kid", None)
    if header.pop("cty", "json") != "json" or header != _HEADER or not isinstance(text, str):
        return None
    value = base64url.decode(text)
    return value if value and len(value) == KEY_ID_BYTES else None
