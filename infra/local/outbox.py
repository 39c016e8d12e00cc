"""Write the local stack's events and mails to files: events under `events/`, mails under `mail/`.

On AWS a rule forwards events, and SES delivers mails. Locally this module creates a rule and a queue for the events,
and lists the mails that the emulator has accepted.
"""

import asyncio
import contextlib
import json
import urllib.request
from pathlib import Path
from typing import Any

from infra.local.emulator import REGION, Emulator

_ACCOUNT = "000000000000"
_DOMAIN = "example.com"  # the emulator accepts its mails after a call to SES
# The template's parameters that turn on mailing.
MAILS = {
    "MailFrom": f"push@{_DOMAIN}",
    "MailIdentityArn": f"arn:aws:ses:{REGION}:{_ACCOUNT}:identity/{_DOMAIN}",
}
_NAME = "shown"
_PAUSE = 0.5  # seconds between polls
_PATIENCE = 60  # seconds to wait for a response, also on a busy machine


class Outbox:
    """Writes a stack's events and mails to files until it is stopped."""

    def __init__(self, emulator: Emulator, bus: str, directory: Path) -> None:
        self._events, self._mails = directory / "events", directory / "mail"
        self._emulator, self._sqs = emulator, emulator.client("sqs")
        self._bus, self._queue = bus, ""
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to poll, every half second."""
        await asyncio.to_thread(self._listen)
        self._task = asyncio.create_task(self._poll())

    async def stop(self) -> None:
        """Write the last events and mails, then stop."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            await asyncio.to_thread(self._write)

    def _listen(self) -> None:
        for directory in (self._events, self._mails):
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)  # a link in a mail opens a push
        self._queue = self._sqs.create_queue(QueueName=_NAME)["QueueUrl"]
        bridge, pattern = self._emulator.client("events"), json.dumps({"source": ["secret-sharing"]})
        bridge.put_rule(Name=_NAME, EventBusName=self._bus, EventPattern=pattern)
        arn = f"arn:aws:sqs:{REGION}:{_ACCOUNT}:{_NAME}"
        bridge.put_targets(Rule=_NAME, EventBusName=self._bus, Targets=[{"Id": _NAME, "Arn": arn}])
        ses = self._emulator.client("sesv2")
        with contextlib.suppress(ses.exceptions.AlreadyExistsException):
            ses.create_email_identity(EmailIdentity=_DOMAIN)

    async def _poll(self) -> None:
        while True:
            await asyncio.to_thread(self._write)
            await asyncio.sleep(_PAUSE)

    def _write(self) -> None:
        while messages := self._receive_events():
            for message in messages:
                event = json.loads(message["Body"])
                name = f"{event['detail']['number']}-{event['detail']['kind']}.json"
                _write(self._events / name, json.dumps(event, indent=2) + "\n")
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
        for mail in self._list_mails():
            self._write_mail(mail)

    def _receive_events(self) -> list[dict[str, Any]]:
        wanted = {"MaxNumberOfMessages": 10, "VisibilityTimeout": 600}  # longer than any machine takes to write them
        answer = self._sqs.receive_message(QueueUrl=self._queue, **wanted)
        return list(answer.get("Messages", []))

    def _list_mails(self) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self._emulator.endpoint}/_ministack/ses/messages", timeout=_PATIENCE) as answer:
            return list(json.load(answer)["messages"].get(_ACCOUNT, []))

    def _write_mail(self, mail: dict[str, Any]) -> None:
        place = self._mails / f"{int(mail['Timestamp'] * 1000)}-{mail['MessageId'].partition('@')[0]}"
        if not place.with_suffix(".txt").exists():
            head = f"From: {mail['Source']}\nTo: {', '.join(mail['To'])}\nSubject: {mail['Subject']}\n"
            _write(place.with_suffix(".html"), mail["BodyHtml"] or "")
            _write(place.with_suffix(".txt"), f"{head}\n{mail['BodyText']}")


def _write(path: Path, text: str) -> None:
    """Write a file atomically."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)
