"""Every audit entry → stream → one event on the bus: at least once, in order, and without any secret of a push."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from functions import publish_events
from infra.build import template
from shared.domain import digests
from shared.domain.audit import AuditKind
from tests.contract.test_removal import failures
from tests.doubles import lambda_stream
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.meters import wire_tap

FIRST = 10**20  # a stream's numbers have 21 digits or more


def stream() -> dict[str, Any]:
    """Return the stream records of all audit entries, in the order of their writing."""
    written = sorted(resources.items("AuditEntries"), key=lambda item: item["at"]["S"])
    return {
        "Records": [
            {"eventName": "INSERT", "dynamodb": {"SequenceNumber": str(FIRST + number), "NewImage": image}}
            for number, image in enumerate(written)
        ]
    }


@contextmanager
def bus(refuses: Callable[[dict[str, Any]], bool] = lambda _: False) -> Iterator[list[dict[str, Any]]]:
    """Record the entries on a bus that answers 200 with an error for each rejected entry, as AWS documents."""
    arrived: list[dict[str, Any]] = []

    def put(_client: Any, call: Callable[[], Any], operation: str, parameters: dict[str, Any]) -> Any:
        if operation != "PutEvents":
            return call()
        assert len(parameters["Entries"]) <= 10
        told = []
        for entry in parameters["Entries"]:
            if refuses(json.loads(entry["Detail"])):
                told.append({"ErrorCode": "ThrottlingException", "ErrorMessage": "Rate exceeded"})
            else:
                arrived.append(entry)
                told.append({"EventId": "1"})
        return {"FailedEntryCount": sum("ErrorCode" in one for one in told), "Entries": told}

    with wire_tap.around(put):
        yield arrived


def details(arrived: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [json.loads(entry["Detail"]) for entry in arrived]


def is_passed(detail: dict[str, Any], pattern: dict[str, list[Any]]) -> bool:
    """Return whether EventBridge matches a detail by values, prefixes and absences (user guide, "Event patterns")."""

    def matches(name: str, one: Any) -> bool:
        match one:
            case {"exists": is_there}:
                return (name in detail) is is_there
            case {"prefix": prefix}:
                return str(detail.get(name)).startswith(prefix)
        return name in detail and detail[name] == one

    return all(any(matches(name, one) for one in pattern[name]) for name in pattern)


def push_with_views(api: Api, views: int) -> str:
    """Create a push with so many views, and use all of them."""
    url_token = api.push(expire_after_views=views)
    for _ in range(views):
        api.retrieve(url_token)
    return url_token


def test_each_entry_of_a_push_is_one_documented_event(bob: Api) -> None:
    url_token = bob.push(expire_after_views=2, passphrase="right")
    for passphrase in ("wrong", None, "right"):
        bob.retrieve(url_token, passphrase)
    bob.expire(url_token)

    with bus() as arrived:
        answer = publish_events.handler(stream(), Context())

    assert failures(answer) == []
    same = {
        "version": 1,
        "push_id": digests.digest(url_token),
        "owner": "name:bob@example.com",
    }
    assert [same | detail for detail in details(arrived)] == details(arrived)
    kinds_and_left = [(detail["kind"], detail["views_left"]) for detail in details(arrived)]
    assert kinds_and_left == [
        ("creation", 2),
        ("failed_passphrase", 2),
        ("failed_passphrase", 2),
        ("owner_view", 1),
        ("expire", 1),
    ]
    assert {(entry["EventBusName"], entry["Source"], entry["DetailType"]) for entry in arrived} == {
        ("test-Events", "secret-sharing", "Audit entry")
    }


def test_an_anonymous_push_s_event_has_no_owner_and_its_entry_s_date(api: Api) -> None:
    api.push()

    with bus() as arrived:
        publish_events.handler(stream(), Context())

    [detail] = details(arrived)
    assert detail["owner"] is None
    assert detail["created_at"] == api.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert arrived[0]["Time"] == api.now


def test_moto_takes_the_events_as_they_are(bob: Api) -> None:
    resources.client("events").create_event_bus(Name="test-Events")
    push_with_views(bob, 12)

    answer = publish_events.handler(stream(), Context())

    assert failures(answer) == []


def test_numbers_grow_with_the_order_of_writing_as_text_too(bob: Api) -> None:
    push_with_views(bob, 12)
    batch = stream()
    batch["Records"][0]["dynamodb"]["SequenceNumber"] = "9" * 20  # shorter, but earlier

    with bus() as arrived:
        publish_events.handler(batch, Context())

    numbers = [detail["number"] for detail in details(arrived)]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == 13


def test_an_entry_that_is_removed_by_age_is_no_event(bob: Api) -> None:
    bob.push()
    [record] = stream()["Records"]
    del record["dynamodb"]["NewImage"]

    with wire_tap.calls() as calls:
        answer = publish_events.handler({"Records": [record | {"eventName": "REMOVE"}]}, Context())

    assert (failures(answer), calls) == ([], [])


def test_an_entry_rejected_by_the_bus_holds_the_next_ten(bob: Api, caplog: pytest.LogCaptureFixture) -> None:
    push_with_views(bob, 24)
    refused = f"{FIRST + 13:040d}"

    with bus(lambda detail: detail["number"] == refused) as arrived:
        answer = publish_events.handler(stream(), Context())

    assert failures(answer) == [str(FIRST + 13)]
    # The bus itself has taken the rest of the ten; the next ten were not sent.
    assert [int(detail["number"]) - FIRST for detail in details(arrived)] == [*range(13), *range(14, 20)]
    assert [record.__dict__["work"] for record in caplog.records if record.message == "record"] == ["publish"]


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalException"])
def test_when_the_bus_does_not_answer_all_from_there_on_comes_again(bob: Api, code: str) -> None:
    push_with_views(bob, 14)

    with wire_tap.answering("PutEvents", code, status=500):
        answer = publish_events.handler(stream(), Context())

    assert failures(answer) == [str(FIRST)]


def test_every_entry_arrives_in_order_despite_failures(bob: Api) -> None:
    push_with_views(bob, 40)
    seen: dict[str, int] = {}

    def refuses(detail: dict[str, Any]) -> bool:
        seen[detail["number"]] = seen.get(detail["number"], 0) + 1
        return int(detail["number"]) % 7 == 0 and seen[detail["number"]] == 1

    with bus(refuses) as arrived:
        dead = lambda_stream.deliver(publish_events.handler, stream(), retries=retries())

    numbers = [int(detail["number"]) - FIRST for detail in details(arrived)]
    assert dead == []
    assert set(numbers) == set(range(41))
    assert len(numbers) > 41  # some came twice; the last of each came in order
    last = {number: position for position, number in enumerate(numbers)}
    assert sorted(last, key=lambda number: last[number]) == list(range(41))


def test_a_permanent_failure_ends_in_the_dead_letter_queue(bob: Api) -> None:
    push_with_views(bob, 3)

    with bus(lambda detail: detail["kind"] == AuditKind.CREATION):
        dead = lambda_stream.deliver(publish_events.handler, stream(), retries=2)

    assert dead == [{"startSequenceNumber": str(FIRST), "endSequenceNumber": str(FIRST + 3), "batchSize": 4}]


def test_with_no_time_left_nothing_is_begun_and_all_is_reported(bob: Api) -> None:
    bob.push()

    answer = publish_events.handler(stream(), Context(milliseconds=1_000))

    assert failures(answer) == [str(FIRST)]


def test_no_event_and_no_line_of_the_log_has_anything_secret(bob: Api, capsys: pytest.CaptureFixture[str]) -> None:
    secrets = {"payload": "the-payload", "passphrase": "the-passphrase", "name": "the-name", "note": "the-note"}
    bob.headers |= {"user-agent": "the-agent", "referer": "https://the-referrer.example"}
    url_token = bob.push(**secrets)
    bob.retrieve(url_token, "the-passphrase")
    capsys.readouterr()

    with bus() as arrived:
        publish_events.handler(stream(), Context())
    with wire_tap.answering("PutEvents", "ThrottlingException"):
        publish_events.handler(stream(), Context())

    told = json.dumps(arrived, default=str) + capsys.readouterr().out
    for secret in (*secrets.values(), url_token, str(bob.token), bob.ip, "the-agent", "the-referrer"):
        assert secret not in told


def retries() -> int:
    return int(hop()["MaximumRetryAttempts"])


def hop() -> dict[str, Any]:
    properties = template.functions()["PublishEvents"]["Events"]["EntryWritten"]["Properties"]
    return dict(properties)


def test_the_stream_has_new_entries_and_limited_retries() -> None:
    table = template.resources("AWS::DynamoDB::Table")["AuditEntries"]
    [only] = hop()["FilterCriteria"]["Filters"]

    assert table["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}
    assert json.loads(only["Pattern"]) == {"eventName": ["INSERT"]}
    assert hop()["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert "ParallelizationFactor" not in hop()  # one batch of a shard after the other
    assert hop()["DestinationConfig"]["OnFailure"] == {"Type": "SQS", "Destination": {"Fn::GetAtt": "FailedEvents.Arn"}}
