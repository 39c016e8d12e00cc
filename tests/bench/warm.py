"""Warm handlers compared with their plain botocore calls: the time taken by our code and PynamoDB."""

import secrets
from collections.abc import Iterator

from shared.domain import seal
from shared.identity import auth
from tests.bench import page, replayed, stage
from tests.bench.cold import id_of
from tests.bench.page import Row, Section
from tests.drivers.client import START, Api

PAIRS, OF_LISTS, UNCOUNTED = 400, 150, 20  # a list takes ten times as long
LISTED = 50  # pushes, a full page
BOUND = 1.25

Pair = tuple[stage.Job, stage.Job]


def sections() -> Iterator[Section]:
    """Return one section, of pairs in one process."""
    with stage.installation():
        rows = [_row(name, pairs) for name, pairs in (("create", _creates()), ("retrieve", _retrieves()),
                                                      ("active", _lists()))]  # fmt: skip
    yield Section("Warm handler", _NOTE, rows)


def _row(name: str, pairs: list[Pair]) -> Row:
    took = stage.pairs(pairs)[UNCOUNTED:]
    handlers, bare = ([pair[side][0] for pair in took] for side in (0, 1))
    return page.ratio(name, handlers, bare, BOUND)


def _creates() -> list[Pair]:
    job = stage.create(Api(), "x" * 1000)
    made = replayed.without_key(job["event"])
    push_id = id_of(made)
    return [(job, _calls(replayed.of_another(made, push_id, secrets.token_hex(32)))) for _ in range(PAIRS)]


def _retrieves() -> list[Pair]:
    tokens = [Api().push("x" * 1000) for _ in range(2 * PAIRS + 1)]
    made = replayed.without_key(stage.retrieve(Api(), tokens[-1])["event"])
    push_id = seal.digest(tokens[-1])
    return [
        (stage.retrieve(Api(), one), _calls(replayed.of_another(made, push_id, seal.digest(other))))
        for one, other in zip(tokens[:PAIRS], tokens[PAIRS:-1], strict=True)
    ]


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
