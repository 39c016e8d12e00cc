"""docs/costs.md is right: the sums, the measured data that each route leaves, and no route is missing."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest

from infra.build import template
from infra.figures import costs, footprints, monitoring_costs, prices, provider_costs
from shared.identity import auth
from shared.runtime import metrics
from tests.conftest import HOME, People
from tests.contract.test_permissions import LARGE, LIVES, by_provider, have_mailed, pages
from tests.doubles import hosted_sign_in
from tests.drivers import client
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, OTHER_KEY, START, Api
from tests.meters import alarms, wire_tap, write_units
from tests.shared.service import test_answers

MOST = 50  # dollars
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "PutObject", "DeleteObjects", "SendMessage"}
MAILS = {"SignUp", "ResendConfirmationCode", "ForgotPassword"}
EMOJI = {"user-agent": "😀" * 255, "referer": "😀" * 255}
LONGEST = "x" * 3_556  # stays in its item
LOGGED_BY_AWS = 1_000  # Lambda's START, END and REPORT, and the gateway's line; each line counts 26 more


def test_anonymous_data_of_a_day_costs_at_most_fifty_dollars() -> None:
    assert sum(line.dollars for line in costs.retained_costs()) <= MOST


def test_the_fuse_alone_keeps_the_writes_under_fifty_dollars() -> None:
    tables = {table for request in footprints.FOOTPRINTS.values() for table in request.units}

    assert len(tables) * costs._default("MaxWriteRequestUnits") * prices.DAY * prices.WRITE_UNIT <= MOST


def test_every_route_s_rate_is_part_of_the_costs() -> None:
    api = template.resources("AWS::Serverless::HttpApi")["Api"]
    bursts = {"CreateRate": 100, "ViewRate": 200, "FormRate": 50}

    assert set(api["RouteSettings"]) <= {route.key for route in template.routes()}
    for setting in api["RouteSettings"].values():
        assert setting["ThrottlingBurstLimit"] == bursts[setting["ThrottlingRateLimit"]["Ref"]]
    assert set(footprints.FOOTPRINTS) == set(bursts)


def test_every_route_that_writes_or_mails_has_a_rate_of_its_own(
    ann: Browser, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: defaultdict[str, set[str]] = defaultdict(set)
    handle = client.handle

    def recorded(key: str, event: Any) -> Any:
        with wire_tap.calls() as calls:
            answer = handle(key, event)
        made[key] |= {operation for operation, _ in calls}
        return answer

    monkeypatch.setattr(client, "handle", recorded)
    bob = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    for live in LIVES:
        live(bob)
    pages(bob, people)
    twins(bob)
    with monkeypatch.context() as patch, hosted_sign_in.provider(people.pool_id, HOME) as provider:
        by_provider(provider, patch)
    with monkeypatch.context() as patch:
        have_mailed(bob, ann.owner, patch)

    served = {route.function for route in template.routes() if route.key in made}
    writing = {route for route, operations in made.items() if operations & (WRITES | MAILS)}
    makes_no_call = {
        "PublishEvents",
        "SendMail",
        "SendNotice",
        "NoteMailReturn",
        "ScheduleRemoval",
        "RemoveObjects",
        "LabelInstanceKey",
        "Probe",
        "Redirect",
    }
    assert served | makes_no_call == set(template.functions())
    own = {route for route, rate in costs._rates().items() if rate != "ThrottleRate"}
    assert writing == own


def twins(bob: Api) -> None:
    """Return the other routes of a function besides its first one."""
    push = json.dumps({"push": {"payload": "s3cret", "retrieval_step": False}}).encode()
    bob.request("POST", "/api/v2/pushes.json", headers={"content-type": "application/json"}, body=push)
    for wrapper, path in {"password": "p", "file_push": "f", "url": "r"}.items():
        files = [{"filename": "a", "data": ""}] if path == "f" else None
        bob.post(f"/{path}.json", {wrapper: {"payload": "https://example.com", "files": files}})
        bob.get(f"/{path}/{bob.push()}.json")
        bob.request("DELETE", f"/{path}/{bob.push()}.json")
    for method, path in (("GET", "/r.json"), ("GET", ""), ("GET", "/r"), ("POST", ""), ("POST", "/r")):
        url_token = bob.push(retrieval_step=False)
        Browser(bob)._request(method, f"/p/{url_token}{path}", b"" if method == "POST" else None)


def create(api: Api) -> None:
    api.push(LONGEST, passphrase="p")


def create_in_s3(api: Api) -> None:
    api.push(LARGE)


def create_with_a_key(api: Api) -> None:
    api.push(LONGEST, passphrase="p", key=KEY)


@pytest.mark.parametrize("measure", [create, create_in_s3, create_with_a_key])
def test_a_create_leaves_no_more_than_is_accounted_for(api: Api, measure: Callable[[Api], None]) -> None:
    api.headers = EMOJI
    stated = footprints.FOOTPRINTS["CreateRate"]

    with write_units.billed() as bill, wire_tap.calls() as calls:
        measure(api)

    secret = {"Secrets": bill.units["Secrets"]}  # as much again when it is deleted
    assert bill.units + Counter(secret) <= Counter(stated.units)
    assert all(size <= stated.kept[table] for table, size in bill.largest.items() if table != "Quotas")
    assert [operation for operation, _ in calls].count("PutObject") + 1 <= stated.puts  # and the removal's LIST


def test_later_requests_leave_no_more_than_the_stated_footprint(api: Api) -> None:
    api.headers = EMOJI
    protected, short, leased, aged, large = (
        api.push(passphrase="p"),
        api.push(expire_after_views=1),
        api.push(LONGEST, expire_after_views=1),
        api.push(),
        api.push(LARGE),
    )
    asked: list[Callable[[], Any]] = [
        *(partial(api.retrieve, protected, passphrase) for passphrase in (None, "q", "p")),
        *(partial(api.retrieve, url_token) for url_token in (short, short, large)),
        *(partial(api.retrieve, large, key=key) for key in (KEY, KEY, OTHER_KEY)),
        *(partial(api.retrieve, leased, key=key) for key in (KEY, KEY, OTHER_KEY)),
        *(partial(api.expire, url_token) for url_token in (protected, protected, large)),
        partial(api.tick, days=7),
        *(partial(ask, aged) for ask in (api.expire, api.expire, api.retrieve)),
    ]

    for ask in asked:
        with write_units.billed() as bill, wire_tap.calls() as calls:
            ask()
        end = bill.units["Secrets"] - 2  # included in the create
        destroyed = Counter({"Secrets": end}) if end > 0 else Counter()
        assert bill.units - destroyed <= Counter(footprints.FOOTPRINTS["ViewRate"].units)
        assert all(size <= 3 * footprints.KB for table, size in bill.largest.items() if table == "AuditEntries")
        assert {operation for operation, _ in calls} & {"PutObject", "ListObjectsV2"} == set()


def test_an_answer_to_no_open_ask_costs_no_write(aws: None) -> None:
    opened = test_answers.stored()
    unknown = opened._replace(terms=opened.terms._replace(ask_token="nosuchtoken"))
    test_answers.send(opened, 1)

    with write_units.billed() as bill:
        statuses = [test_answers.send(one, 2) for one in (opened, unknown)]

    assert (statuses, bill.units) == ([410, 410], {})


@pytest.mark.parametrize("form", ["sign_up", "sign_in", "password", "confirm", "new_password", "sign_out"])
def test_a_form_leaves_no_more_than_is_accounted_for(people: None, form: str) -> None:
    fields = {"email": "ann@example.com", "password": "correct horse battery", "code": "1"}

    with write_units.billed() as bill:
        Browser()._request("POST", f"/users/{form}", urlencode(fields).encode())

    assert bill.units <= Counter(footprints.FOOTPRINTS["FormRate"].units)


def test_an_hourly_check_of_an_account_writes_no_more_than_is_accounted_for(ann: Browser) -> None:
    ann.api.tick(hours=1)

    with write_units.billed() as bill:
        ann.visit("/users/token")

    assert bill.units == Counter({"ApiTokens": provider_costs.UNITS})


def test_a_request_logs_no_more_than_is_accounted_for(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.retrieve("nosuchtoken")

    own = sum(26 + len(line) for line in capsys.readouterr().out.splitlines())
    assert own + LOGGED_BY_AWS <= footprints.LOGGED


def test_watching_is_counted_by_every_alarm_and_every_metric_that_there_is() -> None:
    counted = {line.what: line.how for line in [*monitoring_costs.base_costs(), *monitoring_costs.probe_costs()]}
    always = [name for name in alarms.alarms() if name != "ProbeFails"]

    assert (
        counted["Alarms"] == f"{len(always)}, of {sum(len(alarms.metrics(name)) for name in always)} metrics together"
    )
    assert counted["Metrics of our own"].startswith(f"{len(metrics.UNITS) - 3},")
    assert len(alarms.metrics("ProbeFails")) == int(counted["Its alarm"])


def test_the_dashboard_has_no_more_metrics_than_its_price_is_for() -> None:
    widgets = json.loads(alarms.dashboard())["widgets"]

    assert sum(len(widget["properties"].get("metrics", [])) for widget in widgets) < 50


def test_the_probe_s_sum_counts_the_steps_and_the_runs_that_there_are() -> None:
    named = set(
        re.findall(
            r'(?:Failed|_expect|_request_json)\("(\w+)"', (template.ROOT / "shared/service/probe.py").read_text()
        )
    )
    schedule = template.functions()["Probe"]["Events"]["EveryFiveMinutes"]["Properties"]["Schedule"]

    assert len(named | {"Probe"}) == monitoring_costs.STEPS
    assert prices.MONTH * 24 * 60 / int(re.findall(r"\d+", schedule)[0]) == monitoring_costs.RUNS
