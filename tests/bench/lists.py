"""Lists and audit logs: a long one compared with a short one, and a late page with the first."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from shared.identity import auth
from tests.bench import page, stage
from tests.bench.page import Row, Section
from tests.drivers.client import START, Api, handle
from tests.meters import read_units
from tests.meters.read_units import Reads

MANY, FEW = 10_000, 100
LAST_PAGE = 200
ENTRIES, SHORT_LOG, LAST_OF_LOG = 2_000, 10, 40
PAIRS, UNCOUNTED = 22, 2
DAYS = 90
VIEWS, GUESSES = 100, 5  # of one push at most; in one minute at most
NO_CALLS: stage.Job = {"calls": []}


def sections() -> Iterator[Section]:
    """Return two sections: lists and the audit log."""
    with stage.installation():
        yield Section("Lists of 10,000", _NOTE, [*_lists()])
        yield Section("An audit log of 2,000", _NOTE_OF_LOG, [*_logs()])


def _lists() -> Iterator[Row]:
    few, many = (Api(token=auth.issue_api_token(f"name:{name}", "bench", now=START)) for name in ("few", "many"))
    _do([stage.create(_at(caller, number), "s3cret", expire_after_days=DAYS)
         for caller, count in ((few, FEW), (many, MANY)) for number in range(count)])  # fmt: skip
    few, many = (_at(caller, MANY) for caller in (few, many))
    later = _at(many, MANY)
    later.tick(days=DAYS)
    [first, of_few], last = (_page(many, "active"), _page(few, "active")), _page(many, "active", LAST_PAGE)
    yield from _costs(f"active, page 1, {MANY:,} pushes over {FEW}", first, of_few, 1.2, rows=110)
    yield from _costs(f"active, page {LAST_PAGE} over page 1", last, first, 5, calls=4)
    aged, aged_last = _page(later, "expired"), _page(later, "expired", LAST_PAGE)
    yield from _costs(f"expired, page {LAST_PAGE} over page 1", aged_last, aged, 5, calls=4)
    yield from _costs(f"active, {MANY:,} pushes ended by age, over {FEW} active", _page(later, "active"), of_few)


def _logs() -> Iterator[Row]:
    bob = Api(token=auth.issue_api_token("name:bob", "bench", now=START))
    long, short = (bob.push(passphrase="p", expire_after_views=VIEWS) for _ in range(2))
    for number in range(1, SHORT_LOG):
        bob.retrieve(short, "p" if number % (GUESSES - 1) == 0 else "wrong")
        bob.tick(minutes=1)
    _do([_try(bob, long, number) for number in range(1, ENTRIES)], processes=1)
    late = _at(bob, ENTRIES * 60)
    last, first = (
        stage.job(late, "GET", f"/api/v2/pushes/{token}/audit", query={"page": number})
        for token, number in ((long, LAST_OF_LOG), (short, 1))
    )
    what = f"audit page {LAST_OF_LOG} of {ENTRIES:,} entries over page 1 of {SHORT_LOG}"
    yield from _costs(what, last, first, 3, units=15)


def _try(bob: Api, url_token: str, number: int) -> stage.Job:
    """Try a wrong passphrase four times a minute, with a right one in between, so that guesses do not end the push."""
    is_right = number % (ENTRIES // VIEWS + 1) == 0
    caller = _at(bob, number * 60 // (GUESSES - 1))
    query = {"passphrase": "p" if is_right else "wrong"}
    return stage.job(caller, "GET", f"/api/v2/pushes/{url_token}", query=query, status=200 if is_right else 401)


def _costs(
    what: str, ours: stage.Job, anchor: stage.Job, at_most: float | None = None, **bounds: float
) -> Iterator[Row]:
    """Return rows for a request: the ratio of its time to another's, and its bounded calls, rows and units."""
    took = stage.pairs([(ours, anchor)] * PAIRS)[UNCOUNTED:]
    handler, other = ([pair[side][1] for pair in took] for side in (0, 1))
    yield page.ratio(what, handler, other, at_most)
    reads, others = (_reads(one) for one in (ours, anchor))
    for name, unit in (("calls", "calls"), ("rows", "rows read by queries"), ("units", "read units")):
        yield Row(f"— {unit}", getattr(reads, name), "", anchor=page.number(getattr(others, name)),
                  at_most=bounds.get(name))  # fmt: skip


def _reads(job: stage.Job) -> Reads:
    handle(job["event"]["routeKey"], job["event"])  # reads the instance key once
    with read_units.counted() as reads:
        handle(job["event"]["routeKey"], job["event"])
    return reads


def _page(caller: Api, which: str, number: int = 1) -> stage.Job:
    return stage.job(caller, "GET", f"/api/v2/pushes/{which}", query={"page": number})


def _at(caller: Api, seconds: float) -> Api:
    return Api(now=START + timedelta(seconds=seconds), token=caller.token)


def _do(jobs: Sequence[stage.Job], processes: int = 2) -> None:
    """Run the requests without measuring them."""
    stage.do([[(job, NO_CALLS) for job in jobs[start::processes]] for start in range(processes)])


_NOTE = f"""\
Seconds of the processor in the handler, in turn ({PAIRS - UNCOUNTED} pairs), of an owner with {MANY:,} active pushes
and of one with {FEW}; what was read is counted on the wire, the row of the API token included, and priced by
`tests/meters/read_units.py`."""
_NOTE_OF_LOG = "As above; every entry of the log is of a request: wrong passphrases, and now and then the right one."
