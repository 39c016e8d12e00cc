"""Networks: parsed, packed, in canonical form, and whether an address is in them."""

import pytest

from shared.domain import networks


@pytest.mark.parametrize(
    ("given", "canonical", "size"),
    [
        ("192.0.2.1", "192.0.2.1", 5),
        (" 192.0.2.1/32 ", "192.0.2.1", 5),
        ("192.0.2.77/24", "192.0.2.0/24", 5),
        ("0.0.0.0/0", "0.0.0.0/0", 5),
        ("2001:DB8:0:0::1", "2001:db8::1", 17),
        ("2001:db8::1/32", "2001:db8::/32", 17),
        ("::/0", "::/0", 17),
        ("::ffff:192.0.2.1", "192.0.2.1", 5),
        ("::ffff:192.0.2.77/120", "192.0.2.0/24", 5),
        ("::ffff:0:0/96", "0.0.0.0/0", 5),
    ],
)
def test_a_network_is_packed_and_comes_back_in_canonical_form(given: str, canonical: str, size: int) -> None:
    packed = networks.pack([given])

    assert networks.texts(packed) == [canonical]
    assert len(packed) == size


def test_networks_keep_their_order_and_lose_their_twins() -> None:
    packed = networks.pack(["2001:db8::/32", "192.0.2.1", "192.0.2.1/32", "::ffff:192.0.2.1", "10.0.0.0/8"])

    assert networks.texts(packed) == ["2001:db8::/32", "192.0.2.1", "10.0.0.0/8"]
    assert len(packed) == 17 + 5 + 5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "office",
        "192.0.2",
        "192.0.2.256",
        "192.0.2.01",
        "192.0.2.0/33",
        "192.0.2.0/-1",
        "192.0.2.0/",
        "192.0.2.0/255.255.255.0",
        "192.0.2.0/0.0.0.255",
        "fe80::1%eth0",
        "fe80::%1/64",
        "2001:db8::/129",
        "192.0.2.0/٢٤",
        "1" * 10_000,
    ],
)
def test_what_is_no_address_and_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        networks.pack([text])


@pytest.mark.parametrize(
    ("network", "ip", "is_included"),
    [
        ("192.0.2.0/24", "192.0.2.255", True),
        ("192.0.2.0/24", "192.0.3.0", False),
        ("192.0.2.0/24", "::ffff:192.0.2.1", True),
        ("2001:db8::/32", "2001:db8:ffff::1", True),
        ("2001:db8::/32", "2001:db9::", False),
        ("::/0", "192.0.2.1", False),
        ("0.0.0.0/0", "2001:db8::1", False),
        ("0.0.0.0/0", "", False),
        ("0.0.0.0/0", "unknown", False),
    ],
)
def test_an_address_is_in_a_network_or_not(network: str, ip: str, is_included: bool) -> None:
    assert networks.include(networks.pack(["198.51.100.1", network, "2001:db8:aaaa::1"]), ip) == is_included
