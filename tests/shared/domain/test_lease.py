"""A lease can be decrypted with all of its caller's secrets, and with nothing less."""

from datetime import timedelta

import pytest

from shared.domain import digests, lease, seal
from shared.domain.cipher import CannotOpen
from tests.drivers.client import KEY, OTHER_KEY, START

INSTANCE_KEY = seal.InstanceKey("v1", b"k" * 64)
TOKEN, OTHER_TOKEN = "a" * 26, "b" * 26
SECRET = seal.seal("s3cret", [], TOKEN, "p", INSTANCE_KEY, cost="cheapest")
SALT = SECRET.lease_salt
KEYS = seal.unwrap(SECRET, TOKEN, "p", INSTANCE_KEY)
LEASE = lease.Lease(
    id=lease.lease_id(TOKEN, KEY),
    wrapped_key=lease.wrap(KEYS, SALT, TOKEN, KEY),
    claimed_at=START,
    until=START + timedelta(seconds=60),
    views=1,
    push_expires_at=START + timedelta(days=1),
)


def opened(
    url_token: str = TOKEN, passphrase: str = "p", key: str = KEY, salt: bytes = SALT, instance_key: bytes = b"k" * 64
) -> bytes:
    without = SECRET._replace(wrapped_key=None)  # as after the last view
    wrapping_key = seal.wrapping_key(without, url_token, passphrase, seal.InstanceKey("v1", instance_key))
    return lease.unwrap(LEASE, wrapping_key, salt, url_token, key)


def test_it_opens_without_the_plain_wrapping() -> None:
    assert opened() == KEYS.push_key
    with pytest.raises(CannotOpen):
        seal.unwrap(SECRET._replace(wrapped_key=None), TOKEN, "p", INSTANCE_KEY)


@pytest.mark.parametrize(
    "other",
    [
        {"url_token": OTHER_TOKEN},
        {"passphrase": "q"},
        {"passphrase": ""},
        {"key": OTHER_KEY},
        {"key": ""},
        {"salt": b"\x00" * seal.SALT_BYTES},
        {"salt": b""},
        {"instance_key": b"j" * 64},
    ],
    ids=str,
)
def test_it_opens_with_nothing_else(other: dict[str, str]) -> None:
    with pytest.raises(CannotOpen):
        opened(**other)  # type: ignore[arg-type]


def test_a_lease_s_content_and_id_do_not_reveal_the_key() -> None:
    assert KEYS.push_key not in LEASE.wrapped_key
    assert KEY.encode() not in LEASE.wrapped_key
    assert KEY not in LEASE.id
    assert len({LEASE.id, lease.lease_id(OTHER_TOKEN, KEY), lease.lease_id(TOKEN, OTHER_KEY)}) == 3


def test_no_id_of_a_lease_is_that_of_a_push() -> None:
    assert not digests.is_digest(LEASE.id)


def test_it_ends_at_its_end_and_not_before() -> None:
    assert not LEASE.is_over(LEASE.until - timedelta(milliseconds=1))
    assert LEASE.is_over(LEASE.until)


def test_each_secret_has_a_salt_of_its_own() -> None:
    salts = {seal.seal("s", [], TOKEN, None, INSTANCE_KEY, cost="cheapest").lease_salt for _ in range(3)}

    assert len(salts) == 3
    assert all(salt and len(salt) == seal.SALT_BYTES for salt in salts)
