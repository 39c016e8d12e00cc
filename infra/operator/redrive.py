"""Process the messages in the dead-letter queues, after you have fixed the cause of the failures.

python -m infra.operator.redrive removals
python -m infra.operator.redrive schedules
python -m infra.operator.redrive events
python -m infra.operator.redrive mails
python -m infra.operator.redrive notices

`removals` moves the messages of `FailedRemovals` back to `Removals` for another try. `schedules` and `events` read the
stream positions in `FailedSchedules` and `FailedEvents`, and process the records there as the function would have. A
stream keeps records for a day. Older ones are lost: the bucket's lifecycle removes their files 91 days after the
upload, and no link works until then; their events are not published, but the audit log has them.

`FailedMails` has two kinds of messages. `mails` moves mailings back to `Mails`; it records SES's reports of bounces and
complaints itself. `notices` moves the messages of `FailedNotices` back to `Notices`.

Run it again for messages that arrive later. A message is deleted only after its work is done, and the work is
idempotent.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from functions import note_mail_return, publish_events, schedule_removal
from infra.operator import installation
from shared.aws import clients

_TEN = 10  # the most messages in one SQS response
_HELD = 120  # seconds for which a message is hidden from other consumers
_DONE, _FAILED, _LOST = "done", "failed again and kept", "too old for the stream"


class _Context:
    """The part of Lambda's context that the handlers read."""

    function_name, memory_limit_in_mb, invoked_function_arn, aws_request_id = "redrive", 0, "", ""

    def get_remaining_time_in_millis(self) -> float:
        return inf


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installation.add_options(parser)
    parser.add_argument("queue", choices=["removals", "schedules", "events", "mails", "notices"])
    options = parser.parse_args(arguments)
    resources = installation.connect(options)
    match options.queue:
        case "removals":
            counted = move(resources["FailedRemovals"], resources["Removals"])
        case "schedules":
            counted = schedules(resources["FailedSchedules"])
        case "events":
            counted = events(resources["FailedEvents"])
        case "notices":
            counted = move(resources["FailedNotices"], resources["Notices"])
        case _:
            counted = mails(resources["FailedMails"], resources["Mails"])
    for outcome in (_DONE, _FAILED, _LOST):
        print(f"{counted[outcome]:>9,} messages {outcome}")


def move(failed: str, wanted: str) -> Counter[str]:
    """Move every message from the queue `failed` to the queue `wanted` (URLs); return the number of messages moved."""
    counted: Counter[str] = Counter()
    for message in _messages(failed):
        _sqs().send_message(QueueUrl=wanted, MessageBody=message["Body"])
        _delete(failed, message)
        counted[_DONE] += 1
    return counted


def schedules(failed: str) -> Counter[str]:
    """Schedule the removals for all stream positions in the queue `failed` (a URL); return the messages by outcome."""
    # The template's filter does the same: a new item needs no removal.
    return _process_queue(failed, lambda batch, context: schedule_removal.handler(_without_new(batch), context))


def events(failed: str) -> Counter[str]:
    """Publish the audit entries of all stream positions in the queue `failed` (a URL); return messages by outcome."""
    return _process_queue(failed, publish_events.handler)


def mails(failed: str, wanted: str) -> Counter[str]:
    """Move the mailings in the queue `failed` back to the queue `wanted`, and record the bounces and complaints in it.

    Both queues are given by their URLs. Returns the number of messages done.

    Raises: any error from recording a bounce or complaint. That message, and those not read yet, stay in `failed`.
    """
    counted: Counter[str] = Counter()
    for message in _messages(failed):
        event = json.loads(message["Body"])
        if event.get("source") == "aws.ses":
            note_mail_return.handler(event, _Context())
        else:
            _sqs().send_message(QueueUrl=wanted, MessageBody=message["Body"])
        _delete(failed, message)
        counted[_DONE] += 1
    return counted


def _process_queue(failed: str, handler: Callable[[dict[str, Any], Any], Any]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for message in _messages(failed):
        outcome = _outcome(json.loads(message["Body"])["DDBStreamBatchInfo"], handler)
        if outcome != _FAILED:
            _delete(failed, message)
        counted[outcome] += 1
    return counted


def _outcome(place: dict[str, Any], handler: Callable[[dict[str, Any], Any], Any]) -> str:
    """Pass the records at one stream position to the handler, as Lambda did; return the outcome."""
    streams = clients.client("dynamodbstreams")
    try:
        batch = list(_records(streams, place))
    except streams.exceptions.TrimmedDataAccessException:
        return _LOST
    return _FAILED if handler({"Records": batch}, _Context())["batchItemFailures"] else _DONE


def _without_new(batch: dict[str, Any]) -> dict[str, Any]:
    return {"Records": [record for record in batch["Records"] if record["eventName"] != "INSERT"]}


def _records(streams: Any, place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the records between two sequence numbers, including those that the function's filter drops."""
    last, number = int(place["endSequenceNumber"]), -1
    where = {"StreamArn": place["streamArn"], "ShardId": place["shardId"]}
    at = {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": place["startSequenceNumber"]}
    iterator = streams.get_shard_iterator(**where, **at)["ShardIterator"]
    while iterator and number < last:  # A response may be empty although more records follow.
        answer = streams.get_records(ShardIterator=iterator)
        iterator = answer.get("NextShardIterator")
        for record in answer["Records"]:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= last:
                yield record


def _messages(queue: str) -> Iterator[dict[str, Any]]:
    """Yield each message of a queue once. A message that is not deleted stays hidden for _HELD seconds."""
    seen: set[str] = set()
    while True:
        # A wait of a second asks all of the queue's servers; without it, a response may miss some messages.
        answer = _sqs().receive_message(
            QueueUrl=queue, MaxNumberOfMessages=_TEN, VisibilityTimeout=_HELD, WaitTimeSeconds=1
        )
        fresh = [message for message in answer.get("Messages", []) if message["MessageId"] not in seen]
        if not fresh:
            return
        seen |= {message["MessageId"] for message in fresh}
        yield from fresh


def _delete(queue: str, message: dict[str, Any]) -> None:
    _sqs().delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])


def _sqs() -> Any:
    return clients.client("sqs")


if __name__ == "__main__":
    main()
