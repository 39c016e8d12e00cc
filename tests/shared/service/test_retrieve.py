"""Details of a retrieve that the endpoint's own tests do not show."""

import hashlib
from datetime import timedelta
from unittest import mock

import pytest

from shared.aws import backoff, reads
from shared.aws.tables import Secrets
from shared.domain import digests, errors
from shared.domain.audit import Caller
from shared.domain.cipher import CannotOpen
from shared.runtime import deadline
from shared.service import retrieve
from tests.doubles import virtual_time
from tests.drivers.client import KEY, START, Api
from tests.engines import resources
from tests.meters import wire_tap


def views(url_token: str) -> int:
    push = reads.find(digests.digest(url_token))
    assert push is not None
    return push.views


def test_a_view_is_claimed_while_there_is_time_to_answer(api: Api) -> None:
    url_token = api.push()

    with virtual_time.passing(), deadline.within(backoff.RESERVE):
        retrieved = retrieve.retrieve_push(url_token, "", Caller(), now=START)

    assert (retrieved.payload, views(url_token)) == ("s3cret", 1)


def test_no_view_is_claimed_with_too_little_time_to_answer(api: Api) -> None:
    url_token = api.push()

    with virtual_time.passing(), deadline.within(backoff.RESERVE - 0.001), pytest.raises(errors.Contended):
        retrieve.retrieve_push(url_token, "", Caller(), now=START)

    assert views(url_token) == 0


@pytest.mark.parametrize("passphrase", ["right", "wrong"])
def test_a_passphrase_is_tried_once_however_often_the_write_is(api: Api, passphrase: str) -> None:
    url_token = api.push(passphrase="right")

    with (
        mock.patch.object(hashlib, "scrypt", wraps=hashlib.scrypt) as tried,
        wire_tap.before_first("TransactWriteItems", lambda: api.retrieve(url_token, "another")),
    ):
        answer = api.retrieve(url_token, passphrase)

    assert answer.status == (200 if passphrase == "right" else 401)
    assert tried.call_count == 2  # this one, and the earlier one


@pytest.mark.parametrize("key", [None, KEY])
def test_a_live_push_without_its_secret_is_read_again(api: Api, key: str | None) -> None:
    url_token = api.push(expire_after_views=1)

    with wire_tap.between_reads("test-Secrets", lambda: api.retrieve(url_token, key=key)) as last:
        slower = api.retrieve(url_token)

    assert (last[0].json["payload"], slower.status, slower.json["payload"]) == ("s3cret", 200, None)


def test_a_push_deleted_between_the_reads_is_not_repeated(api: Api) -> None:
    url_token = api.push(expire_after_views=2, deletable_by_viewer=True)
    first = api.retrieve(url_token, key=KEY)

    with wire_tap.between_reads("test-Pushes", lambda: api.expire(url_token)) as expired:
        again = api.retrieve(url_token, key=KEY)

    assert (first.json["payload"], expired[0].status, again.json["payload"]) == ("s3cret", 200, None)


def test_a_retrieve_served_after_a_delete_returns_nothing(api: Api) -> None:
    url_token = api.push()
    Api(now=START + timedelta(seconds=2)).retrieve(url_token)  # through a gateway whose clock is ahead

    with wire_tap.before_first("TransactWriteItems", lambda: api.expire(url_token)):
        answer = api.retrieve(url_token)

    assert (answer.json["payload"], views(url_token)) == (None, 1)


def test_a_missing_passphrase_is_not_tried(api: Api) -> None:
    url_token = api.push(passphrase="right")

    with mock.patch.object(hashlib, "scrypt", wraps=hashlib.scrypt) as tried:
        answer = api.retrieve(url_token)

    assert (answer.status, tried.call_count) == (401, 0)


def test_a_failed_decryption_without_passphrase_is_no_guess(api: Api) -> None:
    url_token = api.push()
    Secrets(id=digests.digest(url_token)).update(actions=[Secrets.wrapped_key.set(b"x" * 60)])

    with pytest.raises(CannotOpen):
        retrieve.retrieve_push(url_token, "", Caller(), now=START)

    assert len(resources.items("AuditEntries")) == 1  # the creation
