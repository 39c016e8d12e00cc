"""What the endpoint's own tests do not show of a retrieve."""

import pytest

from shared import deadline, retrieval
from shared.aws import reads, retry
from shared.domain import errors, seal
from shared.domain.audit import Caller
from tests import virtual_time
from tests.client import START, Api


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
