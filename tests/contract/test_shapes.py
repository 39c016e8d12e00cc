"""The exact keys, JSON types and headers of every response, including errors."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.drivers.client import Answer, Api
from tests.engines import resources

Shape = Any
Call = Callable[[Api, str], Answer]

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

BASE: dict[str, Shape] = {
    "expire_after_views": "int",
    "expire_after_days": "int",
    "views_remaining": "int",
    "days_remaining": "int",
    "expired": "bool",
    "expired_on": "null",
    "expires_at": "time",
    "url_token": "str",
    "kind": "str",
    "deletable_by_viewer": "bool",
    "retrieval_step": "bool",
    "passphrase": "str",
    "created_at": "time",
    "updated_at": "time",
    "deleted": "bool",
    "html_url": "str",
    "json_url": "str",
}
EXPIRED = BASE | {"expired_on": "time", "passphrase": "null"}
LABEL = {"name": "str", "note": "str"}
ENTRY = dict.fromkeys(["kind", "ip", "user_agent", "referrer"], "str") | {"created_at": "time", "updated_at": "time"}
SWITCH = {"enabled": "bool"}
VERSION = {
    "application_version": "str",
    "api_version": "str",
    "edition": "str",
    "features": {
        "anonymous_access": "bool",
        "api_token_authentication": "bool",
        "accounts": SWITCH,
        "pushes": {
            "enabled": "bool",
            "email_auto_dispatch": "bool",
            "file_attachments": {"enabled": "bool", "requires_authentication": "bool"},
            "url_pushes": SWITCH,
            "qr_code_pushes": SWITCH,
        },
        "requests": SWITCH,
    },
}

# Written out and not taken from the code, which they test.
HEADERS = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
}
FIRST_PAGE = {"x-page": "1", "x-per-page": "50"}
BEARER = {"www-authenticate": "Bearer"}


def create(caller: Api, _url_token: str) -> Answer:
    return caller.create()


def active(caller: Api, _url_token: str) -> Answer:
    return caller.active()


def expired(caller: Api, _url_token: str) -> Answer:
    return caller.expired()


def version(caller: Api, _url_token: str) -> Answer:
    return caller.get("/api/v2/version")


ENDPOINTS: dict[str, Call] = {
    "create": create,
    "retrieve": Api.retrieve,
    "preview": Api.preview,
    "expire": Api.expire,
    "audit": Api.audit,
    "active": active,
    "expired": expired,
}


def shape(value: Any) -> Shape:
    match value:
        case dict():
            return {name: shape(one) for name, one in value.items()}
        case list():
            return [shape(one) for one in value]
        case str():
            return "time" if TIME.fullmatch(value) else "str"
        case None:
            return "null"
    return type(value).__name__


SUCCESSES: dict[str, tuple[Call, int, Shape, dict[str, str]]] = {
    "create": (create, 201, BASE | LABEL, {}),
    "retrieve": (Api.retrieve, 200, BASE | {"payload": "str", "files": []}, {}),
    "preview": (Api.preview, 200, {"url": "str"}, {}),
    "expire": (Api.expire, 200, EXPIRED, {}),
    "audit": (Api.audit, 200, {"logs": [ENTRY]}, FIRST_PAGE),
    "active": (active, 200, [BASE | LABEL], FIRST_PAGE),
    "expired": (expired, 200, [], FIRST_PAGE),
    "version": (version, 200, VERSION, {}),
}


@pytest.mark.parametrize(("call", "status", "body", "headers"), SUCCESSES.values(), ids=SUCCESSES)
def test_an_answer_has_exactly_its_keys_types_and_headers(
    bob: Api, call: Call, status: int, body: Shape, headers: dict[str, str]
) -> None:
    url_token = bob.push()

    answer = call(bob, url_token)

    assert (answer.status, shape(answer.json), answer.headers) == (status, body, HEADERS | headers)


def test_an_anonymous_create_has_its_sender_s_own_link_beside_them(api: Api) -> None:
    assert shape(api.create(name="n", note="o", passphrase="p").json) == BASE | LABEL | {"manage_url": "str"}


def test_the_last_view_has_the_shape_of_any_view(api: Api) -> None:
    answer = api.retrieve(api.push(expire_after_views=1))

    assert shape(answer.json) == BASE | {"payload": "str", "files": []}


def test_an_expired_push_has_no_payload_no_files_and_no_passphrase(api: Api) -> None:
    url_token = api.push(passphrase="p")
    api.expire(url_token)

    answer = api.retrieve(url_token)

    assert (answer.status, answer.headers) == (200, HEADERS)
    assert shape(answer.json) == EXPIRED | {"payload": "null", "files": []}


def test_a_list_of_expired_pushes_has_their_labels(bob: Api) -> None:
    bob.expire(bob.push())

    assert shape(bob.expired().json) == [EXPIRED | LABEL]


def test_a_page_links_to_its_neighbours(bob: Api) -> None:
    for _ in range(51):
        bob.push()

    answer = bob.active()

    link = '<https://api.example.test/api/v2/pushes/active?page=2>; rel="next"'
    assert answer.headers == HEADERS | FIRST_PAGE | {"link": link}


@pytest.mark.parametrize("call", ENDPOINTS.values(), ids=ENDPOINTS)
def test_a_bad_api_token_is_answered_alike_everywhere(api: Api, call: Call) -> None:
    answer = call(api.as_owner("nonsense"), api.push())

    assert (answer.status, shape(answer.json), answer.headers) == (401, {"error": "str"}, HEADERS | BEARER)


@pytest.mark.parametrize("call", [Api.audit, active, expired, Api.expire], ids=["audit", "active", "expired", "expire"])
def test_a_missing_api_token_is_answered_alike_everywhere(api: Api, bob: Api, call: Call) -> None:
    answer = call(api, bob.push(deletable_by_viewer=False))

    assert (answer.status, shape(answer.json), answer.headers) == (401, {"error": "str"}, HEADERS | BEARER)


@pytest.mark.parametrize("call", [Api.audit, Api.expire], ids=["audit", "expire"])
def test_a_forbidden_request_gets_the_same_response_everywhere(bob: Api, eve: Api, call: Call) -> None:
    answer = call(eve, bob.push(deletable_by_viewer=False))

    assert (answer.status, shape(answer.json), answer.headers) == (403, {"error": "str"}, HEADERS)


@pytest.mark.parametrize(
    "call",
    [Api.retrieve, Api.preview, Api.expire, Api.audit, lambda caller, _: caller.get("/api/v2/accounts")],
    ids=["retrieve", "preview", "expire", "audit", "no endpoint"],
)
def test_an_unknown_push_gets_the_same_response_everywhere(bob: Api, call: Call) -> None:
    answer = call(bob, "nosuchtoken")

    assert (answer.status, answer.json, answer.headers) == (404, {"error": "not-found"}, HEADERS)


@pytest.mark.parametrize(
    "call",
    [
        lambda caller, _: caller.post("/api/v2/pushes", {}),
        lambda caller, url_token: caller.request("GET", f"/api/v2/pushes/{url_token}", query="passphrase=%FF"),
        lambda caller, url_token: caller.audit(url_token, page=0),
        lambda caller, _: caller.active(page=0),
        lambda caller, _: caller.expired(page=0),
    ],
    ids=["create", "retrieve", "audit", "active", "expired"],
)
def test_a_malformed_request_is_answered_alike_everywhere(bob: Api, call: Call) -> None:
    answer = call(bob, bob.push())

    assert (answer.status, shape(answer.json), answer.headers) == (400, {"error": "str"}, HEADERS)


def test_a_push_with_failing_fields_is_answered_with_lists_of_messages(api: Api) -> None:
    answer = api.create("", kind="x", name=1)

    assert (answer.status, answer.headers) == (422, HEADERS)
    assert shape(answer.json) == {"kind": ["str"], "payload": ["str"], "name": ["str"]}


def test_a_refused_passphrase_is_answered_with_a_status_in_words(api: Api) -> None:
    answer = api.retrieve(api.push(passphrase="p"), "q")

    assert (answer.status, answer.headers) == (401, HEADERS)
    assert shape(answer.json) == {"error": "str", "message": "str", "status": "str"}
    assert answer.json["status"] == "unauthorized"


def test_too_many_wrong_passphrases_are_answered_with_a_time_to_wait(api: Api) -> None:
    url_token = api.push(passphrase="p")
    for _ in range(5):
        api.retrieve(url_token, "q")

    answer = api.retrieve(url_token, "q")

    assert (answer.status, shape(answer.json)) == (429, {"error": "str"})
    assert answer.headers == HEADERS | {"retry-after": "60"}


@pytest.mark.parametrize("call", ENDPOINTS.values(), ids=ENDPOINTS)
def test_a_service_that_fails_answers_alike_everywhere(bob: Api, call: Call) -> None:
    url_token = bob.push()
    for table in ("Pushes", "AuditEntries"):
        resources.client("dynamodb").delete_table(TableName=f"test-{table}")

    answer = call(bob, url_token)

    assert (answer.status, shape(answer.json)) == (503, {"error": "str"})
    assert answer.headers == HEADERS | {"retry-after": "2"}


def test_json_is_written_as_utf_8_without_escapes(bob: Api) -> None:
    url_token = bob.push("ü€😀\u2028", name="ü€😀")

    assert '"ü€😀\u2028"' in bob.retrieve(url_token).text
    assert '"ü€😀"' in bob.active().text


def test_all_errors_except_field_errors_are_one_sentence(api: Api, bob: Api, eve: Api) -> None:
    url_token = bob.push(passphrase="p", deletable_by_viewer=False)
    answers = [api.post("/api/v2/pushes", 1), api.active(), api.retrieve(url_token), eve.expire(url_token)]

    for sentence in (answer.json["error"] for answer in answers):
        assert re.fullmatch(r"[A-Z].*[.]", sentence)
