"""Promises 5 and 6 with leases: the rest of a view with an idempotency key can only be decrypted with that key."""

import pytest

from functions import remove_objects
from shared.domain import digests
from tests.contract.test_removal import failures, queue
from tests.drivers.client import KEY, OTHER_KEY, Api, Context
from tests.drivers.thief import decrypt_all
from tests.engines import resources

pytestmark = pytest.mark.prove(
    "5-7",
    "After the last view, tables, bucket, instance key and url_token together open nothing without a view's "
    "idempotency key, and nothing at all once the push is expired or the lease is removed",
    "moto",
)

SMALL = "s3cret"
LARGE = "x" * 10_000  # stored in S3
PAYLOADS = pytest.mark.parametrize("payload", [SMALL, LARGE], ids=["in the table", "in the bucket"])
FILE = {"filename": "name-of-a-file", "data": "eA=="}


def is_open(payload: str, url_token: str, *, passphrase: str = "", key: str = "") -> bool:
    return payload.encode() in decrypt_all(url_token, passphrase=passphrase, key=key)


@PAYLOADS
def test_instance_key_and_url_token_open_a_push_before_the_last_view(bob: Api, payload: str) -> None:
    url_token = bob.push(payload)

    bob.retrieve(url_token, key=KEY)

    assert is_open(payload, url_token)


@PAYLOADS
def test_from_the_last_view_on_its_key_alone_opens_it(bob: Api, payload: str) -> None:
    url_token = bob.push(payload, expire_after_views=1, files=[FILE])

    bob.retrieve(url_token, key=KEY)

    assert not is_open(payload, url_token)
    assert not is_open(payload, url_token, key=OTHER_KEY)
    assert not any(b"name-of-a-file" in text for text in decrypt_all(url_token))
    assert is_open(payload, url_token, key=KEY)


@PAYLOADS
@pytest.mark.parametrize("last", [None, OTHER_KEY])
def test_after_two_views_only_their_two_keys_open_the_push(bob: Api, payload: str, last: str | None) -> None:
    url_token = bob.push(payload, expire_after_views=2)
    bob.retrieve(url_token, key=KEY)

    bob.retrieve(url_token, key=last)

    assert not is_open(payload, url_token)
    assert is_open(payload, url_token, key=KEY)
    assert is_open(payload, url_token, key=OTHER_KEY) is (last is not None)


@PAYLOADS
def test_the_key_without_the_passphrase_opens_nothing(bob: Api, payload: str) -> None:
    url_token = bob.push(payload, passphrase="right", expire_after_views=1)

    bob.retrieve(url_token, "right", key=KEY)

    assert not is_open(payload, url_token, key=KEY)
    assert not is_open(payload, url_token, passphrase="wrong", key=KEY)
    assert not is_open(payload, url_token, passphrase="right")
    assert is_open(payload, url_token, passphrase="right", key=KEY)


@PAYLOADS
@pytest.mark.parametrize("views", [1, 2])
def test_after_an_expire_nothing_opens_with_the_key_either(bob: Api, payload: str, views: int) -> None:
    url_token = bob.push(payload, expire_after_views=views)
    bob.retrieve(url_token, key=KEY)

    bob.expire(url_token)

    assert not is_open(payload, url_token, key=KEY)


@PAYLOADS
def test_after_the_cleanup_of_a_last_view_its_key_opens_nothing(bob: Api, payload: str) -> None:
    url_token = bob.push(payload, expire_after_views=1)
    bob.retrieve(url_token, key=KEY)

    answer = remove_objects.handler(queue(digests.digest(url_token)), Context())

    assert failures(answer) == []
    assert not is_open(payload, url_token, key=KEY)
    assert [item["id"]["S"][:5] for item in resources.items("Secrets")] == ["lease"]
    assert resources.object_keys() == []


@PAYLOADS
def test_the_first_request_after_the_lease_destroys_its_data(bob: Api, payload: str) -> None:
    url_token = bob.push(payload, expire_after_views=1)
    bob.retrieve(url_token, key=KEY)
    bob.tick(seconds=60)

    bob.retrieve(url_token)

    assert not is_open(payload, url_token, key=KEY)
    assert [item["id"]["S"][:5] for item in resources.items("Secrets")] == ["lease"]
