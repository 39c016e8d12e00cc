"""The command for each dead-letter queue processes its messages, and deletes one only after its work is done."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.sqs.models import SQSBackend

from functions import note_mail_return, remove_objects
from infra.operator import installation, redrive
from shared.aws import clients
from shared.domain import digests
from tests.drivers.client import Api, Context
from tests.engines import resources
from tests.meters import wire_tap

LONG = "x" * 5_000  # stored in S3

Queue = Callable[[str], str]


@pytest.fixture
def queue(aws: None, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """Create a queue; return its URL."""
    received = SQSBackend.receive_message

    def receive(backend: SQSBackend, queue: str, count: int, _wait: int, *others: Any) -> Any:
        return received(backend, queue, count, 0, *others)  # moto busy-waits for a second

    monkeypatch.setattr(SQSBackend, "receive_message", receive)
    return lambda name: str(resources.client("sqs").create_queue(QueueName=name)["QueueUrl"])


class Stream:
    """A double of the stream of Secrets, which moto lacks: pages of three records, every second one empty."""

    def __init__(self, *events: tuple[str, str], trimmed: bool = False) -> None:
        self.records: list[dict[str, Any]] = [
            {"eventName": name, "dynamodb": {"SequenceNumber": str(number), "Keys": {"id": {"S": id_}}}}
            for number, (name, id_) in enumerate(events, start=100)
        ]
        self._trimmed = trimmed
        self.exceptions = SimpleNamespace(TrimmedDataAccessException=Trimmed)

    def place(self, first: int = 0, last: int = -1) -> dict[str, Any]:
        """Return Lambda's dead-letter message for these records."""
        numbers = [record["dynamodb"]["SequenceNumber"] for record in self.records]
        ends = {"startSequenceNumber": numbers[first], "endSequenceNumber": numbers[last]}
        return {"streamArn": "arn", "shardId": "shard", **ends}

    def get_shard_iterator(self, **asked: str) -> dict[str, str]:
        if self._trimmed:
            raise Trimmed
        return {"ShardIterator": asked["SequenceNumber"] + " full"}

    def get_records(self, *, ShardIterator: str) -> dict[str, Any]:  # noqa: N803 (as boto3 has it)
        number, kind = ShardIterator.split()
        if kind == "empty":
            return {"Records": [], "NextShardIterator": f"{number} full"}
        start = int(number) - 100
        page = self.records[start : start + 3]
        return {"Records": page, "NextShardIterator": f"{int(number) + 3} empty"}


class Trimmed(Exception):
    """The stream's error for expired records."""


Streamed = Callable[[Stream], Stream]


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> Streamed:
    """Let the command read from a double."""
    real = clients.client

    def streamed(double: Stream) -> Stream:
        monkeypatch.setattr(clients, "client", lambda name: double if name == "dynamodbstreams" else real(name))
        return double

    return streamed


def end_push(caller: Api, url_token: str, event: str = "REMOVE") -> tuple[str, str]:
    """End a push; return the stream's records of it."""
    caller.expire(url_token)
    return event, digests.digest(url_token)


def bodies(url: str) -> list[str]:
    """Return the bodies of a queue's messages."""
    client, found = resources.client("sqs"), []
    while messages := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
        found += [message["Body"] for message in messages]
    return sorted(found)


def dead(url: str, place: dict[str, Any]) -> None:
    resources.client("sqs").send_message(QueueUrl=url, MessageBody=json.dumps({"DDBStreamBatchInfo": place}))


def test_removals_go_back_to_where_they_are_tried_again(queue: Queue) -> None:
    failed = queue("failed")
    for number in range(25):
        resources.client("sqs").send_message(QueueUrl=failed, MessageBody=f"{number:064x}")

    counted = redrive.move(failed, resources.QUEUE_URL)

    assert counted["done"] == 25
    assert bodies(resources.QUEUE_URL) == [f"{number:064x}" for number in range(25)]
    assert bodies(failed) == []


def test_a_removal_is_dropped_only_once_it_is_in_the_other_queue(queue: Queue) -> None:
    failed = queue("failed")
    resources.client("sqs").send_message(QueueUrl=failed, MessageBody="a" * 64)

    with wire_tap.answering("SendMessage", "InternalError"), pytest.raises(ClientError):
        redrive.move(failed, resources.QUEUE_URL)

    attributes = ["ApproximateNumberOfMessagesNotVisible"]
    held = resources.client("sqs").get_queue_attributes(QueueUrl=failed, AttributeNames=attributes)["Attributes"]
    assert held == {attributes[0]: "1"}


def test_schedules_that_failed_are_made_and_the_objects_go(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    bob.push(payload=LONG)
    double = streamed(Stream(*[end_push(bob, bob.push(payload=LONG)) for _ in range(7)]))
    dead(failed, double.place())

    counted = redrive.schedules(failed)

    scheduled = bodies(resources.QUEUE_URL)
    assert (counted["done"], len(scheduled), bodies(failed)) == (1, 7, [])
    records = [{"messageId": str(n), "body": body} for n, body in enumerate(scheduled)]
    remove_objects.handler({"Records": records}, Context())
    assert len(resources.object_keys()) == 1


def test_the_ciphertext_that_a_last_view_left_is_scheduled_too(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    url_token = bob.push(expire_after_views=1)
    bob.retrieve(url_token, key="k" * 43)
    double = streamed(Stream(("INSERT", digests.digest(url_token)), ("MODIFY", digests.digest(url_token))))
    dead(failed, double.place())

    redrive.schedules(failed)

    assert bodies(resources.QUEUE_URL) == [digests.digest(url_token)]


def test_only_the_records_of_the_place_are_worked_on(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    double = streamed(Stream(*[end_push(bob, bob.push(payload=LONG)) for _ in range(6)]))
    dead(failed, double.place(1, 2))

    redrive.schedules(failed)

    assert len(bodies(resources.QUEUE_URL)) == 2


def test_a_record_without_a_removal_is_not_scheduled(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    double = streamed(Stream(("INSERT", digests.digest(bob.push(payload=LONG))), end_push(bob, bob.push(payload=LONG))))
    dead(failed, double.place())

    redrive.schedules(failed)

    assert len(bodies(resources.QUEUE_URL)) == 1


def test_a_message_stays_if_its_work_fails_again(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    double = streamed(Stream(end_push(bob, bob.push(payload=LONG))))
    dead(failed, double.place())

    with wire_tap.answering("SendMessageBatch", "InternalError"):
        counted = redrive.schedules(failed)

    assert counted == {"failed again and kept": 1}
    left = resources.client("sqs").get_queue_attributes(QueueUrl=failed, AttributeNames=["All"])["Attributes"]
    assert left["ApproximateNumberOfMessagesNotVisible"] == "1"  # hidden for two minutes


def test_expired_stream_records_are_dropped_and_counted(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    double = streamed(Stream(end_push(bob, bob.push(payload=LONG)), trimmed=True))
    dead(failed, double.place())

    counted = redrive.schedules(failed)

    assert counted == {"too old for the stream": 1}
    assert bodies(failed) == []


def test_events_that_failed_are_published(bob: Api, queue: Queue, streamed: Streamed) -> None:
    failed = queue("failed")
    resources.client("events").create_event_bus(Name="test-Events")
    bob.push()
    double = streamed(Stream(("INSERT", "unused"), ("REMOVE", "unused")))
    [entry] = resources.items("AuditEntries")
    double.records[0]["dynamodb"] |= {"NewImage": entry}
    dead(failed, double.place())

    with wire_tap.calls() as calls:
        counted = redrive.events(failed)

    assert counted == {"done": 1}
    assert [operation for operation, _ in calls].count("PutEvents") == 1
    assert bodies(failed) == []


def test_mailings_go_back_and_returned_mails_are_noted(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, aws: None
) -> None:
    failed, wanted, noted = queue("failed"), queue("wanted"), []
    mailing, returned = {"source": "test", "detail-type": "Audit entry"}, {"source": "aws.ses", "detail": {}}
    monkeypatch.setattr(note_mail_return, "handler", lambda event, _context: noted.append(event))
    for event in (mailing, returned):
        resources.client("sqs").send_message(QueueUrl=failed, MessageBody=json.dumps(event))

    counted = redrive.mails(failed, wanted)

    assert counted == {"done": 2}
    assert ([json.loads(body) for body in bodies(wanted)], noted) == ([mailing], [returned])
    assert bodies(failed) == []


def test_the_command_says_how_many(
    queue: Queue, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = queue("failed")
    resources.client("sqs").send_message(QueueUrl=failed, MessageBody="a" * 64)
    monkeypatch.setattr(
        installation, "connect", lambda _options: {"FailedRemovals": failed, "Removals": resources.QUEUE_URL}
    )

    redrive.main(["removals"])

    assert "1 messages done" in capsys.readouterr().out
