"""Time limits for calls to AWS."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from botocore import endpoint
from botocore.exceptions import ConnectTimeoutError

from infra.build import template
from shared.aws import backoff
from shared.aws.clients import client
from shared.runtime import deadline
from tests.doubles import virtual_time


def test_without_an_end_there_is_all_the_time_in_the_world() -> None:
    deadline.check()

    assert deadline.seconds_left() == float("inf")


def test_a_deadline_holds_only_for_calls_in_its_block() -> None:
    with virtual_time.passing(), deadline.within(20):
        deadline.check()
        assert deadline.seconds_left() == 20
        with deadline.within(3.9), pytest.raises(deadline.OutOfTime):
            deadline.check()
        deadline.check()

    assert deadline.seconds_left() == float("inf")


def test_a_try_that_is_begun_can_end_in_time_and_so_can_a_claim() -> None:
    function = template.load()["Globals"]["Function"]["Timeout"]
    a_try = deadline.CONNECT_TIMEOUT + deadline.READ_TIMEOUT

    assert a_try < deadline._ONE_TRY
    assert deadline.TRIES * a_try < backoff.RESERVE < function


def test_the_sdk_gives_up_between_tries_when_time_is_up(aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: 2.5 * len(tries)))
    monkeypatch.setattr(endpoint, "time", SimpleNamespace(sleep=lambda _: None))  # between the SDK's tries

    def hang(request: Any, **_: Any) -> None:
        tries.append(request.url)
        raise ConnectTimeoutError(endpoint_url=request.url)

    events = client("sqs").meta.events
    events.register_last("before-send.sqs", hang)

    with deadline.within(8), pytest.raises(deadline.OutOfTime):
        client("sqs").list_queues()
    events.unregister("before-send.sqs", hang)

    assert len(tries) == 2


def test_the_time_of_a_request_is_counted_from_its_outermost_block() -> None:
    with virtual_time.passing() as clock:
        with deadline.within(20):
            clock.sleep(0.0101)
            with deadline.within(5):
                passed = deadline.elapsed()
        outside = deadline.elapsed()

    assert (passed, outside) == (timedelta(milliseconds=11), timedelta())
