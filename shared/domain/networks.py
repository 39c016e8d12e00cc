"""The IP networks that a push can be opened from (contract, section 13). Pure.

Networks are stored packed, because a larger item costs more with each view: one byte for the length of the prefix, plus
33 for IPv6, then the network's address. That is 5 bytes for IPv4 and 17 for IPv6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from ipaddress import IPv4Network, IPv6Network

_MAX_TEXT = 100  # characters of one network; longer text is not parsed
_MAPPED = 96  # bits before an IPv4 address in an IPv6 one (RFC 4291, section 2.5.5.2)
_IPV6 = 33  # added to the prefix length; IPv4's are 0 to 32


def pack(texts: Iterable[str]) -> bytes:
    """Return the networks packed, without duplicates. Host bits are dropped, and IPv4-mapped IPv6 becomes IPv4.

    Raises: ValueError, if a text is no IP address or range.
    """
    unique = dict.fromkeys(map(_parse, texts))
    return b"".join(
        bytes([network.prefixlen + (_IPV6 if network.version != 4 else 0)]) + network.network_address.packed  # noqa: PLR2004 (IPv4)
        for network in unique
    )


def texts(packed: bytes) -> list[str]:
    """Return the networks in canonical form; a network of one address as this address."""
    return [
        str(network.network_address) if network.prefixlen == network.max_prefixlen else str(network)
        for network in _unpack(packed)
    ]


def include(packed: bytes, ip: str) -> bool:
    """Return whether an IP address is in one of the networks; False for a malformed address."""
    try:
        address = _parse(ip).network_address
    except ValueError:
        return False
    return any(address in network for network in _unpack(packed))


def _parse(text: str) -> IPv4Network | IPv6Network:
    from ipaddress import IPv4Network, ip_network  # loaded here: few pushes have networks

    address, slash, prefix = text.strip().partition("/")
    # `ip_network` also accepts netmasks, and zones, which have no meaning on another host.
    if len(text) > _MAX_TEXT or "%" in address or (slash and not (prefix.isascii() and prefix.isdigit())):
        raise ValueError
    network = ip_network(text.strip(), strict=False)
    # None also with a prefix below _MAPPED, which clears a bit that a mapped address has.
    mapped = None if isinstance(network, IPv4Network) else network.network_address.ipv4_mapped
    return network if mapped is None else IPv4Network((mapped, network.prefixlen - _MAPPED))


def _unpack(packed: bytes) -> Iterator[IPv4Network | IPv6Network]:
    from ipaddress import IPv4Network, IPv6Network

    while packed:
        if packed[0] < _IPV6:
            yield IPv4Network((packed[1:5], packed[0]))
            packed = packed[5:]
        else:
            yield IPv6Network((packed[1:17], packed[0] - _IPV6))
            packed = packed[17:]
