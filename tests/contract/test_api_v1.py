"""API v1 for older clients: the same pushes under other paths (contract, section 10)."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from infra.build import template
from shared import __version__
from shared.aws import reads
from shared.domain import digests
from shared.identity import auth
from shared.web import dialects
from tests.conftest import Configure
from tests.drivers.client import START, Answer, Api
from tests.engines import resources

WRAPPERS = {"p": "password", "f": "file_push", "r": "url"}
FILE = {"filename": "a.txt", "data": "YQ=="}
MULTIPART = "multipart/form-data; boundary=x"
FORM = "application/x-www-form-urlencoded"

each = pytest.mark.parametrize("x", WRAPPERS)


def create(api: Api, x: str, **fields: Any) -> Answer:
    return api.post(f"/{x}.json", {WRAPPERS[x]: fields})


def form(api: Api, pairs: dict[str, str], content_type: str | None = FORM, path: str = "/p.json") -> Answer:
    headers = {"content-type": content_type} if content_type else {}
    return api.request("POST", path, headers=headers, body=urlencode(pairs).encode())


def test_a_create_answers_as_that_of_v2(bob: Api) -> None:
    old, new = create(bob, "p", payload="s3cret", name="n", passphrase="p"), bob.create(name="n", passphrase="p")

    assert (old.status, old.headers.keys() - new.headers.keys()) == (201, {"access-control-allow-origin"})
    own = {"url_token", "html_url", "json_url"}
    assert {k: v for k, v in old.json.items() if k not in own} == {k: v for k, v in new.json.items() if k not in own}


@each
def test_a_push_created_by_one_path_is_retrieved_by_all(bob: Api, x: str) -> None:
    fields = {"payload": "https://example.com/", "files": [FILE]} if x == "f" else {"payload": "https://example.com/"}
    url_token = create(bob, x, **fields).json["url_token"]

    for path in ("/p/{}.json", "/f/{}.json", "/r/{}.json", "/api/v2/pushes/{}"):
        assert bob.get(path.format(url_token)).json["payload"] == "https://example.com/"


@pytest.mark.parametrize(
    ("x", "fields", "kind"),
    [
        ("p", {"payload": "a"}, "text"),
        ("p", {"payload": "a", "files": [FILE]}, "file"),
        ("p", {"payload": "https://a.example", "kind": "url"}, "url"),
        ("f", {"payload": "", "files": [FILE]}, "file"),
        ("r", {"payload": "https://a.example"}, "url"),
        ("r", {"payload": "https://a.example", "kind": None}, "url"),
        ("r", {"payload": "https://a.example", "kind": ""}, "url"),
        ("r", {"payload": "a", "kind": "qr"}, "qr"),
    ],
)
def test_a_kind_that_is_absent_is_that_of_the_path(bob: Api, x: str, fields: dict[str, Any], kind: str) -> None:
    created = create(bob, x, **fields)

    assert (created.status, created.json.get("kind")) == (201, kind)


def test_the_r_path_accepts_only_a_url(bob: Api) -> None:
    assert create(bob, "r", payload="no url").json.keys() == {"payload"}


@pytest.mark.parametrize("x", ["f", "r"])
def test_files_and_urls_need_a_token_always(api: Api, configure: Configure, x: str) -> None:
    configure(FILE_AUTHENTICATION="false")

    assert create(api, x, payload="https://a.example", files=[FILE]).status == 401
    assert api.post(f"/{x}.json", {}).status == 401


def test_a_v1_text_needs_a_token_if_v2_needs_one(api: Api, configure: Configure) -> None:
    assert create(api, "p", payload="a").status == 201
    assert create(api, "p", payload="a", files=[]).status == 401
    configure(ANONYMOUS_ACCESS="false")
    assert create(api, "p", payload="a").status == 401


@each
@pytest.mark.parametrize("body", [{}, {"push": {"payload": "a"}}, {"payload": "a"}, {"url_": 1}, []])
def test_a_body_without_its_wrapper_is_refused_by_the_wrappers_name(bob: Api, x: str, body: Any) -> None:
    refused = bob.post(f"/{x}.json", body)

    assert refused.status == 400
    assert f'"{WRAPPERS[x]}"' in refused.json["error"]


def test_the_wrappers_of_v1_are_none_in_v2(api: Api) -> None:
    answers = [api.post("/api/v2/pushes", {wrapper: {"payload": "a"}}) for wrapper in WRAPPERS.values()]
    answers.append(form(api, {"password[payload]": "a"}, path="/api/v2/pushes"))

    assert [answer.status for answer in answers] == [400] * 4


@pytest.mark.parametrize("content_type", [FORM, f"{FORM};charset=UTF-8", None, ""])
def test_a_form_works_with_and_without_its_content_type(api: Api, content_type: str | None) -> None:
    created = form(api, {"password[payload]": "a&b ü", "password[expire_after_days]": "2"}, content_type)

    assert (created.status, created.json["expire_after_days"]) == (201, 2)
    assert api.retrieve(created.json["url_token"]).json["payload"] == "a&b ü"


def test_a_body_without_a_content_type_stays_rejected_by_v2(api: Api) -> None:
    assert form(api, {"push[payload]": "a"}, None, "/api/v2/pushes").status == 400


def test_a_multipart_form_carries_a_file(bob: Api) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="file_push[files][]"; filename="a.txt"\r\n\r\nhi\r\n--x--\r\n'

    created = bob.request("POST", "/f.json", headers={"content-type": MULTIPART}, body=part)

    assert created.status == 201
    assert bob.retrieve(created.json["url_token"]).json["files"][0]["filename"] == "a.txt"


def test_parameters_in_the_query_of_a_create_are_not_read(api: Api) -> None:
    refused = api.request("POST", "/p.json", query={"password[payload]": "a"}, headers={"content-type": FORM})

    assert refused.status == 400
    assert resources.stored()["Pushes"] == 0


@each
def test_a_push_without_json_in_its_path_is_a_page(api: Api, x: str) -> None:
    url_token = api.push(deletable_by_viewer=True)

    assert api.request("DELETE", f"/{x}/{url_token}").status == 404
    assert api.get(f"/{x}/{url_token}").headers["content-type"].startswith("text/html")
    assert api.retrieve(url_token).json["payload"] == "s3cret"


@each
def test_a_push_is_retrieved_previewed_and_expired_by_each_path(bob: Api, api: Api, x: str) -> None:
    url_token = bob.push(passphrase="é &", retrieval_step=True)

    previewed = api.get(f"/{x}/{url_token}/preview.json").json
    refused = api.get(f"/{x}/{url_token}.json")
    retrieved = api.get(f"/{x}/{url_token}.json", passphrase="é &").json
    expired = bob.request("DELETE", f"/{x}/{url_token}.json")

    assert previewed == {"url": f"https://api.example.test/p/{url_token}/r"}
    assert (refused.status, retrieved["payload"]) == (401, "s3cret")
    assert (expired.status, expired.json["deleted"]) == (200, True)


def test_a_body_of_a_get_is_ignored(api: Api) -> None:
    url_token = api.push()
    headers = {"content-type": "application/json"}

    retrieved = api.request("GET", f"/p/{url_token}.json", headers=headers, body=b"null")

    assert retrieved.json["payload"] == "s3cret"


@each
def test_an_audit_log_stands_under_views(bob: Api, eve: Api, api: Api, x: str) -> None:
    url_token = bob.push()
    path = f"/{x}/{url_token}/audit.json"

    assert bob.get(path).json == {"views": bob.audit(url_token).json["logs"]}
    assert bob.get(path).headers == bob.audit(url_token).headers
    assert [who.get(path).status for who in (eve, api)] == [403, 401]
    assert bob.get(path, page=0).status == 400


@each
def test_the_lists_hold_all_kinds(bob: Api, api: Api, x: str) -> None:
    bob.push("https://a.example", kind="url")
    bob.expire(bob.push())

    for which in ("active", "expired"):
        assert bob.get(f"/{x}/{which}.json").json == bob.get(f"/api/v2/pushes/{which}").json != []
        assert api.get(f"/{x}/{which}.json").status == 401


@pytest.mark.parametrize("path", ["/api/v1/version", "/api/v1/version.json"])
def test_the_version_is_that_of_v1(api: Api, path: str) -> None:
    answer = api.as_owner("nonsense").get(path)

    versions = {"application_version": f"2.11.4+{__version__}", "api_version": "1.5", "edition": "oss"}
    assert (answer.status, answer.json) == (200, versions)


ORIGIN = {"origin": "https://elsewhere.example"}
ALLOWED = "access-control-allow-origin"


def test_pages_of_any_origin_may_read_every_answer_to_the_create(
    bob: Api, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = [{"filename": "a", "data": "QUFB" * 1_500_000}]
    answers = [create(api, "p", payload="a"), create(api, "p", payload=""), api.post("/p.json", {})]
    answers += [create(api, "p", payload="a", files=[]), create(bob, "p", payload="", files=large)]
    answers += [create(api.as_owner("nonsense"), "p", payload="a")]
    resources.client("dynamodb").delete_table(TableName="test-Pushes")
    answers += [create(api, "p", payload="a")]

    assert [answer.status for answer in answers] == [201, 422, 400, 401, 413, 401, 503]
    assert [answer.headers[ALLOWED] for answer in answers] == ["*"] * 7
    assert not any("access-control-allow-credentials" in answer.headers for answer in answers)


def test_a_preflight_request_lists_the_allowed_methods_and_headers(api: Api) -> None:
    asked = ORIGIN | {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}

    answer = api.request("OPTIONS", "/p.json", headers=asked)

    assert (answer.status, answer.text, answer.headers[ALLOWED]) == (204, "", "*")
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert {"content-type", "authorization"} <= set(answer.headers["access-control-allow-headers"].split(", "))
    assert "access-control-allow-credentials" not in answer.headers


def test_nothing_else_may_be_read_by_pages_of_another_origin(bob: Api) -> None:
    url_token = bob.push()

    for route in template.routes():
        if route.key != "$default" and not route.key.endswith(" /p.json"):
            method, path = route.key.split()
            path = path.replace("{url_token}", url_token).replace("{id}", "0" * 64)
            path = path.replace("{form}", "sign_in").replace("{name}", "site.css").replace("{token}", "A" * 64)
            path = path.replace("{manage_key}", "a" * 26).replace("{ask_token}", url_token)
            assert ALLOWED not in bob.request(method, path, headers=ORIGIN).headers, route.key
    assert ALLOWED not in bob.request("OPTIONS", "/f.json", headers=ORIGIN).headers


def test_a_session_is_no_credential_of_a_create(api: Api) -> None:
    session = auth.open_session("ann@example.com", now=START)
    made = api.request(
        "POST",
        "/p.json",
        headers=ORIGIN | {"cookie": f"session={session}", "content-type": "application/json"},
        body=json.dumps({"password": {"payload": "a"}}).encode(),
    )

    assert made.status == 201
    pushed = reads.find(digests.digest(made.json["url_token"]))
    assert pushed is not None
    assert pushed.owner is None
    assert api.as_owner(session).get("/p/active.json").status == 401


def test_every_wrapper_of_v1_has_its_dialect() -> None:
    assert {x: dialect.wrapper for x, dialect in dialects.V1.items()} == WRAPPERS
