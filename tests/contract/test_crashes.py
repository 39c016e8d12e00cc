"""A call to AWS fails, before or after it took effect: promises 1, 2 and 3 still hold."""

from collections.abc import Callable, Iterator
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from botocore import endpoint
from botocore.awsrequest import AWSResponse

from tests.drivers import client
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, Api, Context, handler_of, keyed, read
from tests.drivers.failing_calls import (
    AFTER,
    CALLS,
    FILES,
    LARGE,
    VIEWS,
    Ask,
    ask,
    each_call_of,
    is_unavailable,
    serve_all,
    url_token_of_only_push,
)
from tests.engines import resources
from tests.meters import wire_tap

__all__ = ["ask"]  # a fixture

pytestmark = pytest.mark.prove(
    "2",
    "A call that fails, before or after it took effect, costs no view before the claim and leaves no half of a push",
    "moto",
)

KEYS = pytest.mark.parametrize("key", [None, KEY], ids=["without a key", "with a key"])


@pytest.mark.parametrize("case", CALLS)
def test_the_calls_that_are_let_fail_are_all_there_are(ask: Ask, case: str) -> None:
    call = ask(case)

    with wire_tap.calls() as made:
        call()

    assert [name for name, _ in made] == CALLS[case]


@AFTER
@each_call_of("retrieve", "retrieve large")
def test_a_failed_retrieve_costs_a_view_only_after_the_claim(
    bob: Api, ask: Ask, case: str, number: int, after: bool
) -> None:
    call = ask(case)
    with wire_tap.failing(number, after=after) as made:
        answer = call()

    url_token = url_token_of_only_push(bob)
    served = serve_all(bob, url_token)

    was_claimed = after and CALLS[case][number] == "TransactWriteItems"
    assert made == CALLS[case][: number + 1]
    assert is_unavailable(answer)
    assert served == VIEWS - was_claimed
    assert bob.kinds(url_token).count("owner_view") == VIEWS


@AFTER
@each_call_of("retrieve")
def test_a_failed_last_view_is_served_once_or_never(bob: Api, case: str, number: int, after: bool) -> None:
    url_token = bob.push(expire_after_views=1)
    resources.renew()
    with wire_tap.failing(number, after=after) as made:
        answer = bob.retrieve(url_token)

    payload = bob.retrieve(url_token).json["payload"]

    was_claimed = after and CALLS[case][number] == "TransactWriteItems"
    assert made == CALLS[case][: number + 1]
    assert is_unavailable(answer)
    assert payload == (None if was_claimed else "s3cret")
    assert bob.kinds(url_token).count("owner_view") == 1
    assert resources.items("Secrets") == []


@AFTER
@each_call_of("create", "create large", "create files")
def test_a_create_that_fails_leaves_all_of_a_push_or_nothing(ask: Ask, case: str, number: int, after: bool) -> None:
    call = ask(case)
    with wire_tap.failing(number, after=after) as made:
        answer = call()

    stored = [len(resources.items(table)) for table in ("Pushes", "Secrets", "AuditEntries")]

    was_written = after and CALLS[case][number] == "TransactWriteItems"
    assert made == CALLS[case][: number + 1]
    assert is_unavailable(answer)
    assert stored == ([1, 1, 1] if was_written else [0, 0, 0])


@AFTER
@each_call_of("expire")
def test_an_expire_that_fails_can_be_sent_again(bob: Api, ask: Ask, case: str, number: int, after: bool) -> None:
    call = ask(case)
    with wire_tap.failing(number, after=after):
        first = call()

    second = call()

    assert is_unavailable(first)
    assert second.json["expired"] is True
    assert second.json["deleted"] is True
    assert bob.kinds(second.json["url_token"]) == ["creation", "expire"]


@AFTER
@each_call_of("preview", "audit", "active", "expired")
def test_a_read_that_fails_says_so(ask: Ask, case: str, number: int, after: bool) -> None:
    call = ask(case)

    with wire_tap.failing(number, after=after) as made:
        answer = call()

    assert made == CALLS[case][: number + 1]
    assert is_unavailable(answer)


@AFTER
@each_call_of("retrieve files")
def test_a_retrieve_of_files_that_fails_costs_no_view_before_the_claim(
    bob: Api, ask: Ask, case: str, number: int, after: bool
) -> None:
    call = ask(case)
    with wire_tap.failing(number, after=after) as made:
        answer = call()

    url_token = url_token_of_only_push(bob)
    served = (answer.status == 200) + serve_all(bob, url_token)

    # The first write keeps the arrived files, the last is the claim; a failed copy is left out.
    was_claimed = after and number == len(CALLS[case]) - 1
    assert made[: number + 1] == CALLS[case][: number + 1]
    assert answer.status == 200 if CALLS[case][number] == "CopyObject" else is_unavailable(answer)
    assert served == VIEWS - was_claimed
    assert bob.kinds(url_token).count("owner_view") == VIEWS


REFUSALS = {
    "slow down": (503, "SlowDown"),
    "an error of S3's": (500, "InternalError"),
    "no permission": (403, "AccessDenied"),
    "no bucket": (404, "NoSuchBucket"),
}


@pytest.fixture(params=REFUSALS)
def refusing_s3(
    bob: Api, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], None]]:
    """Return a function that makes S3 reject every request from then on."""
    from shared.aws import clients

    monkeypatch.setattr(endpoint, "time", SimpleNamespace(sleep=lambda _: None))  # between the SDK's tries
    status, code = REFUSALS[request.param]
    body = f"<Error><Code>{code}</Code></Error>".encode()
    events = clients.client("s3").meta.events
    refused = []

    def refuse(request: Any, **_: Any) -> AWSResponse:
        refused.append(request.url)
        return AWSResponse(request.url, status, {}, RawResponse(body))

    yield lambda: events.register_first("before-send.s3", refuse)
    events.unregister("before-send.s3", refuse)
    assert refused


class RawResponse(BytesIO):
    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def test_a_create_that_s3_rejects_leaves_no_push(bob: Api, refusing_s3: Callable[[], None]) -> None:
    refusing_s3()

    answers = [bob.create(LARGE), bob.create("", files=FILES[:1])]

    assert all(is_unavailable(answer) for answer in answers)
    assert resources.items("Pushes") == []


def test_a_retrieve_that_s3_rejects_counts_nothing(bob: Api, refusing_s3: Callable[[], None]) -> None:
    pushes = [bob.push(LARGE), bob.push("", files=FILES)]
    refusing_s3()

    answers = [bob.retrieve(url_token) for url_token in pushes]

    assert all(is_unavailable(answer) for answer in answers)
    assert [bob.kinds(url_token) for url_token in pushes] == [["creation"]] * 2


@KEYS
def test_with_too_little_time_left_to_answer_nothing_is_claimed(bob: Api, key: str | None) -> None:
    url_token = bob.push(expire_after_views=1)
    path = f"/api/v2/pushes/{url_token}"
    handler, event = handler_of("GET /api/v2/pushes/{url_token}"), bob.event("GET", path, headers=keyed(key))

    late = read(handler(event, Context(milliseconds=9_000)))
    in_time = read(handler(event, Context(milliseconds=19_000)))

    assert is_unavailable(late)
    assert in_time.json["payload"] == "s3cret"
    assert bob.kinds(url_token) == ["creation", "owner_view"]


@pytest.mark.parametrize("endpoint", ["create", "retrieve", "preview", "audit", "expire", "active", "expired"])
def test_with_too_little_time_left_no_call_is_made(bob: Api, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url_token = [] if endpoint in ("create", "active", "expired") else [bob.push()]
    before = resources.stored()
    monkeypatch.setattr(client, "handle", lambda key, event: client.handler_of(key)(event, Context(milliseconds=3_900)))

    late = getattr(bob, endpoint)(*url_token)

    assert is_unavailable(late)
    assert resources.stored() == before


def test_a_page_too_comes_in_time(bob: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    url_token = bob.push(retrieval_step=False)
    monkeypatch.setattr(client, "handle", lambda key, event: client.handler_of(key)(event, Context(milliseconds=3_900)))

    assert Browser(bob).visit(f"/p/{url_token}").page.status == 503


@KEYS
@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_a_cancellation_that_passes_is_tried_again(bob: Api, code: str, key: str | None) -> None:
    url_token = bob.push(expire_after_views=1)

    with wire_tap.cancelling(code):
        answer = bob.retrieve(url_token, key=key)

    assert answer.json["payload"] == "s3cret"
    assert bob.kinds(url_token) == ["creation", "owner_view"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError"])
@KEYS
def test_a_create_that_is_cancelled_is_sent_again_and_recorded_once(
    bob: Api, code: str, after: bool, key: str | None
) -> None:
    with wire_tap.cancelling(code, after=after):
        answer = bob.create(key=key)

    assert answer.status == 201
    assert bob.kinds(answer.json["url_token"]) == ["creation"]
    assert resources.items("Pushes")[0]["entries"] == {"N": "1"}


@pytest.mark.parametrize("views", [1, 5])
@pytest.mark.parametrize("code", ["TransactionConflict", "ThrottlingError"])
@KEYS
def test_a_resent_claim_counts_once_although_it_is_cancelled(bob: Api, code: str, views: int, key: str | None) -> None:
    url_token = bob.push(expire_after_views=views)

    with wire_tap.cancelling(code, after=True):
        answer = bob.retrieve(url_token, key=key)

    assert answer.json["payload"] == "s3cret"
    assert bob.kinds(url_token) == ["creation", "owner_view"]
