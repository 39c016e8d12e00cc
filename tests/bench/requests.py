"""The resources of each kind of request: counted on the wire, timed in this process. `dollars.py` uses them."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from statistics import median
from time import process_time
from typing import Any
from unittest import mock

from shared.identity import auth
from tests.bench import stage
from tests.drivers import client, sender_key
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, OTHER_KEY, START, Answer, Api, Json
from tests.meters import read_units, write_units
from tests.meters.write_units import Bill

ROUNDS = 25
PAYLOAD = "x" * 1000
LISTED = 50  # pushes: a full page
BROWSERS_OWN = {"accept-encoding": "gzip, deflate, br", "accept-language": "en"}

Ask = Callable[[], Any]
Steps = Generator[tuple[str, Ask], Any, None]


@dataclass
class Taken:
    """The resources of one step: requests, calls to AWS, processor seconds, bytes sent, units and stored data."""

    name: str
    requests: int = 0
    seconds: float = 0
    sent: int = 0
    calls: int = 0
    reads: float = 0
    writes: Bill = field(default_factory=Bill)


@cache
def taken() -> dict[str, Taken]:
    """Return every step by name."""
    with stage.installation():
        found, written = _round(_read), _round(_written)
        rounds = [_round(_timed) for _ in range(ROUNDS)]
    for one, bill, *steps in zip(found, written, *rounds, strict=True):
        one.writes = bill.writes
        one.seconds = median(step.seconds for step in steps)
    return {one.name: one for one in found}


def seconds(ask: Ask) -> float:
    """Return the processor seconds in the handlers."""
    step = Taken("")
    _timed(step, ask)
    return step.seconds


def _round(observe: Callable[[Taken, Ask], Any]) -> list[Taken]:
    steps, found = _scenario(), []
    name, ask = next(steps)
    while True:
        found.append(Taken(name))
        answer = observe(found[-1], ask)
        try:
            name, ask = steps.send(answer)
        except StopIteration:
            return found


def _scenario() -> Steps:
    """Run people's steps, each with the response of the one before."""
    anonymous, bob = Api(), Api(token=auth.issue_api_token("name:bob", "bench", now=START))
    for _ in range(LISTED - 1):
        bob.push()
    anonymous.retrieve(bob.push(expire_after_views=1))  # reads the instance key once
    created: Answer = yield "create, owned, 1 KB", partial(bob.create, PAYLOAD, expire_after_views=2)
    token = created.json["url_token"]
    yield "preview", partial(anonymous.preview, token)
    yield "view", partial(anonymous.retrieve, token)
    yield "last view", partial(anonymous.retrieve, token)
    leased = bob.push(PAYLOAD, expire_after_views=2)
    yield "view with a lease", partial(anonymous.retrieve, leased, key=KEY)
    yield "last view with a lease", partial(anonymous.retrieve, leased, key=OTHER_KEY)
    yield "a page of active", bob.active
    yield "a page of the audit log", partial(bob.audit, token)
    yield "expire", partial(bob.expire, bob.push())
    yield "version", partial(anonymous.get, "/api/v2/version")
    created = yield "create, anonymous, 1 KB", partial(anonymous.create, PAYLOAD)
    yield from _manage(anonymous, *created.json["manage_url"].split("/")[-2:])
    sealed = sender_key.seal(PAYLOAD)
    created = yield "create, anonymous, sealed, 1 KB", partial(anonymous.create, sealed, sealed_by="sender")
    yield "view, anonymous, sealed", partial(anonymous.retrieve, created.json["url_token"])
    yield from _exchange()


def _manage(anonymous: Api, url_token: str, key: str) -> Steps:
    by_key, path = {"x-manage-key": key}, f"/api/v2/pushes/{url_token}"
    yield "status, anonymous", partial(anonymous.request, "GET", f"{path}/status", headers=by_key)
    yield "manage page, anonymous", partial(anonymous.get, f"/m/{url_token}/{key}")
    yield "delete by the manage key, anonymous", partial(anonymous.request, "DELETE", path, headers=by_key)


def _exchange() -> Steps:
    sender, recipient = (Browser(Api(headers=BROWSERS_OWN)) for _ in range(2))
    yield "browser: the sender's page", partial(sender.visit, "/")
    script = sender.page.text.partition('src="/assets/')[2].partition('"')[0]
    yield "browser: its script", partial(sender.api.get, f"/assets/{script}")
    yield "browser: send, and the page of the link", partial(sender.submit, "", **{"push[payload]": PAYLOAD})
    yield "browser: the link", partial(recipient.visit, f"/p/{sender.at.split('/')[2]}/r")
    yield "browser: reveal", recipient.submit


def _timed(step: Taken, ask: Ask) -> Any:
    with _watched(step):
        return ask()


def _read(step: Taken, ask: Ask) -> Any:
    with read_units.counted() as reads:
        answer = _timed(step, ask)
    step.calls, step.reads = reads.calls, reads.units
    return answer


def _written(step: Taken, ask: Ask) -> Any:
    with write_units.billed() as bill:  # it makes calls of its own
        answer = ask()
    step.writes = bill
    return answer


@contextmanager
def _watched(step: Taken) -> Generator[None]:
    handle = client.handle

    def watched(key: str, event: Json) -> Json:
        started = process_time()
        answer = handle(key, event)
        step.seconds += process_time() - started
        step.requests += 1
        step.sent += len(answer["body"]) * (3 if answer.get("isBase64Encoded") else 4) // 4
        return answer

    with mock.patch.object(client, "handle", watched):
        yield
