"""Have done what lies in the dead-letter queues, once the cause of its failure is mended.

python -m infra.operator.redrive removals
python -m infra.operator.redrive schedules
python -m infra.operator.redrive events
python -m infra.operator.redrive mails
python -m infra.operator.redrive notices

`removals` moves what `FailedRemovals` holds back to `Removals`, from where it is tried again. `schedules` and `events`
read the places in a stream that `FailedSchedules` and `FailedEvents` hold, and do for the records there what the
function would have done. A stream remembers a day. What is older is lost to it: files are removed by the bucket's
lifecycle, 91 days after they came, and no link leads there meanwhile; events are not told, the audit log has them.

`mails` moves the mailings of `FailedMails` back to `Mails`, and notes the returned mails that lie there.
`notices` moves what `FailedNotices` holds back to `Notices`.

Run it again for what arrives meanwhile. A message goes only once its work is done, and the work is idempotent.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from infra.operator import installation

_TEN = 10  # messages that SQS gives at once
_HELD = 120  # seconds that nobody else gets a message in
_DONE, _FAILED, _LOST = "done", "failed again, and stay", "forgotten by the stream"


class _Context:
    """What the functions' handlers ask of Lambda's context."""

    function_name, memory_limit_in_mb, invoked_function_arn, aws_request_id = "redrive", 0, "", ""

    def get_remaining_time_in_millis(self) -> float:
        return inf


def main(arguments: list[str] | None = None) -> None:
    """Do what the command line says."""
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
    """Move every message of the queue at the URL `failed` back to that at `wanted`; count the outcomes."""
    counted: Counter[str] = Counter()
    for message in _messages(failed):
        _sqs().send_message(QueueUrl=wanted, MessageBody=message["Body"])
        _delete(failed, message)
        counted[_DONE] += 1
    return counted


def schedules(failed: str) -> Counter[str]:
    """Schedule the removals that every place in the queue at this URL stands for; count the outcomes."""
    from functions import schedule_removal

    # As the template's filter has it: what is new needs no removal.
    return _process_queue(failed, lambda batch, context: schedule_removal.handler(_without_new(batch), context))


def events(failed: str) -> Counter[str]:
    """Publish the audit entries that every place in the queue at this URL stands for; count the outcomes."""
    from functions import publish_events

    return _process_queue(failed, publish_events.handler)


def mails(failed: str, wanted: str) -> Counter[str]:
    """Move mailings back to the queue at the URL `wanted`, and note returned mails; count the outcomes.

    Raises: whatever keeps a return from being noted; its message stays.
    """
    from functions import note_mail_return

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
    """Give the records of one place to the function's own handler, as Lambda did."""
    streams = _client("dynamodbstreams")
    try:
        batch = list(_records(streams, place))
    except streams.exceptions.TrimmedDataAccessException:
        return _LOST
    return _FAILED if handler({"Records": batch}, _Context())["batchItemFailures"] else _DONE


def _without_new(batch: dict[str, Any]) -> dict[str, Any]:
    return {"Records": [record for record in batch["Records"] if record["eventName"] != "INSERT"]}


def _records(streams: Any, place: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The records from the first of the place to its last, those included that the function's filter keeps out."""
    last, number = int(place["endSequenceNumber"]), -1
    where = {"StreamArn": place["streamArn"], "ShardId": place["shardId"]}
    at = {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": place["startSequenceNumber"]}
    iterator = streams.get_shard_iterator(**where, **at)["ShardIterator"]
    while iterator and number < last:  # An answer may be empty, though more records follow.
        answer = streams.get_records(ShardIterator=iterator)
        iterator = answer.get("NextShardIterator")
        for record in answer["Records"]:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= last:
                yield record


def _messages(queue: str) -> Iterator[dict[str, Any]]:
    """Each message of a queue once; those that stay are held back meanwhile."""
    seen: set[str] = set()
    while True:
        # A second's wait asks all of the queue's servers; without it, an answer may lack what some of them hold.
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
    return _client("sqs")


def _client(service: str) -> Any:
    from shared.aws import clients

    return clients.client(service)


if __name__ == "__main__":
    main()
