"""Warm handlers compared with their plain botocore calls: the time taken by our code and PynamoDB."""

import secrets
from collections.abc import Iterator
from functools import reduce
from typing import Any

from shared.domain import digests
from shared.identity import auth
from tests.bench import page, replayed, stage
from tests.bench.cold import id_of
from tests.bench.page import Row, Section
from tests.drivers import sender_key
from tests.drivers.client import START, Api, handle, read

PAIRS, OF_LISTS, OF_ASKS, UNCOUNTED = 400, 150, 150, 20  # a list takes ten times as long
LISTED = 50  # pushes, a full page
PAYLOAD = "x" * 1000
SEALED = {"payload": sender_key.seal(PAYLOAD), "sealed_by": "sender"}
WITH_QR_CODE = 6  # the bound of a page that draws one, in some 4 ms

Pair = tuple[stage.Job, stage.Job]


def sections() -> Iterator[Section]:
    """Return one section, of pairs in one process."""
    with stage.installation():
        rows = [
            _row("create", _creates(payload=PAYLOAD)),
            _row("create, sealed by the sender", _creates(**SEALED)),
            _row("retrieve", _retrieves(payload=PAYLOAD)),
            _row("retrieve, sealed by the sender", _retrieves(**SEALED)),
            _row("active", _lists()),
            _row("status", _states("GET", "/api/v2/pushes/{0}/status")),
            _row("manage page", _states("GET", "/m/{0}/{1}"), WITH_QR_CODE),
            _row("delete by the manage key", _deletes()),
            _row("create an ask", _asks(asker := stage.asker())),
            _row("answer an ask (page)", _answers(asker)),
        ]
    yield Section("Warm handler", _NOTE, rows)


def _row(name: str, pairs: list[Pair], at_most: float = 1.25) -> Row:
    took = stage.pairs(pairs)[UNCOUNTED:]
    handlers, bare = ([pair[side][0] for pair in took] for side in (0, 1))
    return page.ratio(name, handlers, bare, at_most)


def _creates(**fields: Any) -> list[Pair]:
    job = stage.create(Api(), **fields)
    made = replayed.without_key(job["event"])
    push_id = id_of(made)
    return [(job, _calls(replayed.of_another(made, push_id, secrets.token_hex(32)))) for _ in range(PAIRS)]


def _retrieves(**fields: Any) -> list[Pair]:
    return _once_each([stage.retrieve(Api(), Api().push(**fields)) for _ in range(2 * PAIRS + 1)])


def _deletes() -> list[Pair]:
    return _once_each([stage.by_manage_key("DELETE", "/api/v2/pushes/{0}") for _ in range(2 * PAIRS + 1)])


def _once_each(jobs: list[stage.Job]) -> list[Pair]:
    """Return pairs of requests that work once for a push: by the handler, and its calls for the next job's push."""
    *jobs, last = jobs
    made = replayed.without_key(last["event"])
    return [
        (one, _calls(replayed.of_another(made, _push_id(last), _push_id(other))))
        for one, other in zip(jobs[::2], jobs[1::2], strict=True)
    ]


def _push_id(job: stage.Job) -> str:
    return digests.digest(job["event"]["pathParameters"]["url_token"])


def _states(method: str, path: str) -> list[Pair]:
    job = stage.by_manage_key(method, path)
    return [(job, _calls(replayed.without_key(job["event"])))] * PAIRS


def _asks(asker: Api) -> list[Pair]:
    job = stage.create_ask(asker)
    made = replayed.without_key(job["event"])
    ask_id = id_of(made)
    return [(job, _calls(replayed.of_another(made, ask_id, secrets.token_hex(32)))) for _ in range(OF_ASKS)]


def _answers(asker: Api) -> list[Pair]:
    """Return pairs of answers, each to an ask of its own: one asker's address may send five an hour."""
    tokens = [_new_ask(asker) for _ in range(2 * OF_ASKS + 1)]
    made = replayed.without_key(stage.answer(tokens[-1], _source(0), PAYLOAD)["event"])

    def again(ask_token: str) -> replayed.Calls:
        old = [
            id_of(made),
            digests.digest(tokens[-1]),
            digests.digest(digests.digest(tokens[-1])),
            digests.digest(_source(0)),
        ]
        new = [secrets.token_hex(32), digests.digest(ask_token), secrets.token_hex(32), secrets.token_hex(32)]
        return reduce(lambda calls, names: replayed.of_another(calls, *names), zip(old, new, strict=True), made)

    return [
        (stage.answer(one, _source(number), PAYLOAD), _calls(again(other)))
        for number, (one, other) in enumerate(zip(tokens[:-1:2], tokens[1::2], strict=True), 1)
    ]


def _new_ask(asker: Api) -> str:
    event = stage.create_ask(asker)["event"]
    return str(read(handle(event["routeKey"], event)).json["ask_token"])


def _source(number: int) -> str:
    return f"198.51.{number // 256}.{number % 256}"


def _lists() -> list[Pair]:
    bob = Api(token=auth.issue_api_token("name:bob@example.com", "bench", now=START))
    for _ in range(LISTED):
        bob.push()
    job = stage.job(bob, "GET", "/api/v2/pushes/active")
    return [(job, _calls(replayed.without_key(job["event"])))] * OF_LISTS


def _calls(made: replayed.Calls) -> stage.Job:
    return {"calls": made}


_NOTE = f"""\
The same calls twice, in turn, in one process: by the handler, and by `boto3.client("dynamodb")` with what the handler
would send, each about a push of its own. Time on the clock, against a DynamoDB in memory (roto) on the same machine;
{PAIRS - UNCOUNTED} pairs, {OF_LISTS - UNCOUNTED} of lists. Payloads of 1,000 characters; a full page of {LISTED}
pushes."""
