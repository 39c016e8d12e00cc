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
from tests.functions.pages.test_answer import visit
from tests.meters import wire_tap
from tests.shared.service import test_answers

OWNER = Caller("name:bob@example.com")
Act = Callable[[str], object]


@contextmanager
def reading_what_was() -> Iterator[None]:
    """Answer every read with the first response to it."""
    first: dict[str, Any] = {}

    def answer(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if operation != "BatchGetItem":
            return call()
        read = repr(parameters)
        first[read] = first.get(read) or call()
        return first[read]

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


def test_an_answer_that_sees_no_other_write_gets_its_form_again_with_its_text(aws: None) -> None:
    opened = test_answers.stored()
    tabs = [visit(opened) for _ in range(2)]

    with virtual_time.passing(), reading_what_was():
        pages = [tab.submit("", **{"push[payload]": f"text {number}"}).page for number, tab in enumerate(tabs)]

    assert [page.status for page in pages] == [200, 503]
    assert "That did not work just now. Please try again.</p>" in pages[1].text
    assert ">\ntext 1</textarea>" in pages[1].text
    assert test_answers.counted(opened) == 1
