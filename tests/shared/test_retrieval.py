"""What the endpoint's own tests do not show of a retrieve."""

import hashlib
from unittest import mock

import pytest

from shared import deadline, retrieval
from shared.aws import reads, retry
from shared.domain import errors, seal
from shared.domain.audit import Caller
from tests import virtual_time
from tests.client import START, Api
from tests.contract.test_leases import before_first


def views(url_token: str) -> int:
    push = reads.find(seal.digest(url_token))
    assert push is not None
    return push.views


def test_a_view_is_claimed_while_there_is_time_to_answer(api: Api) -> None:
    url_token = api.push()

    with virtual_time.passing(), deadline.within(retry.RESERVE):
        retrieved = retrieval.retrieve_push(url_token, "", Caller(), now=START)

    assert (retrieved.payload, views(url_token)) == ("s3cret", 1)


def test_no_view_is_claimed_with_too_little_time_to_answer(api: Api) -> None:
    url_token = api.push()

    with virtual_time.passing(), deadline.within(retry.RESERVE - 0.001), pytest.raises(errors.Contended):
        retrieval.retrieve_push(url_token, "", Caller(), now=START)

    assert views(url_token) == 0


@pytest.mark.parametrize("passphrase", ["right", "wrong"])
def test_a_passphrase_is_tried_once_however_often_the_write_is(api: Api, passphrase: str) -> None:
    url_token = api.push(passphrase="right")

    with (
        mock.patch.object(hashlib, "scrypt", wraps=hashlib.scrypt) as tried,
        before_first("TransactWriteItems", lambda: api.retrieve(url_token, "another")),
    ):
        answer = api.retrieve(url_token, passphrase)

    assert answer.status == (200 if passphrase == "right" else 401)
    assert tried.call_count == 2  # this one, and the other that came first
