"""Each dead-letter queue is processed by its command in docs/operations.md, on the running stack."""

import json
from typing import Any

from infra.local.stack import Stack
from shared.domain import digests
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.e2e.conftest import Command
from tests.e2e.test_events import events, local_events
from tests.e2e.test_files import eventually
from tests.e2e.test_mails import mails_to, status


def test_each_dead_letter_queue_is_processed(stack: Stack, bob: HttpApi, command: Command) -> None:
    bob.expire(bob.push(payload="x" * 5_000))
    for queue, table in {"FailedSchedules": "Secrets", "FailedEvents": "AuditEntries"}.items():
        put(stack, queue, {"DDBStreamBatchInfo": place_of_all(stack, table)})
    put(stack, "FailedRemovals", digests.digest(bob.push()))

    printed = [command("redrive", queue).splitlines() for queue in ("schedules", "removals", "events")]

    assert [int(lines[-3].split()[0]) for lines in printed] == [1, 1, 1]
    assert [waiting(stack, queue) for queue in ("FailedSchedules", "FailedRemovals", "FailedEvents")] == [0, 0, 0]


def test_failed_audit_entries_are_published_again(stack: Stack, bob: HttpApi, command: Command) -> None:
    push_id = digests.digest(bob.push())
    eventually(lambda: len(local_events(stack, push_id)) == 1)
    for path in events(stack).glob("*.json"):
        path.unlink()  # as if none had been published
    put(stack, "FailedEvents", {"DDBStreamBatchInfo": place_of_all(stack, "AuditEntries")})

    command("redrive", "events")

    eventually(lambda: bool(local_events(stack, push_id)))
    assert [detail["kind"] for detail in local_events(stack, push_id)] == ["creation"]


def test_mails_that_failed_are_sent_and_returns_that_failed_are_noted(
    stack: Stack, bob: HttpApi, command: Command
) -> None:
    put(stack, "FailedMails", unsent(stack, bob, "redriven@example.org"))
    put(stack, "FailedMails", returned_mail_message("gone@example.org"))

    printed = command("redrive", "mails").splitlines()

    assert int(printed[-3].split()[0]) == 2
    assert waiting(stack, "FailedMails") == 0
    assert eventually(lambda: len(mails_to(stack, "redriven@example.org")) == 1)
    later = bob.push(notify_emails_to="gone@example.org")
    assert eventually(lambda: status(bob, later) == ["failed"])
    assert mails_to(stack, "gone@example.org") == []


def unsent(stack: Stack, bob: HttpApi, recipient: str) -> str:
    """Return the message of a mailing that was never sent, taken from `Mails`."""
    functions, sqs = stack.emulator.client("lambda"), stack.emulator.client("sqs")
    mapping, queue = aws.physical(stack, "SendMailWanted"), {"QueueUrl": aws.physical(stack, "Mails")}
    functions.update_event_source_mapping(UUID=mapping, Enabled=False)
    try:
        push_id, found = digests.digest(bob.push(notify_emails_to=recipient)), list[dict[str, str]]()

        def arrives() -> bool:
            messages = sqs.receive_message(**queue, MaxNumberOfMessages=10).get("Messages", [])
            found.extend(message for message in messages if push_id in message["Body"])
            return bool(found)

        assert eventually(arrives)
        sqs.delete_message(**queue, ReceiptHandle=found[0]["ReceiptHandle"])
    finally:
        functions.update_event_source_mapping(UUID=mapping, Enabled=True)
    return found[0]["Body"]


def returned_mail_message(recipient: str) -> dict[str, Any]:
    """Return SES's report of an unknown address, as Lambda puts it into the dead-letter queue."""
    bounce = {"bounceType": "Permanent", "bouncedRecipients": [{"emailAddress": recipient}]}
    return {"source": "aws.ses", "detail": {"eventType": "Bounce", "bounce": bounce, "mail": {}}}


def put(stack: Stack, queue: str, message: Any) -> None:
    """Put a message into a queue, like SQS or Lambda."""
    body = message if isinstance(message, str) else json.dumps(message)
    stack.emulator.client("sqs").send_message(QueueUrl=aws.physical(stack, queue), MessageBody=body)


def waiting(stack: Stack, queue: str) -> int:
    """Return the number of messages in a queue."""
    asked = {"QueueUrl": aws.physical(stack, queue), "AttributeNames": ["ApproximateNumberOfMessages"]}
    attributes = stack.emulator.client("sqs").get_queue_attributes(**asked)["Attributes"]
    return int(attributes["ApproximateNumberOfMessages"])


def place_of_all(stack: Stack, table: str) -> dict[str, Any]:
    """Return Lambda's message for all current records of a table's stream."""
    streams = stack.emulator.client("dynamodbstreams")
    described = stack.emulator.client("dynamodb").describe_table(TableName=aws.physical(stack, table))
    arn = described["Table"]["LatestStreamArn"]
    [shard] = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][:1]
    where = {"StreamArn": arn, "ShardId": shard["ShardId"]}
    iterator = streams.get_shard_iterator(**where, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    numbers: list[str] = []
    while records := (answer := streams.get_records(ShardIterator=iterator))["Records"]:
        numbers += [record["dynamodb"]["SequenceNumber"] for record in records]
        iterator = answer["NextShardIterator"]
    ends = {"startSequenceNumber": numbers[0], "endSequenceNumber": numbers[-1]}
    return {"streamArn": arn, "shardId": shard["ShardId"], **ends}
