"""Protections that a client may ask for: honoured or refused, never dropped (contract, sections 3 and 13). Pure."""

from collections.abc import Mapping
from typing import Any

from shared.domain import jwe, networks
from shared.domain.fields import Fields, is_blank, is_off
from shared.domain.jwe import SEALED_BY, SENDER
from shared.domain.limits import FILE, MAX_NETWORKS, TEXT
from shared.domain.sentence import Sentence

ALLOWED_IPS = "allowed_ips"
REFUSED = ("allowed_countries", "authenticated_recipients")  # of the Pro edition of Password Pusher
_NOT_AVAILABLE = "is not available"  # for the API only: forms do not offer them


def allowed_networks(fields: Fields, parameters: Mapping[str, Any]) -> bytes | None:
    """Return the packed networks (networks.py) that the push can be opened from; None for any."""
    value = parameters.get(ALLOWED_IPS)
    if is_blank(value):
        return None
    listed = value.split(",") if isinstance(value, str) else value
    try:
        if isinstance(listed, list) and len(listed) <= MAX_NETWORKS and all(isinstance(one, str) for one in listed):
            return networks.pack(listed)
    except ValueError:
        pass
    fields.refuse(
        ALLOWED_IPS,
        Sentence("must be 1 to {limit} IP addresses or ranges, such as 192.0.2.0/24", limit=MAX_NETWORKS),
    )
    return None


def sealed_key_id(fields: Fields, parameters: Mapping[str, Any], kind: str, payload: str) -> bytes | None:
    """Return the id of the key that the sender sealed the payload with; None if the request does not say so."""
    value = parameters.get(SEALED_BY)
    if value is None or value == "":
        return None
    if value != SENDER:
        fields.refuse(SEALED_BY, f"must be `{SENDER}`")
    elif kind not in (TEXT, FILE):
        fields.refuse(SEALED_BY, "is only for the kinds text and file")
    elif "payload" not in fields.refused:
        key_id = jwe.key_id(payload)
        if key_id is None:
            fields.refuse("payload", "must be a compact JWE with exactly `alg` dir, `enc` A256GCM and the key's `kid`")
        return key_id
    return None


def refuse_unavailable(fields: Fields, parameters: Mapping[str, Any]) -> None:
    """Refuse the protections that this service does not have."""
    for name in REFUSED:
        if not is_off(parameters.get(name)):
            fields.refuse(name, _NOT_AVAILABLE)
