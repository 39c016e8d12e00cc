"""Protections that a client may ask for: honoured or refused, never dropped (contract, sections 3 and 13). Pure."""

from collections.abc import Mapping
from typing import Any

from shared.domain import networks
from shared.domain.fields import Fields, is_blank, is_off
from shared.domain.limits import MAX_NETWORKS
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


def refuse_unavailable(fields: Fields, parameters: Mapping[str, Any]) -> None:
    """Refuse the protections that this service does not have."""
    for name in REFUSED:
        if not is_off(parameters.get(name)):
            fields.refuse(name, _NOT_AVAILABLE)
