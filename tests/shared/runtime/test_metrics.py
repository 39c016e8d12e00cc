"""The metrics that CloudWatch reads from the functions' printed lines."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from functions import remove_objects, schedule_removal
from shared.aws import store
from shared.domain import digests
from shared.runtime import metrics
from shared.service import removal
from shared.web import logs
from tests.contract import test_removal
from tests.contract.test_files import inline
from tests.doubles import partial_failures
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.meters import emf, wire_tap

Printed = Callable[[], str]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return lambda: capsys.readouterr().out


def test_a_push_and_its_view_are_counted_once_each(api: Api, printed: Printed) -> None:
    url_token = api.push(key="0123456789abcdef")
    api.push(key="0123456789abcdef")
    api.retrieve(url_token, key="0123456789abcdef")
    api.retrieve(url_token, key="0123456789abcdef")

    out = printed()
    assert (emf.values(out, "Created"), emf.values(out, "Viewed")) == ([1.0], [1.0])


def test_a_refusal_is_counted_by_its_kind_and_is_no_failure(api: Api, printed: Printed) -> None:
    api.retrieve("nosuchtoken")

    out = printed()
    assert emf.values(out, "Refused", reason="NotFound") == [1.0]
    assert emf.values(out, "Refused") == [1.0]
    assert emf.values(out, "Failed") == []


def test_a_503_of_our_own_is_counted(api: Api, printed: Printed) -> None:
    resources.client("dynamodb").delete_table(TableName="test-Pushes")

    assert api.retrieve("nosuchtoken").status == 503

    assert emf.values(printed(), "Failed") == [1.0]


def test_a_prefetch_that_is_refused_is_no_failure(api: Api, printed: Printed) -> None:
    url_token = api.push()

    answer = api.request("GET", f"/api/v2/pushes/{url_token}", headers={"sec-purpose": "prefetch"})

    assert answer.status == 503
    assert emf.values(printed(), "Failed") == []


def test_a_conflict_and_the_try_after_it_are_counted(api: Api, printed: Printed) -> None:
    url_token = api.push()

    with wire_tap.cancelling("TransactionConflict"):
        assert api.retrieve(url_token).status == 200

    out = printed()
    assert (emf.values(out, "Conflicts"), emf.values(out, "Retries")) == ([1.0], [1.0])


def test_uncollected_metrics_are_dropped(printed: Printed) -> None:
    metrics.count("Created")

    with metrics.collecting() as collected:
        pass
    logs.write_metrics(collected)
    assert printed() == ""


def test_how_late_the_objects_of_an_ended_push_went_is_measured(bob: Api, printed: Printed) -> None:
    push_id = digests.digest(bob.push("", expire_after_views=1, files=[inline("a", b"x")]))
    url_token = bob.active().json[0]["url_token"]
    bob.expire(url_token)

    removal_lag = remove(push_id, bob.now + timedelta(minutes=11))

    assert removal_lag["RemovalLag", ""] == [660.0]


def test_an_end_by_the_clock_has_no_lag(bob: Api) -> None:
    push_id = digests.digest(bob.push("", expire_after_days=1, files=[inline("a", b"x")]))

    assert not remove(push_id, bob.now + timedelta(days=3))


def remove(push_id: str, now: datetime) -> metrics.Collected:
    with metrics.collecting() as collected:
        removal.remove_objects(push_id, now=now)
    return collected


def test_a_record_that_a_batch_fails_on_is_counted(bob: Api, printed: Printed) -> None:
    resources.client("dynamodb").delete_table(TableName="test-Pushes")

    remove_objects.handler({"Records": [{"messageId": "1", "eventSource": "aws:sqs", "body": "0" * 64}]}, Context())

    assert emf.values(printed(), "WorkFailed") == [1.0]


def test_a_delete_that_meets_a_transaction_is_a_conflict(aws: None) -> None:
    with wire_tap.answering("DeleteItem", "TransactionConflictException", times=1), metrics.collecting() as collected:
        store.destroy("0" * 64)

    assert collected["Conflicts", ""] == [1.0]


def test_a_removal_that_cannot_be_scheduled_is_counted(aws: None, printed: Printed) -> None:
    with partial_failures.refusing("0" * 64):
        schedule_removal.handler(test_removal.stream("0" * 64), Context())

    assert emf.values(printed(), "WorkFailed") == [1.0]
