"""A plain model and the service get the same requests in any order, at any time, and give the same responses."""

import json
import os
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule, run_state_machine_as_test

from infra.build import template
from shared.identity import auth
from tests.conftest import Configure
from tests.drivers.client import KEY, OTHER_KEY, START, Answer, Api, keyed
from tests.drivers.model import BAD_TOKEN, ELSEWHERE, HERE, NOBODY, Expected, Model
from tests.engines import moto_in_process, resources
from tests.meters.proof import Prove

PUSHES = "/api/v2/pushes"
MAX_GUESSES = 6  # a setting; low enough to be reached, after a wait for the limit of five a minute
OWNERS = ("name:bob@example.com", "name:eve@example.com")

owners = st.sampled_from(OWNERS)
callers = st.sampled_from([*OWNERS, *OWNERS, NOBODY, NOBODY, NOBODY, BAD_TOKEN])
suffixes = st.sampled_from(["", ".json"])
passphrases = st.sampled_from(["right", "ríght €😀", "ri\u0301ght €😀", " "])
attempts = passphrases | st.sampled_from([None, "", "wrong", "right", "right"])
keys = st.sampled_from([KEY, OTHER_KEY])
page_numbers = st.sampled_from([1, 1, 1, 2, 200, 0, 201])
few_or_any = st.integers(1, 3) | st.integers(1, 3) | st.integers(0, 101)
switches = st.sampled_from([False, False, True, 0, 1, "Y ", "enabled", "off", "", "f"] * 2 + ["tru", 2, "-"])


def written(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    """Return a number, written as some clients write it."""
    return numbers | numbers | numbers.map(float) | numbers.map(str) | numbers.map(" {} ".format)


optional = {
    "expire_after_days": written(st.integers(1, 3) | st.integers(0, 91)),
    "expire_after_duration": written(st.integers(0, 8) | st.integers(-1, 18)),
    "expire_after_views": written(few_or_any),
    "deletable_by_viewer": switches,
    "retrieval_step": switches,
    "kind": st.sampled_from(["text"] * 9 + ["file"]),
    "passphrase": passphrases,
    "name": st.sampled_from(["n", "ü😀"]),
    "note": st.just("o\n"),
    "allowed_ips": st.sampled_from([None] * 6 + [HERE] * 3 + [ELSEWHERE]),
}
fields = st.fixed_dictionaries(
    {"payload": st.sampled_from(["s3cret", " é\u2028 ", "https://example.com/?a=b"] * 4 + [" "])}, optional=optional
)
of_a_few_views = st.fixed_dictionaries(
    {"payload": st.just("s3cret"), "expire_after_views": st.integers(1, 3)},
    optional={"passphrase": passphrases, "deletable_by_viewer": st.just(True)},
)
moves = st.one_of(
    st.fixed_dictionaries({"seconds": st.integers(1, 90)}),
    st.fixed_dictionaries({"minutes": st.integers(14, 61)}),
    st.fixed_dictionaries({"hours": st.integers(1, 25)}),
    st.fixed_dictionaries({"days": st.integers(1, 8)}),
    st.fixed_dictionaries({"days": st.sampled_from([30, 91, 401])}),
)

A_DAY = timedelta(days=1)
MILLISECOND = timedelta(milliseconds=1)
CHANGES: tuple[dict[str, Any], ...] = ({}, {"name": "other"})  # changes of a repeated request's body
LATER = (MILLISECOND, timedelta(hours=23), A_DAY - MILLISECOND, A_DAY)
MEANWHILE = (None, KEY, OTHER_KEY, "guess", "none", "expire")  # retrieves with and without keys, and other requests

compared: dict[str, int] = {}
given_again: list[int] = []


class Service(RuleBasedStateMachine):
    """Every rule is a request; the clock advances a millisecond with each, so that the order is clear."""

    pushes = Bundle("pushes")

    def __init__(self) -> None:
        super().__init__()
        self.installation = moto_in_process.fresh()
        self.installation.__enter__()
        self.model = Model(MAX_GUESSES, timedelta(seconds=int(os.environ["LEASE_SECONDS"])))
        self.now = START
        tokens: dict[str | None, str | None] = {
            owner: auth.issue_api_token(owner, "test", now=START) for owner in OWNERS
        }
        self.tokens = {**tokens, NOBODY: None, BAD_TOKEN: BAD_TOKEN}

    def teardown(self) -> None:
        given_again.append(self.model.given_again)
        self.installation.__exit__(None, None, None)

    def ask(
        self,
        caller: str | None,
        method: str,
        path: str,
        query: Any = "",
        *,
        document: Any = None,
        key: Any = None,
        manage_key: str | None = None,
    ) -> Answer:
        self.now += MILLISECOND
        api = Api(now=self.now, token=self.tokens[caller], headers={"content-type": "application/json"})
        body = json.dumps(document).encode() if document else None
        headers = keyed(key) | ({} if manage_key is None else {"x-manage-key": manage_key})
        return api.request(method, PUSHES + path, query=query, headers=headers, body=body)

    def compare(self, answer: Answer, expected: Expected) -> None:
        assert answer.status == expected.status, (answer, expected)
        body = answer.json
        assert (set(body) if isinstance(expected.body, set) else body) == expected.body
        named = {"x-page", "x-per-page", "link", "retry-after", "www-authenticate"}
        assert {name: value for name, value in answer.headers.items() if name in named} == expected.headers
        compared[str(answer.status)] = compared.get(str(answer.status), 0) + 1

    @initialize(target=pushes, fields=fields)
    def some_to_begin_with(self, fields: dict[str, Any]) -> Any:
        valid = {"payload": fields["payload"].strip() or "a", "deletable_by_viewer": False, "expire_after_days": 1}
        made = [self.create(caller, valid, "") for caller in (NOBODY, *OWNERS)]
        for url_token in made:
            self.expire(NOBODY, url_token, "")
        return multiple(*made)

    @initialize(caller=callers)
    def what_nobody_made(self, caller: str | None) -> None:
        self.retrieve(caller, "nosuchtoken", None, "")
        self.preview(caller, "nosuchtoken", "")
        self.expire(caller, "nosuchtoken", "")
        self.audit(caller, "nosuchtoken", 0)
        self.listed(caller, "active", 0)

    @rule(target=pushes, caller=callers, fields=fields, suffix=suffixes, key=st.none() | keys)
    def create(self, caller: str | None, fields: dict[str, Any], suffix: str, key: str | None = None) -> Any:
        answer = self.ask(caller, "POST", suffix, document={"push": fields}, key=key)
        url_token = answer.json.get("url_token", "")
        manage_key = answer.json.get("manage_url", "").rpartition("/")[2]
        self.compare(answer, self.model.create(caller, fields, url_token, self.now, key, manage_key=manage_key))
        return url_token if answer.status == 201 else multiple()

    @rule(
        target=pushes,
        caller=callers,
        fields=fields,
        change=st.sampled_from(CHANGES),
        later=st.sampled_from(LATER),
        key=keys,
    )
    def create_twice(
        self, caller: str | None, fields: dict[str, Any], change: dict[str, Any], later: timedelta, key: str
    ) -> Any:
        first = self.create(caller, fields, "", key)
        self.now += later - MILLISECOND  # a request advances the clock by one
        second = self.create(caller, fields | change, "", key)
        return multiple(*[made for made in (first, second) if isinstance(made, str)])

    @rule(caller=callers, url_token=pushes, passphrase=attempts, suffix=suffixes, key=st.none() | keys)
    def retrieve(
        self, caller: str | None, url_token: str, passphrase: str | None, suffix: str, key: str | None = None
    ) -> None:
        query = {} if passphrase is None else {"passphrase": passphrase}
        answer = self.ask(caller, "GET", f"/{url_token}{suffix}", query, key=key)
        self.compare(answer, self.model.retrieve(caller, url_token, passphrase, self.now, key))

    @rule(target=pushes, caller=callers, fields=fields, passphrase=passphrases, number=st.integers(3, 6))
    def guess(self, caller: str | None, fields: dict[str, Any], passphrase: str, number: int) -> Any:
        url_token = self.create(caller, fields | {"passphrase": passphrase}, "")
        for tried in [*["guess"] * number, passphrase] * isinstance(url_token, str):
            self.retrieve(NOBODY, url_token, tried, "")
            self.now += timedelta(seconds=len(fields))
        return url_token

    @rule(url_token=pushes, caller=callers, key=st.none() | keys)
    def retrieve_rightly(self, url_token: str, caller: str | None, key: str | None = None) -> None:
        self.retrieve(caller, url_token, self.model.pushes[url_token].fields.get("passphrase"), "", key)

    @rule(
        target=pushes,
        owner=owners,
        fields=of_a_few_views,
        key=keys,
        meanwhile=st.lists(st.sampled_from(MEANWHILE), max_size=4),
        beside=st.integers(-1, 1),
        late=st.booleans(),
    )
    def look_beside_the_end_of_a_lease(
        self, owner: str, fields: dict[str, Any], key: str, *, meanwhile: list[str | None], beside: int, late: bool
    ) -> str:
        url_token = str(self.create(owner, fields, ""))
        if late:
            self.now = self.model.pushes[url_token].ends - timedelta(seconds=30)
        self.retrieve_rightly(url_token, NOBODY, key)
        lease = self.model.pushes[url_token].leases.get(key)
        for act in meanwhile:
            if act in ("guess", "none"):
                self.retrieve(NOBODY, url_token, act if act == "guess" else None, "", key)
            elif act == "expire":
                self.expire(NOBODY, url_token, "")
            else:
                self.retrieve_rightly(url_token, NOBODY, act)
        self.retrieve_rightly(url_token, NOBODY, key)
        if lease:
            self.now = max(self.now, lease.ends + (beside - 1) * MILLISECOND)
        self.retrieve_rightly(url_token, NOBODY, key)
        self.audit_by_its_owner(url_token)
        return url_token

    @rule(caller=callers, url_token=pushes, suffix=suffixes)
    def expire(self, caller: str | None, url_token: str, suffix: str) -> None:
        answer = self.ask(caller, "DELETE", f"/{url_token}{suffix}")
        self.compare(answer, self.model.expire(caller, url_token, self.now))

    @rule(caller=callers, url_token=pushes, wrong=st.sampled_from([None, None, "", "a" * 26]), suffix=suffixes)
    def manage(self, caller: str | None, url_token: str, wrong: str | None, suffix: str) -> None:
        key = self.model.pushes[url_token].manage_key if wrong is None else wrong
        self.status(caller, url_token, key, suffix)
        answer = self.ask(caller, "DELETE", f"/{url_token}{suffix}", manage_key=key)
        self.compare(answer, self.model.expire(caller, url_token, self.now, key))
        self.status(caller, url_token, key, suffix)

    @rule(caller=callers, url_token=pushes, suffix=suffixes)
    def look_at_the_status(self, caller: str | None, url_token: str, suffix: str) -> None:
        self.status(caller, url_token, self.model.pushes[url_token].manage_key, suffix)

    def status(self, caller: str | None, url_token: str, key: str | None, suffix: str) -> None:
        answer = self.ask(caller, "GET", f"/{url_token}/status{suffix}", manage_key=key)
        self.compare(answer, self.model.status(caller, url_token, key, self.now))

    @rule(caller=callers, url_token=pushes, suffix=suffixes)
    def preview(self, caller: str | None, url_token: str, suffix: str) -> None:
        answer = self.ask(caller, "GET", f"/{url_token}/preview{suffix}")
        self.compare(answer, self.model.preview(caller, url_token, self.now))

    @rule(caller=callers, url_token=pushes, page=page_numbers)
    def audit(self, caller: str | None, url_token: str, page: int) -> None:
        answer = self.ask(caller, "GET", f"/{url_token}/audit", {"page": page})
        self.compare(answer, self.model.audit(caller, url_token, page, self.now))

    @rule(url_token=pushes)
    def audit_by_its_owner(self, url_token: str) -> None:
        if owner := self.model.pushes[url_token].owner:
            self.audit(owner, url_token, 1)

    @rule(caller=callers, which=st.sampled_from(["active", "expired"]), page=page_numbers)
    def listed(self, caller: str | None, which: str, page: int) -> None:
        answer = self.ask(caller, "GET", f"/{which}", {"page": page})
        self.compare(answer, self.model.listed(caller, which, page, self.now))

    @rule(move=moves)
    def time_passes(self, move: dict[str, int]) -> None:
        self.now += timedelta(**move)

    @rule(url_token=pushes, past_purge=st.booleans(), beside=st.integers(-1, 1), caller=callers)
    def look_beside_its_end(self, url_token: str, past_purge: bool, beside: int, caller: str | None) -> None:
        push = self.model.pushes[url_token]
        end = push.purged_at if past_purge else push.ends
        # A request advances the clock by a millisecond: the first of these is sent just before, at or after the end.
        self.now = max(self.now, end + timedelta(milliseconds=beside - 1))
        self.preview(caller, url_token, "")
        self.retrieve(caller, url_token, push.fields.get("passphrase"), "")
        for which in ("active", "expired"):
            self.listed(push.owner, which, 1)
        self.audit_by_its_owner(url_token)

    @rule(url_token=pushes)
    def expire_by_one_after_the_other(self, url_token: str) -> None:
        for caller in (NOBODY, *OWNERS):
            self.expire(caller, url_token, "")
        self.audit_by_its_owner(url_token)

    @rule()
    def dynamodb_removes_what_has_had_its_time(self) -> None:
        """Whether DynamoDB has already done so or not must make no difference."""
        for name, table in template.resources("AWS::DynamoDB::Table").items():
            wanted = table["TimeToLiveSpecification"]["AttributeName"]
            for item in resources.items(name):
                if wanted in item and int(item[wanted]["N"]) < self.now.timestamp():
                    keys = {key["AttributeName"]: item[key["AttributeName"]] for key in table["KeySchema"]}
                    resources.client("dynamodb").delete_item(TableName=f"test-{name}", Key=keys)


class FullService(Service):
    """With so many pushes that the lists have more than one page; slower."""

    @initialize()
    def guess_too_often(self) -> None:
        self.guess(NOBODY, {"payload": "s3cret"}, "right", 6)

    @rule(target=Service.pushes, owner=owners, fields=fields)
    def create_half_a_page(self, owner: str, fields: dict[str, Any]) -> Any:
        made = [self.create(owner, fields, "") for _ in range(26)]
        return multiple(*[one for one in made if isinstance(one, str)][:3])


@pytest.mark.parametrize(
    "fields",
    [{"expire_after_views": 1, "passphrase": "right"}, pytest.param({"expire_after_views": 2}, marks=pytest.mark.long)],
    ids=str,
)
def test_near_the_end_of_a_lease_every_response_is_the_model_s(fields: dict[str, Any], configure: Configure) -> None:
    configure(MAX_GUESSES=str(MAX_GUESSES))
    acts = [
        [],
        *([act] for act in MEANWHILE),
        [None, "expire"],
        [OTHER_KEY, "guess"],
        [OTHER_KEY, None, KEY],
        ["guess"] * 6,
        [KEY] * 11,
    ]
    service = Service()

    try:
        for meanwhile, beside, late in product(acts, (-1, 0), (False, True)):
            how: Any = {"meanwhile": meanwhile, "beside": beside, "late": late}
            service.look_beside_the_end_of_a_lease(OWNERS[0], {"payload": "s3cret", **fields}, KEY, **how)
    finally:
        service.teardown()


def test_whenever_a_create_is_sent_again_the_answer_is_the_models(configure: Configure) -> None:
    configure(MAX_GUESSES=str(MAX_GUESSES))
    service = Service()

    try:
        for number, (caller, change, later) in enumerate(product((NOBODY, OWNERS[0]), CHANGES, LATER)):
            service.create_twice(caller, {"payload": f"s3cret {number}"}, change, later, f"{KEY}-{number}")
    finally:
        service.teardown()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("lease", ["60", pytest.param("0", marks=pytest.mark.only_prove)])
def test_every_answer_is_the_models(effort: int, lease: str, prove: Prove, configure: Configure) -> None:
    compared.clear()
    given_again.clear()
    configure(MAX_GUESSES=str(MAX_GUESSES), LEASE_SECONDS=lease)
    chosen = settings(
        max_examples=12 if effort == 1 else 2 * effort,
        stateful_step_count=20 if effort == 1 else 50,
        derandomize=effort == 1,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(Service if effort == 1 else FullService, settings=chosen)

    statuses = ", ".join(f"{number:,} of {status}" for status, number in sorted(compared.items()))
    assert {"200", "201", "401", "404"} <= set(compared)
    assert effort == 1 or {"400", "403", "422", "429"} <= set(compared)
    assert sum(given_again)
    prove(
        "API",
        "In any order and at any time, each response is the one of a plain model of the contract"
        + (", leases off" if lease == "0" else ""),
        f"{sum(compared.values()):,} requests compared in full ({statuses}), {sum(given_again):,} of them sent again "
        "with their keys; moto",
    )
