"""Nothing is left behind: a secret goes → stream → queue with delay → the objects go."""

from typing import Any

import pytest

from functions import remove_objects, schedule_removal
from infra import template
from shared import seal
from tests import engine, wire_tap
from tests.client import Api
from tests.contract.test_files import inline, objects

pytestmark = pytest.mark.prove(
    "5", "Once a secret is gone its objects go, and a removal that fails is tried again or raises an alarm", "moto"
)

LARGE = "x" * 400_000


def stream(*push_ids: str) -> dict[str, Any]:
    """What the stream of the Secrets table sends when their items are gone, by whatever cause."""
    return {
        "Records": [
            {
                "eventID": str(number),
                "eventName": "REMOVE",
                "eventSource": "aws:dynamodb",
                "dynamodb": {"Keys": {"id": {"S": push_id}}, "SequenceNumber": push_id, "StreamViewType": "KEYS_ONLY"},
            }
            for number, push_id in enumerate(push_ids)
        ]
    }


def queue(*push_ids: str) -> dict[str, Any]:
    return {
        "Records": [{"messageId": push_id, "eventSource": "aws:sqs", "body": push_id} for push_id in push_ids],
    }


def scheduled() -> list[str]:
    answer = engine.client("sqs").receive_message(QueueUrl=engine.QUEUE_URL, MaxNumberOfMessages=10)
    return sorted(message["Body"] for message in answer.get("Messages", []))


def failures(answer: dict[str, Any]) -> list[str]:
    return [one["itemIdentifier"] for one in answer["batchItemFailures"]]


def push_with(bob: Api, payload: str = "", **fields: Any) -> str:
    return seal.digest(bob.push(payload, **fields))


def test_what_left_objects_is_scheduled_and_what_left_none_is_not(bob: Api) -> None:
    with_files = push_with(bob, files=[inline("a", b"x")])
    with_large_payload = push_with(bob, LARGE)
    with_nothing = push_with(bob, "text")

    answer = schedule_removal.handler(stream(with_files, with_large_payload, with_nothing), None)

    assert failures(answer) == []
    assert scheduled() == sorted([with_files, with_large_payload])


def test_a_push_whose_record_is_purged_already_is_scheduled(bob: Api) -> None:
    schedule_removal.handler(stream("0" * 64), None)

    assert scheduled() == ["0" * 64]


def test_one_that_fails_is_reported_by_itself(bob: Api) -> None:
    first, second = (push_with(bob, files=[inline("a", b"x")]) for _ in range(2))

    with wire_tap.failing(0, after=False):
        answer = schedule_removal.handler(stream(first, second), None)

    assert failures(answer) == [first]
    assert scheduled() == [second]


def test_everything_of_a_push_is_removed_and_nothing_else(bob: Api) -> None:
    doomed = push_with(bob, LARGE, files=[inline("a", b"x"), inline("b", b"y")])
    push_with(bob, files=[inline("c", b"z")])
    assert objects() == ["files/0", "files/0", "files/1", "payload"]

    answer = remove_objects.handler(queue(doomed), None)

    assert failures(answer) == []
    assert objects() == ["files/0"]


def test_removing_twice_or_nothing_is_fine(bob: Api) -> None:
    doomed = push_with(bob, files=[inline("a", b"x")])

    answers = [remove_objects.handler(queue(doomed), None) for _ in range(2)]

    assert [failures(answer) for answer in answers] == [[], []]


@pytest.mark.parametrize("number", [0, 1])
def test_a_removal_that_fails_is_reported_and_can_be_tried_again(bob: Api, number: int) -> None:
    doomed = push_with(bob, files=[inline("a", b"x")])

    with wire_tap.failing(number, after=False):
        failed = remove_objects.handler(queue(doomed), None)
    again = remove_objects.handler(queue(doomed), None)

    assert (failures(failed), failures(again)) == ([doomed], [])
    assert objects() == []


def test_a_failure_is_logged_without_its_message(bob: Api, caplog: pytest.LogCaptureFixture) -> None:
    with wire_tap.failing(0, after=False):
        remove_objects.handler(queue("0" * 64), None)

    record = caplog.records[-1].__dict__
    assert record["work"] == "remove_objects"
    assert record["failure"][0].startswith("EndpointConnectionError < ")


def test_both_hops_retry_a_bounded_number_of_times_and_end_in_a_queue_with_an_alarm() -> None:
    dead = {"Fn::GetAtt": "FailedRemovals.Arn"}
    hop = template.functions()["ScheduleRemoval"]["Events"]["SecretGone"]["Properties"]
    links_lapsed = template.functions()["RemoveObjects"]["Events"]["LinksLapsed"]["Properties"]
    removals = template.resources("AWS::SQS::Queue")["Removals"]
    [alarm] = template.resources("AWS::CloudWatch::Alarm").values()

    assert hop["DestinationConfig"]["OnFailure"] == {"Type": "SQS", "Destination": dead}
    assert hop["MaximumRecordAgeInSeconds"] == 82_800
    assert hop["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert hop["FilterCriteria"] == {"Filters": [{"Pattern": '{"eventName": ["REMOVE"]}'}]}
    assert removals["RedrivePolicy"] == {"deadLetterTargetArn": dead, "maxReceiveCount": 30}
    assert links_lapsed["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert alarm["Dimensions"] == [{"Name": "QueueName", "Value": {"Fn::GetAtt": "FailedRemovals.QueueName"}}]


def test_links_lapse_before_the_objects_go() -> None:
    from shared import files

    delay = int(template.defaults()["RemovalDelay"])

    assert template.resources("AWS::SQS::Queue")["Removals"]["DelaySeconds"] == {"Ref": "RemovalDelay"}
    assert delay > files.DOWNLOAD_LIFETIME.total_seconds()


def test_the_stream_shows_keys_only() -> None:
    secrets = template.resources("AWS::DynamoDB::Table")["Secrets"]

    assert secrets["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
