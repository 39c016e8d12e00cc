"""A hundred concurrent requests for one push; conflicting transactions cancel each other as on AWS (conflicts.py)."""

from collections.abc import Iterator
from functools import partial
from unittest import mock

from shared.identity import auth
from tests.bench.page import Row, Section
from tests.doubles import conflicts, virtual_time
from tests.drivers import client
from tests.drivers.client import START, Answer, Api, Context
from tests.engines import moto_in_process, resources

AT_ONCE = 100
HOLD, ROUND_TRIP = 0.005, 0.003  # seconds
FUNCTION = Context(milliseconds=20_000)  # the template's timeout


def sections() -> Iterator[Section]:
    """Return one section, exact: the time is virtual."""
    resources.set_environment()
    [(_, alone)], _ = at_once(1)
    outcomes, cancelled = at_once(AT_ONCE)
    last = max(moment for _, moment in outcomes)
    refused = sum(answer.status == 503 for answer, _ in outcomes)
    rows = [
        Row("the last answer over one alone", last / alone, "×", None, f"{last:.3f} s", f"{alone:.3f} s", 100),
        Row("the locks alone", AT_ONCE * HOLD / alone, "×", None, f"{AT_ONCE * HOLD:.3f} s", f"{alone:.3f} s"),
        Row("answered 503", 100 * refused / AT_ONCE, "%", None, f"{cancelled} transactions cancelled", at_most=0),
    ]
    yield Section("A hundred at once on one push", _NOTE, rows)


def at_once(callers: int) -> tuple[list[tuple[Answer, float]], int]:
    """Return each caller's response and when it came, in seconds, and the number of cancelled transactions."""
    handle = partial(client.handle, context=FUNCTION)
    with moto_in_process.fresh(), virtual_time.passing() as clock, mock.patch.object(client, "handle", handle):
        bob = Api(token=auth.issue_api_token("name:bob", "bench", now=START))
        url_token = bob.push(expire_after_views=AT_ONCE)
        with conflicts.locking(clock, hold=HOLD, round_trip=ROUND_TRIP) as counted:
            outcomes = clock.run([lambda: bob.retrieve(url_token)] * callers)
    return outcomes, counted["cancelled"]


_NOTE = f"""\
In virtual time: each transaction holds its items for {HOLD * 1000:.0f} ms, each call takes {ROUND_TRIP * 1000:.0f} ms,
and what meets a held item is cancelled. It is the same in every run."""
