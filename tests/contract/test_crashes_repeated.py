"""A call to AWS fails, before or after it took effect, and the client repeats its request with the same key."""

from typing import Any

import pytest
import requests

from tests.drivers.client import Answer, Api
from tests.drivers.failing_calls import (
    AFTER,
    CALLS,
    LARGE,
    VIEWS,
    Ask,
    ask,
    bring,
    each_call_of,
    is_unavailable,
    url_token_of_only_push,
)
from tests.engines import resources
from tests.meters import wire_tap

__all__ = ["ask"]  # a fixture

pytestmark = pytest.mark.prove(
    "2", "A request repeated with its key after a failed call is answered, and counts once", "moto"
)


@pytest.mark.parametrize("views", [1, VIEWS])
@AFTER
@each_call_of("retrieve keyed", "retrieve keyed large", "retrieve keyed files")
def test_a_failed_retrieve_repeated_with_its_key_counts_once(
    bob: Api, ask: Ask, case: str, number: int, *, after: bool, views: int
) -> None:
    call = ask(case, views)
    with wire_tap.failing(number, after=after) as made:
        first = call()
    url_token = url_token_of_only_push(bob)
    counted = bob.kinds(url_token).count("owner_view")

    again, once_more = call(), call()

    # The last write is the claim; a failed copy of a file is left out.
    is_claim = number == len(CALLS[case]) - 1
    assert made[: number + 1] == CALLS[case][: number + 1]
    assert first.status == 200 if CALLS[case][number] == "CopyObject" else is_unavailable(first)
    assert counted == (first.status == 200 or (after and is_claim))
    assert (recipient_result(again), again.json["views_remaining"]) == (contents_of(case), views - 1)
    assert recipient_result(once_more) == recipient_result(again)
    assert bob.kinds(url_token) == ["creation", "owner_view"]


def contents_of(case: str) -> tuple[str, list[str]]:
    return ("s3cret", []) if case.endswith("keyed") else (LARGE, ["a", "b"] if "files" in case else [])


def recipient_result(answer: Answer) -> tuple[str, list[str]]:
    """Return the recipient's result; the links to the files differ each time."""
    return answer.json["payload"], [file["filename"] for file in answer.json["files"]]


@AFTER
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("views", [1, VIEWS])
def test_a_repetition_that_fails_as_well_may_be_sent_again(
    bob: Api, ask: Ask, number: int, after: bool, views: int
) -> None:
    call = ask("retrieve keyed", views)
    with wire_tap.failing(3, after=True):
        call()
    resources.renew()
    with wire_tap.failing(number, after=after):
        second = call()

    third = call()

    assert is_unavailable(second)
    assert third.json["payload"] == "s3cret"
    assert bob.kinds(third.json["url_token"]) == ["creation", "owner_view"]


@AFTER
@each_call_of("create keyed", "create keyed large", "create keyed files")
def test_a_failed_create_repeated_with_its_key_makes_one_push(
    bob: Api, ask: Ask, case: str, number: int, after: bool
) -> None:
    call = ask(case)
    with wire_tap.failing(number, after=after) as made:
        first = call()

    again, once_more = call(), call()

    assert made == CALLS[case][: number + 1]
    assert is_unavailable(first)
    assert (again.status, once_more.json["url_token"]) == (201, again.json["url_token"])
    assert [len(resources.items(table)) for table in ("Pushes", "Secrets", "AuditEntries")] == [1, 1, 1]
    for upload in again.json.get("uploads", []):
        bring(upload)
    retrieved = bob.retrieve(again.json["url_token"])
    assert recipient_result(retrieved) == contents_of(case)
    assert [download(file) for file in retrieved.json["files"]] == [b"a", b"b"][: len(retrieved.json["files"])]


def download(file: dict[str, Any]) -> bytes:
    return requests.get(file["url"], timeout=10).content
