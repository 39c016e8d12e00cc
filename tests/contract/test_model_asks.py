"""A plain model and the service get the same requests for asks in any order, at any time, with the same responses."""

import json
import os
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule, run_state_machine_as_test

from shared.domain import owners as naming
from shared.identity import auth
from tests.drivers.browser import FORM
from tests.drivers.client import KEY, OTHER_KEY, START, Answer, Api, keyed
from tests.drivers.model import BAD_TOKEN, NOBODY, Expected
from tests.drivers.model_asks import Asks
from tests.engines import moto_in_process, resources
from tests.meters.proof import Prove

ASKS = "/api/v2/asks"
ANN, EVE, OPERATOR = "ann@example.com", "eve@example.com", "name:bob@example.com"
MILLISECOND = timedelta(milliseconds=1)

callers = st.sampled_from([ANN, ANN, ANN, EVE, OPERATOR, NOBODY, BAD_TOKEN])
keys = st.sampled_from([KEY, OTHER_KEY])
suffixes = st.sampled_from(["", ".json"])
sources = st.sampled_from([f"192.0.2.{number}" for number in (1, 2)])
payloads = st.sampled_from(["s3cret"] * 3 + ["é €😀", " ", "x" * 21])
limits = st.fixed_dictionaries(
    {},
    optional={
        "expire_after_views": st.sampled_from([1, 2, 100, 0]),
        "expire_after_duration": st.sampled_from([0, 3, 6]),
        "expire_after_days": st.sampled_from([1, 90]),
        "deletable_by_viewer": st.booleans(),
        "note": st.sampled_from(["not allowed"]),
    },
)
fields = st.fixed_dictionaries(
    {"message": st.sampled_from(["The key, please"] * 8 + [" ", "m" * 2_001])},
    optional={
        "name": st.sampled_from(["n", "ü😀"]),
        "expire_after_days": st.sampled_from([1, 2, "3", 90, 0, 91]),
        "answers": st.sampled_from([2, "3", 20, 20, 20, 0, 21]),
        "files": st.sampled_from([True, "off", "maybe"]),
        "max_bytes": st.sampled_from([20, "40", 2**30, 0]),
        "push": limits,
    },
)
moves = st.sampled_from(
    [*[{"minutes": 16}, {"minutes": 61}] * 3, {"hours": 23}, {"days": 1}, {"days": 8}, {"days": 401}]
)

compared: dict[int, int] = {}  # responses by status
given_again: list[int] = []


class Service(RuleBasedStateMachine):
    """Every rule is a request; the clock advances a millisecond with each, so that the order is clear."""

    asks = Bundle("asks")

    def __init__(self) -> None:
        super().__init__()
        self.installation = moto_in_process.fresh()
        self.installation.__enter__()
        cognito = resources.client("cognito-idp")
        pool_id = cognito.create_user_pool(PoolName="test", UsernameAttributes=["email"])["UserPool"]["Id"]
        os.environ["USER_POOL_ID"] = pool_id  # restored by the test's monkeypatch
        resources.renew()
        names = {address: sign_up(pool_id, address) for address in (ANN, EVE)} | {OPERATOR: OPERATOR}
        self.model = Asks(OPERATOR)
        self.now = START
        self.tokens: dict[str | None, str | None] = {NOBODY: None, BAD_TOKEN: BAD_TOKEN}
        self.tokens |= {name: auth.issue_api_token(owner, "test", now=START) for name, owner in names.items()}

    def teardown(self) -> None:
        given_again.append(self.model.given_again)
        self.installation.__exit__(None, None, None)

    def request(self, caller: str | None, method: str, path: str, **how: Any) -> Answer:
        self.now += MILLISECOND
        return Api(now=self.now, token=self.tokens[caller]).request(method, path, **how)

    def compare(self, answer: Answer, expected: Expected) -> None:
        assert answer.status == expected.status, (answer, expected)
        body = answer.json
        assert (set(body) if isinstance(expected.body, set) else body) == expected.body
        named = {"x-page", "x-per-page", "link", "www-authenticate"}
        assert {name: value for name, value in answer.headers.items() if name in named} == expected.headers
        compared[answer.status] = compared.get(answer.status, 0) + 1

    @initialize(target=asks)
    def one_to_begin_with(self) -> Any:
        return self.create(ANN, {"message": "The key, please", "answers": 20, "max_bytes": 20}, "")

    @rule(target=asks, caller=callers, fields=fields, suffix=suffixes, key=st.none() | keys)
    def create(self, caller: str | None, fields: dict[str, Any], suffix: str, key: str | None = None) -> Any:
        headers = {"content-type": "application/json"} | keyed(key)
        answer = self.request(caller, "POST", ASKS + suffix, headers=headers, body=json.dumps({"ask": fields}).encode())
        made = answer.json.get("ask_token", "")
        self.compare(answer, self.model.create(caller, fields, made, self.now, key))
        return made or multiple()

    @rule(caller=callers, ask_token=asks | asks | asks | st.just("nosuchtoken"), suffix=suffixes)
    def end(self, caller: str | None, ask_token: str, suffix: str) -> None:
        answer = self.request(caller, "DELETE", f"{ASKS}/{ask_token}{suffix}")
        self.compare(answer, self.model.end(caller, ask_token, self.now))

    @rule(caller=callers, page=st.sampled_from([1, 1, 1, 2, 0]))
    def listed(self, caller: str | None, page: int) -> None:
        answer = self.request(caller, "GET", ASKS, query={"page": page})
        self.compare(answer, self.model.listed(caller, page, self.now))

    @rule(
        ask_token=asks | asks | asks | st.just("nosuchtoken"),
        payload=payloads,
        source=sources,
        key=st.none() | keys,
        presses=st.integers(1, 2),
    )
    def answer(self, ask_token: str, payload: str, source: str, key: str | None, presses: int) -> None:
        form = {"push[payload]": payload, "idempotency_key": key or ""}
        headers = {"content-type": FORM, "sec-fetch-site": "same-origin"}
        for _ in range(presses):
            self.now += MILLISECOND
            caller = Api(now=self.now, ip=source)
            answer = caller.request("POST", f"/a/{ask_token}", headers=headers, body=urlencode(form).encode())
            assert answer.status == self.model.answer(ask_token, payload, source, self.now, key)
            compared[answer.status] = compared.get(answer.status, 0) + 1

    @rule(
        target=asks,
        owner=st.sampled_from([ANN, EVE]),
        number=st.integers(1, 7),
        max_bytes=st.sampled_from([30, 70]),
        source=sources,
        key=st.none() | keys,
    )
    def fill(self, owner: str, number: int, max_bytes: int, source: str, key: str | None) -> Any:
        ask_token = self.create(owner, {"message": "x", "answers": number, "max_bytes": max_bytes}, "")
        for sent in (*range(number + 1), 0):
            self.answer(ask_token, f"answer {sent}", source, key, 1)
        return ask_token

    @rule(ask_token=asks, beside=st.integers(-1, 1))
    def look_beside_its_end(self, ask_token: str, beside: int) -> None:
        asked = self.model.asks[ask_token]
        self.now = max(self.now, asked.expires + (beside - 1) * MILLISECOND)
        self.answer(ask_token, "s3cret", "192.0.2.9", None, 1)
        self.listed(asked.owner, 1)

    @rule(owner=st.sampled_from([ANN, EVE]))
    def find_the_answers(self, owner: str) -> None:
        listed = self.request(owner, "GET", "/api/v2/pushes/active").json
        assert [(push["name"], push["created_at"]) for push in listed] == self.model.active(owner, self.now)[:50]

    @rule(move=moves)
    def time_passes(self, move: dict[str, int]) -> None:
        self.now += timedelta(**move)


def sign_up(pool_id: str, address: str) -> str:
    """Create an account and return its owner."""
    cognito = resources.client("cognito-idp")
    verified = [{"Name": "email", "Value": address}, {"Name": "email_verified", "Value": "true"}]
    made = cognito.admin_create_user(UserPoolId=pool_id, Username=address, UserAttributes=verified)
    [sub] = [one["Value"] for one in made["User"]["Attributes"] if one["Name"] == "sub"]
    return naming.of_account(sub)


@pytest.mark.prove
@pytest.mark.timeout(900)
def test_every_answer_about_asks_is_the_models(effort: int, prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_POOL_ID", "")
    compared.clear()
    given_again.clear()
    chosen = settings(
        max_examples=6 if effort == 1 else 4 * effort,
        stateful_step_count=20 if effort == 1 else 50,
        derandomize=effort == 1,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    run_state_machine_as_test(Service, settings=chosen)

    statuses = ", ".join(f"{number:,} of {status}" for status, number in sorted(compared.items()))
    assert {200, 201, 303, 410} <= set(compared)
    assert effort == 1 or {400, 401, 403, 404, 413, 422, 429} <= set(compared)
    assert effort == 1 or any(given_again)
    prove(
        "API",
        "Every response about asks and their answers, in any order and at any time, is that of a plain model",
        f"{sum(compared.values()):,} requests ({statuses}), {sum(given_again):,} of them sent again; moto",
    )
