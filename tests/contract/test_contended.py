"""A request that keeps reading outdated data gets a retry response, and nothing is done twice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shared.domain import errors
from shared.domain.audit import Caller
from shared.service import create, pushes, retrieve
from tests.doubles import virtual_time
from tests.drivers.client import KEY, START, Api
from tests.engines import resources
from tests.meters import wire_tap

OWNER = Caller("name:bob@example.com")
Act = Callable[[str], object]


@contextmanager
def reading_what_was() -> Iterator[None]:
    """Answer every read with the first response to it."""
    first: list[Any] = []

    def answer(_client: Any, call: Callable[[], Any], operation: str, _parameters: dict[str, Any]) -> Any:
        if operation != "BatchGetItem":
            return call()
        first.append(first[0] if first else call())
        return first[-1]

    with wire_tap.around(answer):
        yield


def retrieve_once(url_token: str) -> object:
    return retrieve.retrieve_push(url_token, "", OWNER, now=START)


def expire(url_token: str) -> object:
    return pushes.expire_push(url_token, OWNER, now=START)


def create_once(_url_token: str) -> object:
    return create.create_push({"payload": "s3cret"}, OWNER, now=START, key=KEY)


@pytest.mark.parametrize("act", [retrieve_once, expire, create_once])
def test_a_request_that_sees_no_other_write_gets_a_retry_response(bob: Api, act: Act) -> None:
    url_token = bob.push(expire_after_views=1)

    with virtual_time.passing(), reading_what_was():
        act(url_token)
        before = resources.stored()
        with pytest.raises(errors.Contended):
            act(url_token)

    assert resources.stored() == before
