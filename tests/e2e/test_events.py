"""Events on the running stack: the real stream, the function's own role, and a subscriber's rule."""

import json
from pathlib import Path
from typing import Any

from infra.local.stack import STACK_NAME, Stack
from tests.drivers.http_client import HttpApi
from tests.e2e.test_files import eventually


def local_events(stack: Stack, push_id: str) -> list[dict[str, Any]]:
    """Return the events of a push that the local stack has written, in the order of their numbers."""
    written = [json.loads(path.read_text())["detail"] for path in sorted(events(stack).glob("*.json"))]
    return [detail for detail in written if detail["push_id"] == push_id]


def events(stack: Stack) -> Path:
    return stack.directory / "events"


def test_every_entry_of_a_push_becomes_an_event_that_the_local_stack_shows(stack: Stack, bob: HttpApi) -> None:
    from shared.domain import digests

    url_token = bob.push(expire_after_views=2)
    for _ in range(3):
        bob.retrieve(url_token)
    push_id = digests.digest(url_token)

    eventually(lambda: len(local_events(stack, push_id)) >= 4)

    told = [(detail["kind"], detail["views_left"]) for detail in local_events(stack, push_id)]
    assert told == [("creation", 2), ("owner_view", 1), ("owner_view", 0), ("failed_view", 0)]
    assert url_token not in "".join(path.read_text() for path in events(stack).glob("*.json"))


def test_the_rule_of_the_document_tells_a_queue_of_guesses(stack: Stack, bob: HttpApi) -> None:
    pattern = {"detail-type": ["Audit entry"], "detail": {"kind": ["failed_passphrase"]}}
    queue = stack.emulator.client("sqs").create_queue(QueueName="guesses")["QueueUrl"]
    rules = stack.emulator.client("events")
    rules.put_rule(Name="guesses", EventBusName=STACK_NAME, EventPattern=json.dumps(pattern))
    target = {"Id": "guesses", "Arn": "arn:aws:sqs:us-east-1:000000000000:guesses"}
    rules.put_targets(Rule="guesses", EventBusName=STACK_NAME, Targets=[target])

    bob.retrieve(bob.push(passphrase="right"), "wrong")

    received: list[dict[str, Any]] = []

    def arrives() -> bool:
        answer = stack.emulator.client("sqs").receive_message(QueueUrl=queue)
        received.extend(answer.get("Messages", []))
        return bool(received)

    eventually(arrives)
    assert json.loads(received[0]["Body"])["detail"]["kind"] == "failed_passphrase"
