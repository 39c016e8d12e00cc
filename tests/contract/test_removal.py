"""Nothing is left over: a secret is deleted → stream → queue with delay → its objects are deleted."""

import json
from typing import Any

import pytest

from functions import remove_objects, schedule_removal
from infra.build import template
from shared.domain import digests, lease, limits
from tests.contract.test_files import inline, objects
from tests.doubles import lambda_stream, partial_failures, virtual_time
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.meters import wire_tap

pytestmark = pytest.mark.prove(
    "5", "Once a secret is gone its objects go, and a removal that fails is tried again or raises an alarm", "moto"
)

LARGE = "x" * 400_000


def stream(*push_ids: str) -> dict[str, Any]:
    """Return the stream records of the Secrets table for its deleted items, for any cause."""
    return {
        "Records": [
            {
                "eventID": str(number),
                "eventName": "REMOVE",
                "eventSource": "aws:dynamodb",
                "dynamodb": {
                    "Keys": {"id": {"S": push_id}},
                    "SequenceNumber": str(number),
                    "StreamViewType": "KEYS_ONLY",
                },
            }
            for number, push_id in enumerate(push_ids, start=1_000)
        ]
    }


def queue(*push_ids: str) -> dict[str, Any]:
    return {
        "Records": [{"messageId": push_id, "eventSource": "aws:sqs", "body": push_id} for push_id in push_ids],
    }


def scheduled() -> list[str]:
    """Return all of the queue's content, in order."""
    bodies: list[str] = []
    while (
        messages := resources.client("sqs")
        .receive_message(QueueUrl=resources.QUEUE_URL, MaxNumberOfMessages=10)
        .get("Messages")
    ):
        bodies += [message["Body"] for message in messages]
    return sorted(bodies)


def ids(count: int) -> list[str]:
    """Return ids of pushes whose records are gone."""
    return [f"{number:064x}" for number in range(count)]


def failures(answer: dict[str, Any]) -> list[str]:
    return [one["itemIdentifier"] for one in answer["batchItemFailures"]]


def push_with(bob: Api, payload: str = "", **fields: Any) -> str:
    return digests.digest(bob.push(payload, **fields))


def test_only_a_push_with_objects_is_scheduled_for_removal(bob: Api) -> None:
    with_files = push_with(bob, files=[inline("a", b"x")])
    with_large_payload = push_with(bob, LARGE)
    with_nothing = push_with(bob, "text")

    answer = schedule_removal.handler(stream(with_files, with_large_payload, with_nothing), Context())

    assert failures(answer) == []
    assert scheduled() == sorted([with_files, with_large_payload])


def test_a_purged_push_s_removal_is_scheduled(bob: Api) -> None:
    schedule_removal.handler(stream("0" * 64), Context())

    assert scheduled() == ["0" * 64]


def test_a_hundred_take_one_read_and_ten_messages_a_call(api: Api, bob: Api) -> None:
    with_files = push_with(api, LARGE)
    url_token = bob.push("text")
    bob.expire(url_token)
    gone = [with_files, *ids(98), digests.digest(url_token)]

    with wire_tap.calls() as calls:
        schedule_removal.handler(stream(*gone), Context())

    assert [name for name, _ in calls] == ["BatchGetItem", *["SendMessageBatch"] * 10]
    assert scheduled() == sorted(gone[:-1])


def test_a_repeated_record_in_a_batch_is_scheduled_once(bob: Api) -> None:
    answer = schedule_removal.handler(stream(*ids(2), *ids(2)), Context())

    assert (failures(answer), scheduled()) == ([], ids(2))


@pytest.mark.parametrize("code", ["", "ProvisionedThroughputExceededException", "InternalServerError"])
def test_all_are_scheduled_if_their_objects_are_unknown(bob: Api, code: str, caplog: pytest.LogCaptureFixture) -> None:
    gone = [push_with(bob, "text"), push_with(bob, files=[inline("a", b"x")])]

    unknown = wire_tap.answering("BatchGetItem", code) if code else partial_failures.leaving_unread()
    with virtual_time.passing(), unknown:
        answer = schedule_removal.handler(stream(*gone), Context())

    assert (failures(answer), scheduled()) == ([], sorted(gone))
    assert not any("active_since" in push for push in resources.items("Pushes"))
    assert [record.message for record in caplog.records][-1] == "choice"


def test_messages_rejected_by_sqs_are_reported_individually_and_logged(
    bob: Api, caplog: pytest.LogCaptureFixture
) -> None:
    with partial_failures.refusing(ids(12)[3], ids(12)[11]):
        answer = schedule_removal.handler(stream(*ids(12)), Context())

    assert failures(answer) == ["1003", "1011"]
    assert [record.__dict__["refused"] for record in caplog.records if record.message == "record"] == [1, 1]


def test_ten_that_could_not_be_sent_are_reported_and_the_others_go(bob: Api) -> None:
    with wire_tap.failing(1, after=False):
        answer = schedule_removal.handler(stream(*ids(25)), Context())

    assert failures(answer) == [str(1_000 + number) for number in range(10)]
    assert scheduled() == ids(25)[10:]


def test_a_record_that_fails_once_is_scheduled_at_a_retry(bob: Api) -> None:
    with partial_failures.refusing(ids(30)[5], times=1):
        dead = lambda_stream.deliver(schedule_removal.handler, stream(*ids(30)), retries=retries())

    assert dead == []
    assert set(scheduled()) == set(ids(30))


def test_a_permanent_failure_is_dead_lettered_and_blocks_no_other(bob: Api) -> None:
    with partial_failures.refusing(ids(30)[5]):
        dead = lambda_stream.deliver(schedule_removal.handler, stream(*ids(30)), retries=2)

    assert dead == [{"startSequenceNumber": "1005", "endSequenceNumber": "1029", "batchSize": 25}]
    assert set(scheduled()) == set(ids(30)) - {ids(30)[5]}


def test_with_no_time_left_nothing_is_begun_and_all_is_reported(bob: Api) -> None:
    scheduling = schedule_removal.handler(stream(*ids(2)), Context(milliseconds=1_000))
    removing = remove_objects.handler(queue(*ids(2)), Context(milliseconds=1_000))

    assert failures(scheduling) == ["1000", "1001"]
    assert failures(removing) == ids(2)
    assert scheduled() == []


def test_everything_of_a_push_is_removed_and_nothing_else(bob: Api) -> None:
    doomed = push_with(bob, LARGE, files=[inline("a", b"x"), inline("b", b"y")])
    push_with(bob, files=[inline("c", b"z")])
    assert objects() == ["files/0", "files/0", "files/1", "payload"]

    answer = remove_objects.handler(queue(doomed), Context())

    assert failures(answer) == []
    assert objects() == ["files/0"]


def test_removing_twice_or_nothing_is_fine(bob: Api) -> None:
    doomed = push_with(bob, files=[inline("a", b"x")])

    answers = [remove_objects.handler(queue(doomed), Context()) for _ in range(2)]

    assert [failures(answer) for answer in answers] == [[], []]


@pytest.mark.parametrize("number", [0, 1])
def test_a_removal_that_fails_is_reported_and_can_be_tried_again(bob: Api, number: int) -> None:
    doomed = push_with(bob, files=[inline("a", b"x")])

    with wire_tap.failing(number, after=False):
        failed = remove_objects.handler(queue(doomed), Context())
    again = remove_objects.handler(queue(doomed), Context())

    assert (failures(failed), failures(again)) == ([doomed], [])
    assert objects() == []


def test_more_objects_than_one_page_holds_are_all_removed(bob: Api) -> None:
    doomed = push_with(bob, LARGE, files=[inline("a", b"x")] * 4)

    with partial_failures.listing(2):
        answer = remove_objects.handler(queue(doomed), Context())

    assert (failures(answer), objects()) == ([], [])


def test_an_object_that_s3_keeps_is_reported_and_the_others_go(bob: Api, caplog: pytest.LogCaptureFixture) -> None:
    doomed = push_with(bob, files=[inline("a", b"x")] * 5)

    with partial_failures.listing(2, keeping="files/1"):
        failed = remove_objects.handler(queue(doomed), Context())
    left = objects()
    again = remove_objects.handler(queue(doomed), Context())

    assert (failures(failed), left) == ([doomed], ["files/1"])
    assert caplog.records[-1].__dict__["failure"][0].startswith("NotRemoved AccessDenied < ")
    assert (failures(again), objects()) == ([], [])


def test_a_failure_is_logged_without_its_message(bob: Api, caplog: pytest.LogCaptureFixture) -> None:
    with wire_tap.failing(0, after=False):
        remove_objects.handler(queue("0" * 64), Context())

    record = caplog.records[-1].__dict__
    assert record["work"] == "remove_objects"
    assert record["failure"][0].startswith("EndpointConnectionError < ")


def test_both_hops_have_limited_retries_and_a_dead_letter_queue() -> None:
    hop = template.functions()["ScheduleRemoval"]["Events"]["SecretGone"]["Properties"]
    links_lapsed = template.functions()["RemoveObjects"]["Events"]["LinksLapsed"]["Properties"]
    removals = template.resources("AWS::SQS::Queue")["Removals"]
    dead = {"Fn::GetAtt": "FailedRemovals.Arn"}

    assert hop["DestinationConfig"]["OnFailure"] == {
        "Type": "SQS",
        "Destination": {"Fn::GetAtt": "FailedSchedules.Arn"},
    }
    assert (hop["BatchSize"], hop["BisectBatchOnFunctionError"], hop["ParallelizationFactor"]) == (100, True, 2)
    assert hop["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    [only] = hop["FilterCriteria"]["Filters"]
    wanted = json.loads(only["Pattern"])
    assert wanted["eventName"] == ["REMOVE", "MODIFY"]  # MODIFY: the last view has left its ciphertext for the leases
    digits = {rule["prefix"] for rule in wanted["dynamodb"]["Keys"]["id"]["S"]}
    assert digits == set("0123456789abcdef")  # ids of pushes start like this, those of leases do not
    assert lease.PREFIX[0] not in digits
    assert removals["RedrivePolicy"]["deadLetterTargetArn"] == dead
    assert links_lapsed["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_every_dead_letter_queue_has_an_alarm() -> None:
    watched = json.dumps(list(template.resources("AWS::CloudWatch::Alarm").values()))

    for name in ("FailedRemovals", "FailedSchedules", "FailedEvents", "FailedMails", "FailedNotices"):
        assert json.dumps({"Fn::GetAtt": f"{name}.QueueName"}) in watched


def test_the_runbook_says_how_long_each_hop_tries() -> None:
    hop = template.functions()["ScheduleRemoval"]["Events"]["SecretGone"]["Properties"]
    removals = template.resources("AWS::SQS::Queue")["Removals"]
    hours = hop["MaximumRecordAgeInSeconds"] / 3_600
    minutes = removals["RedrivePolicy"]["maxReceiveCount"] * removals["VisibilityTimeout"] / 60
    page = " ".join((template.ROOT / "docs/operations.md").read_text().split())

    assert f"{removals['RedrivePolicy']['maxReceiveCount']} times in {minutes:.0f} minutes" in page
    assert f"{retries()} times again, for {hours:.0f} hours at most" in page


def retries() -> int:
    hop = template.functions()["ScheduleRemoval"]["Events"]["SecretGone"]["Properties"]
    return int(hop["MaximumRetryAttempts"])


def test_links_lapse_before_the_objects_go() -> None:

    delay = template.resources("AWS::SQS::Queue")["Removals"]["DelaySeconds"]

    assert delay > limits.DOWNLOAD_LIFETIME.total_seconds()


def test_the_stream_shows_keys_only() -> None:
    secrets = template.resources("AWS::DynamoDB::Table")["Secrets"]

    assert secrets["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
