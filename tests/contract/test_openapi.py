"""docs/openapi.yaml matches the code: its paths, its statuses, and real responses."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from infra.build import template
from shared.domain import idempotency
from shared.identity import auth
from shared.web import statuses
from tests.conftest import Configure
from tests.drivers.client import KEY, START, Answer, Api, function_of, match_route
from tests.drivers.sender_key import seal
from tests.engines import resources
from tests.functions.test_create_ask import ask
from tests.functions.test_end_ask import end
from tests.functions.test_read_status import create, status

pytestmark = pytest.mark.prove("API", "docs/openapi.yaml says what the API does", "moto")

PATH = template.ROOT / "docs" / "openapi.yaml"
# Names in a 422 besides the fields of a new push.
NO_FIELDS = {"idempotency_key", "allowed_countries", "authenticated_recipients"}
LARGE = "QUFB" * 1_500_000  # 4.5 MB once decoded


@dataclass(frozen=True)
class Callers:
    bob: Api
    eve: Api
    anybody: Api
    configure: Configure


Call = Callable[[Callers], Answer]


@cache
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(PATH.read_text())
    return loaded


def operations() -> dict[str, dict[str, Any]]:
    """Return the operations by operationId, with references to responses resolved."""
    found = [one for path in document()["paths"].values() for name, one in path.items() if name != "parameters"]
    return {
        one["operationId"]: {status: resolve(response) for status, response in one["responses"].items()}
        for one in found
    }


def resolve(node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    target: Any = document()
    for name in node["$ref"].removeprefix("#/").split("/"):
        target = target[name]
    return dict(target)


def closed(node: Any) -> Any:
    """Return a schema whose objects allow only the properties that it names: clients ignore others, tests do not."""
    if isinstance(node, list):
        return [closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {name: closed(value) for name, value in node.items()}
    return {"additionalProperties": False, **found} if isinstance(node.get("properties"), dict) else found


def checker(schema: dict[str, Any]) -> Draft202012Validator:
    schemas = document()["components"]["schemas"]
    return Draft202012Validator(closed(schema | {"components": {"schemas": schemas}}))


def violations(operation: str, answer: Answer) -> list[str]:
    """Return undocumented and missing parts of a response."""
    response = operations()[operation].get(str(answer.status))
    if response is None:
        return [f"status {answer.status} is not documented"]
    schema = response["content"]["application/json"]["schema"]
    found = [error.message for error in checker(schema).iter_errors(answer.json)]
    if answer.status == 422:
        named = "NewAsk" if operation == "create_ask" else "NewPush"
        fields = document()["components"]["schemas"][named]["properties"].keys() | NO_FIELDS
        found += [f"{name} is no field" for name in answer.json.keys() - fields]
    elif answer.status >= 400 and "error" not in answer.json:
        found += ["error is missing"]
    headers = {name.lower(): resolve(header) for name, header in response.get("headers", {}).items()}
    found += [
        f"{name} is missing"
        for name, header in headers.items()
        if header.get("required", False) > (name in answer.headers)
    ]
    found += [f"{name} is not documented" for name in answer.headers.keys() - headers.keys() - statuses.HEADERS.keys()]
    for name in headers.keys() & answer.headers.keys():
        value: Any = answer.headers[name]
        value = int(value) if headers[name]["schema"].get("type") == "integer" else value
        found += [error.message for error in Draft202012Validator(headers[name]["schema"]).iter_errors(value)]
    return found


def test_it_is_an_openapi_document() -> None:
    validate(document())


def test_its_paths_are_the_routes_of_the_template() -> None:
    documented = {
        f"{method.upper()} {path}"
        for path, item in document()["paths"].items()
        for method in item
        if method != "parameters"
    }

    keys = {route.key for route in template.routes() if " /api/v2/" in route.key}
    assert documented == {key for key in keys if not (key.endswith(".json") or key.startswith("HEAD "))}


def test_it_declares_no_default() -> None:
    """TypeScript's types require a property with one, and other generated clients send it."""
    assert "default:" not in PATH.read_text()


def test_it_lists_its_omissions() -> None:
    text = document()["info"]["description"]

    assert all(left_out in text for left_out in ("HEAD", "API v1", "docs/clients.md"))


def test_its_operations_are_named_like_the_modules() -> None:
    modules = {name["Handler"].split(".")[1] for name in template.functions().values()}

    assert operations().keys() <= modules


def test_every_path_also_works_with_json_appended() -> None:
    assert "with `.json` appended" in document()["info"]["description"]

    for path, item in document()["paths"].items():
        for method in item.keys() - {"parameters"}:
            plain = path.replace("{url_token}", "a").replace("{ask_token}", "a")
            routes = [match_route(method.upper(), plain + end)[0] for end in ("", ".json")]
            assert len({function_of(route) for route in routes} - {function_of("$default")}) == 1, path


def test_it_describes_the_idempotency_keys_that_the_code_takes() -> None:
    schema = document()["components"]["parameters"]["IdempotencyKey"]["schema"]
    accepts = Draft202012Validator(schema).is_valid

    for length in (1, 15, 16, 255, 256):
        for character in "a~! \x7fé":
            assert accepts(key := length * character) == idempotency.is_key(key), key


def test_its_statuses_are_the_codes() -> None:
    documented = {int(status) for responses in operations().values() for status in responses}

    assert documented == {200, 201} | set(statuses.STATUSES.values())


def own(bob: Api, **fields: Any) -> str:
    return bob.push(**{"name": "n", "note": "o", "deletable_by_viewer": False, **fields})


def over(bob: Api) -> str:
    url_token = own(bob)
    bob.expire(url_token)
    return url_token


def limited(bob: Api, anybody: Api) -> Answer:
    url_token = own(bob, passphrase="p")
    return [anybody.retrieve(url_token, "q") for _ in range(6)][-1]


def listed(bob: Api, which: str, **query: Any) -> Answer:
    for _ in range(51):
        own(bob, expire_after_days=1, allowed_ips="192.0.2.1")
    if which == "expired":
        bob.tick(days=1)
    return bob.get(f"/api/v2/pushes/{which}", **query)


def without_a_table(call: Call) -> Call:
    def failing(who: Callers) -> Answer:
        own(who.bob)
        for table in ("Pushes", "AuditEntries", "Asks"):
            resources.client("dynamodb").delete_table(TableName=f"test-{table}")
        return call(who)

    return failing


def pages(which: str) -> list[tuple[int, Call]]:
    path = f"/api/v2/pushes/{which}"
    return [
        (200, lambda who: listed(who.bob, which)),
        (200, lambda who: listed(who.bob, which, page=2)),
        (400, lambda who: who.bob.get(path, page=201)),
        (401, lambda who: who.anybody.get(path)),
        (503, without_a_table(lambda who: who.bob.get(path))),
    ]


def mailed(who: Api, url_token: str, **fields: str) -> Answer:
    return who.post(f"/api/v2/pushes/{url_token}/notify_emails", {"notify_emails_to": "a@example.com"} | fields)


def viewed_and_over(anybody: Api) -> tuple[str, str]:
    url_token, key = create(anybody, expire_after_views=1)
    anybody.retrieve(url_token)
    return url_token, key


def asker(who: Callers) -> Api:
    """Return a caller whose account has a confirmed address."""
    client = resources.client("cognito-idp")
    pool_id = client.create_user_pool(PoolName="test", UsernameAttributes=["email"])["UserPool"]["Id"]
    attributes = [{"Name": "email", "Value": "ann@example.com"}, {"Name": "email_verified", "Value": "true"}]
    user = client.admin_create_user(UserPoolId=pool_id, Username="ann@example.com", UserAttributes=attributes)["User"]
    who.configure(USER_POOL_ID=pool_id)
    sub = next(one["Value"] for one in user["Attributes"] if one["Name"] == "sub")
    return Api(token=auth.issue_api_token(f"account:{sub}", "test", now=START))


def asked(who: Callers) -> Answer:
    api = asker(who)
    ask(api)
    return api.get("/api/v2/asks")


def ended(who: Callers, ender: Api | None = None) -> Answer:
    api = asker(who)
    ask_token = ask(api).json["ask_token"]
    return end(ender or api, ask_token)


JSON = {"content-type": "application/json"}
UNKNOWN = "nosuchtoken"
FILE = {"filename": "a", "data": "YQ=="}
ANSWERS: dict[str, list[tuple[int, Call]]] = {
    "version": [(200, lambda who: who.anybody.get("/api/v2/version"))],
    "create_push": [
        (201, lambda who: who.anybody.create()),
        (201, lambda who: who.bob.create(kind="url", payload="https://a.example", passphrase="p", name="n")),
        (201, lambda who: who.bob.create(files=[FILE, {"filename": "b", "size": 1}])),
        (201, lambda who: who.bob.create(notify_emails_to="a@example.com")),
        (201, lambda who: who.bob.create(allowed_ips="192.0.2.1", unknown=1)),
        (201, lambda who: who.bob.create(seal(), sealed_by="sender")),
        (400, lambda who: who.anybody.post("/api/v2/pushes", {})),
        (400, lambda who: who.anybody.create(key="too short")),
        (401, lambda who: who.anybody.create(files=[])),
        (413, lambda who: who.bob.create(files=[FILE | {"data": LARGE}])),
        (
            422,
            lambda who: who.anybody.create("", kind="x", name=1, notify_emails_to="a", expire_after_days=0),
        ),
        (422, lambda who: who.bob.create(sealed_by="x")),
        (422, lambda who: who.bob.create(allowed_ips="x", allowed_countries="x", authenticated_recipients="x")),
        (422, lambda who: who.bob.create(files=[1], passphrase=1, note=1, expire_after_views="x")),
        (422, lambda who: [who.bob.create(payload, key=KEY) for payload in ("a", "b")][1]),
        (429, lambda who: who.bob.create(files=[{"filename": "a", "size": 2**30}] * 6)),
        (503, without_a_table(lambda who: who.anybody.create())),
    ],
    "retrieve_push": [
        (200, lambda who: who.anybody.retrieve(own(who.bob, passphrase="p"), "p")),
        (200, lambda who: who.anybody.retrieve(own(who.bob, expire_after_views=1))),
        (200, lambda who: who.anybody.retrieve(who.bob.push(seal(), sealed_by="sender"))),
        (200, lambda who: who.bob.retrieve(who.bob.push("", files=[FILE]))),
        (200, lambda who: who.anybody.retrieve(over(who.bob))),
        (200, lambda who: [who.anybody.retrieve(token, key=KEY) for token in 2 * [own(who.bob)]][1]),
        (400, lambda who: who.anybody.retrieve(own(who.bob), key="too short")),
        (400, lambda who: who.anybody.request("GET", f"/api/v2/pushes/{own(who.bob)}", query="passphrase=%FF")),
        (401, lambda who: who.anybody.retrieve(own(who.bob, passphrase="p"))),
        (401, lambda who: who.anybody.as_owner("nonsense").retrieve(own(who.bob))),
        (403, lambda who: who.anybody.retrieve(own(who.bob, allowed_ips="198.51.100.7"))),
        (404, lambda who: who.anybody.retrieve(UNKNOWN)),
        (409, lambda who: who.anybody.retrieve(own(who.bob, files=[{"filename": "b", "size": 1}]))),
        (429, lambda who: limited(who.bob, who.anybody)),
        (503, without_a_table(lambda who: who.anybody.retrieve(UNKNOWN))),
    ],
    "preview_push": [
        (200, lambda who: who.anybody.preview(own(who.bob))),
        (200, lambda who: who.anybody.preview(who.bob.push(seal(), sealed_by="sender"))),
        (401, lambda who: who.anybody.as_owner("nonsense").preview(own(who.bob))),
        (404, lambda who: who.anybody.preview(UNKNOWN)),
        (503, without_a_table(lambda who: who.anybody.preview(UNKNOWN))),
    ],
    "expire_push": [
        (200, lambda who: who.bob.expire(own(who.bob))),
        (200, lambda who: who.bob.expire(over(who.bob))),
        (401, lambda who: who.anybody.expire(own(who.bob))),
        (403, lambda who: who.eve.expire(own(who.bob))),
        (404, lambda who: who.bob.expire(UNKNOWN)),
        (404, lambda who: who.bob.request("DELETE", f"/api/v2/pushes/{own(who.bob)}", headers={"x-manage-key": "a"})),
        (503, without_a_table(lambda who: who.bob.expire(UNKNOWN))),
    ],
    "read_status": [
        (200, lambda who: status(who.anybody, *create(who.anybody))),
        (200, lambda who: status(who.anybody, *viewed_and_over(who.anybody))),
        (401, lambda who: status(who.anybody.as_owner("nonsense"), *create(who.anybody))),
        (404, lambda who: status(who.bob, own(who.bob), "a" * 26)),
        (503, without_a_table(lambda who: status(who.anybody, UNKNOWN, "a" * 26))),
    ],
    "read_audit": [
        (200, lambda who: who.bob.audit(over(who.bob))),
        (200, lambda who: who.bob.audit(own(who.bob, notify_emails_to="a@example.com"))),
        (400, lambda who: who.bob.audit(own(who.bob), page=0)),
        (401, lambda who: who.anybody.audit(own(who.bob))),
        (403, lambda who: who.eve.audit(own(who.bob))),
        (404, lambda who: who.bob.audit(UNKNOWN)),
        (503, without_a_table(lambda who: who.bob.audit(UNKNOWN))),
    ],
    "notify_emails": [
        (201, lambda who: mailed(who.bob, own(who.bob))),
        (
            400,
            lambda who: who.bob.request(
                "POST", f"/api/v2/pushes/{own(who.bob)}/notify_emails", body=b"{", headers=JSON
            ),
        ),
        (401, lambda who: mailed(who.anybody, own(who.bob))),
        (403, lambda who: mailed(who.eve, own(who.bob))),
        (404, lambda who: mailed(who.bob, UNKNOWN)),
        (422, lambda who: mailed(who.bob, over(who.bob))),
        (422, lambda who: mailed(who.bob, own(who.bob), notify_emails_to="x", notify_emails_to_locale="tlh")),
        (429, lambda who: [mailed(who.bob, own(who.bob)) for _ in range(6)][-1]),
        (503, without_a_table(lambda who: mailed(who.bob, UNKNOWN))),
    ],
    "create_ask": [
        (201, lambda who: ask(asker(who), name="n", push={"expire_after_duration": 0})),
        (400, lambda who: who.bob.post("/api/v2/asks", {})),
        (401, lambda who: ask(who.anybody)),
        (403, lambda who: ask(who.bob)),
        (422, lambda who: ask(asker(who), message="", name=1, answers=0, files="x", max_bytes=0, push=1)),
        (422, lambda who: [ask(api, key=KEY, name=name) for api in [asker(who)] for name in "ab"][1]),
        (503, without_a_table(lambda who: ask(asker(who)))),
    ],
    "list_asks": [
        (200, asked),
        (400, lambda who: who.bob.get("/api/v2/asks", page=201)),
        (401, lambda who: who.anybody.get("/api/v2/asks")),
        (503, without_a_table(lambda who: who.bob.get("/api/v2/asks"))),
    ],
    "end_ask": [
        (200, ended),
        (401, lambda who: end(who.anybody, UNKNOWN)),
        (403, lambda who: ended(who, who.eve)),
        (404, lambda who: end(who.bob, UNKNOWN)),
        (503, without_a_table(lambda who: end(who.bob, UNKNOWN))),
    ],
    "list_active": pages("active"),
    "list_expired": pages("expired"),
}
CASES = [(operation, status, call) for operation, answers in ANSWERS.items() for status, call in answers]


@pytest.fixture
def callers(api: Api, bob: Api, eve: Api, configure: Configure) -> Callers:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    return Callers(bob, eve, api, configure)


@pytest.mark.parametrize(("operation", "status", "call"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_a_real_answer_is_as_documented(callers: Callers, operation: str, status: int, call: Call) -> None:
    answer = call(callers)

    assert (answer.status, violations(operation, answer)) == (status, [])


def test_every_documented_status_has_an_answer_here() -> None:
    documented = {(operation, int(status)) for operation, responses in operations().items() for status in responses}

    answered = {(operation, status) for operation, status, _ in CASES}
    of_the_gateway = {(operation, 429) for operation in operations()} - answered  # its limit for each route
    assert documented - answered - of_the_gateway == {("version", 503)}


def test_a_response_with_one_property_more_or_less_is_noticed(bob: Api) -> None:
    text = bob.retrieve(bob.push()).text

    more = Answer(200, {}, text.replace("{", '{"secret": 1,', 1))
    less = Answer(200, {}, text.replace('"deleted"', '"removed"'))

    assert violations("retrieve_push", more)
    assert violations("retrieve_push", less)


def test_the_pages_responses_are_as_documented() -> None:
    pages = "".join((template.ROOT / page).read_text() for page in ("README.md", "docs/api.md"))
    bodies = [json.loads(sent) for sent in re.findall(r"-d '([^']*)'", pages)]

    assert len(bodies) > 3
    for body in bodies:
        checker({"$ref": "#/components/schemas/NewPush"}).validate(body["push"])
