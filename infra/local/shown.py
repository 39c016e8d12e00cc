"""What an installation tells others, as files to look at: each event of the local stack under `events/`.

On AWS a rule leads events on; on the local stack this does, by a rule and a queue of its own, which no template knows.
"""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

from infra.local.emulator import REGION, Emulator

_NAME = "shown"
_ACCOUNT = "000000000000"
_PAUSE = 0.5  # seconds between looks


class Shown:
    """Writes down what a stack tells, until it is stopped."""

    def __init__(self, emulator: Emulator, bus: str, directory: Path) -> None:
        self._events = directory / "events"
        self._sqs, self._bridge = emulator.client("sqs"), emulator.client("events")
        self._bus, self._queue = bus, ""
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to look, every half second."""
        await asyncio.to_thread(self._listen)
        self._task = asyncio.create_task(self._look_on())

    async def stop(self) -> None:
        """Write down what was told meanwhile, and end."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            await asyncio.to_thread(self._write_events)

    def _listen(self) -> None:
        self._events.mkdir(parents=True, exist_ok=True)
        self._queue = self._sqs.create_queue(QueueName=_NAME)["QueueUrl"]
        rule = {"EventBusName": self._bus, "EventPattern": json.dumps({"source": ["secret-sharing"]})}
        self._bridge.put_rule(Name=_NAME, **rule)
        arn = f"arn:aws:sqs:{REGION}:{_ACCOUNT}:{_NAME}"
        self._bridge.put_targets(Rule=_NAME, EventBusName=self._bus, Targets=[{"Id": _NAME, "Arn": arn}])

    async def _look_on(self) -> None:
        while True:
            await asyncio.to_thread(self._write_events)
            await asyncio.sleep(_PAUSE)

    def _write_events(self) -> None:
        while messages := self._received():
            for message in messages:
                event = json.loads(message["Body"])
                name = f"{event['detail']['number']}-{event['detail']['kind']}.json"
                (self._events / name).write_text(json.dumps(event, indent=2) + "\n")
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])

    def _received(self) -> list[dict[str, Any]]:
        answer = self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10)
        return list(answer.get("Messages", []))
