"""Any call to AWS may be throttled, fail, hang, or take effect without a response: the promises hold.

The functions run in process, with the deployed SDK timeouts and retries. microburst is between them and roto.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.drivers import client
from tests.drivers.answering import Answering
from tests.drivers.client import START, Api
from tests.drivers.load import Load
from tests.drivers.repeating import Repeating
from tests.engines import faults, over_http, resources
from tests.engines.faults import Faults
from tests.meters.proof import Prove
from tests.shared.service import test_answers

pytestmark = pytest.mark.long

REQUESTS = 1_000  # in the long form
TIME_OUT = 20  # seconds, a function's timeout in template.yaml
SHARES = pytest.mark.parametrize(
    "share", [0.3, *(pytest.param(share, marks=pytest.mark.only_prove) for share in (0.1, 0.5))]
)


@dataclass(frozen=True)
class Context(client.Context):
    """An invocation whose time runs out."""

    started: float = field(default_factory=time.monotonic)

    def get_remaining_time_in_millis(self) -> int:
        return int((self.started + TIME_OUT - time.monotonic()) * 1000)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faults]:
    """Run an engine behind a proxy that can break every call."""
    with over_http.roto(tmp_path_factory.mktemp("roto")) as endpoints:
        with over_http.use(endpoints):
            resources.build()
        with (
            faults.before(endpoints["AWS_ENDPOINT_URL"]) as proxy,
            over_http.use(endpoints | {"AWS_ENDPOINT_URL": proxy.endpoint}),
        ):
            yield proxy


@pytest.fixture
def broken(proxy: Faults, monkeypatch: pytest.MonkeyPatch) -> Faults:
    """The proxy in front of an empty installation, and functions with the deployed time limits."""
    monkeypatch.setattr(client, "handle", lambda key, event: client.handler_of(key)(event, Context()))
    resources.renew()
    resources.empty()
    return proxy


@SHARES
def test_with_faults_on_every_call_no_view_is_extra_or_silently_lost(
    broken: Faults, share: float, effort: int, prove: Prove
) -> None:
    load = Load(owner(), clients=32)
    with broken.injecting(share) as injected:
        load.run(REQUESTS if effort > 1 else 100)
    load.use_up()

    figures = load.check(stored())

    slowest = check_answers(load)
    prove(
        "1-3",
        f"No view too many, and each is recorded once, with faults on {share:.0%} of all calls to AWS",
        f"{figures['sent']:,} requests by {load.clients} clients, {figures['retrieve']:,} of them retrieves; "
        f"{injected['faulted']:,} faults in {injected['total']:,} calls; {figures['failed']:,} answers of 503, "
        f"all with Retry-After and JSON, the slowest answer after {slowest:.1f} s; {figures['delivered']:,} payloads "
        f"delivered + {figures['lost']:,} views whose answer was lost = {figures['delivered'] + figures['lost']:,} "
        "audit entries; 0 too many",
    )


@SHARES
def test_with_faults_on_every_call_a_repeated_request_counts_once(
    broken: Faults, share: float, effort: int, prove: Prove
) -> None:
    load = Repeating(owner(), clients=32)
    with broken.injecting(share) as injected:
        load.run(REQUESTS if effort > 1 else 100)
        load.use_up()

    figures = load.check(stored())

    slowest = check_answers(load)
    assert figures["repeated"]
    under = f"with faults on {share:.0%} of all calls to AWS"
    prove(
        "1-3",
        f"Retrieves repeated with their key until answered lose no view, {under}",
        f"0 of {figures['delivered']:,}, each one audit entry and one payload, besides {figures['ended']} that an "
        "expire ended before they were answered; "
        f"{figures['sent']:,} requests by {load.clients} clients, {figures['repeated']:,} of them repetitions, "
        f"{injected['faulted']:,} faults, the slowest answer after {slowest:.1f} s",
    )
    prove(
        "1-3",
        f"Creates repeated with their key until answered create no push twice, {under}",
        f"0 of {figures['pushes']:,}, for {figures['create']:,} requests",
    )


@pytest.mark.prove
@SHARES
def test_with_faults_on_every_call_an_ask_takes_exactly_its_number_of_answers(
    broken: Faults, share: float, effort: int, prove: Prove
) -> None:
    wanted = (1, 3, 5, 8) * (10 if effort > 1 else 1)
    limits = {test_answers.stored(answers=limit).terms.ask_token: limit for limit in wanted}
    load = Answering(Api(now=START), limits)
    with broken.injecting(share) as injected:
        load.run(10 * len(limits), clients=32)

    figures = load.check([*stored(), *resources.items("Asks")])

    assert load.slowest < TIME_OUT
    prove(
        "1-3",
        f"An ask takes exactly its number of answers, and thanks whose it took, with faults on {share:.0%} of calls",
        f"{figures['taken']} taken of {figures['senders']} by 32 clients at once, each thanked and once in the log; "
        f"{figures['sent']:,} requests, {figures['failed']:,} of them failed and sent again; "
        f"{injected['faulted']:,} faults in {injected['total']:,} calls; the slowest answer after {load.slowest:.1f} s",
    )


def owner() -> Api:
    from shared.identity import auth

    return Api(token=auth.issue_api_token("name:bob@example.com", "test", now=START))


def stored() -> list[dict[str, Any]]:
    return [item for table in ("Pushes", "Secrets", "AuditEntries") for item in resources.items(table)]


def check_answers(load: Load) -> float:
    """Check that every request got a proper response in time; return the seconds of the slowest."""
    answers = [request.answer for request in load.sent]
    slowest = max(request.ended - request.started for request in load.sent)
    assert {answer.status for answer in answers if answer} <= {200, 201, 503}
    assert all(answer and answer.json is not None for answer in answers)
    assert all(answer.headers["retry-after"].isdecimal() for answer in answers if answer and answer.status == 503)
    assert slowest < TIME_OUT
    return slowest
