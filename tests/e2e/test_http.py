"""The part of the wire contract that only the deployed stack shows: routing, headers, sizes, encodings."""

import gzip
import hashlib
from dataclasses import replace
from urllib.parse import quote

import pytest

from infra.local.stack import Stack
from shared.web.statuses import HEADERS
from tests.drivers.http_client import HttpApi
from tests.e2e import aws
from tests.e2e.conftest import Offered

LIMIT = 1_048_576  # characters of a payload
PUSHES = "/api/v2/pushes"
black_box = pytest.mark.black_box


@black_box
@pytest.mark.parametrize("path", ["/api/v2/version", f"{PUSHES}/active", f"{PUSHES}/expired"])
def test_a_path_answers_with_and_without_json(bob: HttpApi, path: str) -> None:
    plain = bob.get(path)

    aliased = bob.get(f"{path}.json")

    assert plain.status == aliased.status == 200
    assert aliased.json == plain.json


@black_box
@pytest.mark.parametrize("action", ["preview", "audit"])
def test_a_path_below_a_push_answers_with_and_without_json(bob: HttpApi, action: str) -> None:
    path = f"{PUSHES}/{bob.push()}/{action}"
    plain = bob.get(path)

    aliased = bob.get(f"{path}.json")

    assert plain.status == aliased.status == 200
    assert aliased.json == plain.json


@black_box
def test_an_anonymous_sender_sees_and_ends_a_push_by_its_own_link(api: HttpApi) -> None:
    page = api.create("s3cret", deletable_by_viewer=True).json["manage_url"].removeprefix(api.base_url)
    push, key = f"{PUSHES}/{page.split('/')[2]}", page.split("/")[3]
    own, other = {"X-Manage-Key": key}, {"X-Manage-Key": "a" * 26}

    assert [api.get(page).status, api.get(f"{page}a").status] == [200, 404]
    for path in (f"{push}/status", f"{push}/status.json"):
        assert api.request("GET", path, headers=own).json["ended_by"] is None
        assert [api.request("GET", path, headers=headers).status for headers in ({}, other)] == [404, 404]
    assert [api.request("DELETE", push, headers=headers).status for headers in (other, own)] == [404, 200]
    assert api.request("GET", f"{push}/status", headers=own).json["ended_by"] == "deleted"


@black_box
@pytest.mark.parametrize("path", [f"{PUSHES}/T", f"{PUSHES}/T.json", "/p/T.json", "/p/T/r.json"])
def test_a_push_is_retrieved_by_each_of_its_paths(api: HttpApi, path: str) -> None:
    url_token = api.push("s3cret", expire_after_views=1)

    retrieved = api.get(path.replace("T", url_token))

    assert retrieved.json["payload"] == "s3cret"


@black_box
@pytest.mark.parametrize("suffix", ["", ".json"])
def test_a_push_is_created_and_expired_with_and_without_json(api: HttpApi, suffix: str) -> None:
    created = api.post(f"{PUSHES}{suffix}", {"push": {"payload": "s3cret", "deletable_by_viewer": True}})

    expired = api.request("DELETE", f"{PUSHES}/{created.json['url_token']}{suffix}")

    assert created.status == 201
    assert (expired.status, expired.json["deleted"]) == (200, True)


@black_box
def test_links_lead_back_to_this_stack(api: HttpApi) -> None:
    created = api.create("s3cret").json

    followed = api.get(created["json_url"].removeprefix(api.base_url))

    assert created["html_url"] == f"{api.base_url}/p/{created['url_token']}/r"
    assert followed.json["payload"] == "s3cret"


@black_box
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v2/version", 200),
        ("POST", PUSHES, 400),
        ("GET", f"{PUSHES}/unknown", 404),
        ("DELETE", f"{PUSHES}/unknown", 404),
        ("PUT", PUSHES, 404),
        ("GET", "/no/such/path", 404),
        ("GET", "/api/v2/accounts", 404),
        ("GET", "/api/v2/requests.json", 404),
        ("GET", "/api/v2/workspaces", 404),
    ],
)
def test_every_answer_is_json_with_the_headers(api: HttpApi, method: str, path: str, status: int) -> None:
    answer = api.request(method, path)

    assert answer.status == status
    assert answer.headers.items() >= HEADERS.items()
    assert "api_version" in answer.json or "error" in answer.json


@black_box
def test_lists_are_for_owners_only(api: HttpApi) -> None:
    refused = api.as_owner(None).get(f"{PUSHES}/active")

    assert refused.status == 401
    assert refused.headers.items() >= HEADERS.items()


@black_box
@pytest.mark.parametrize(
    ("headers", "body", "said"),
    [
        ({"content-encoding": "gzip"}, gzip.compress(b'{"push": {"payload": "a"}}'), "gzip"),
        ({}, b'{"push": {"payload": "a\nb"}}', "line 1, column 24"),
        ({}, b'{"push": {"payload": "a", "passphrase": "p", "passphrase": ""}}', "the same key twice"),
        ({}, b" ", "empty"),
    ],
    ids=["a compressed body", "broken JSON", "a key twice", "an empty body"],
)
def test_a_malformed_body_is_refused_with_its_mistake(
    api: HttpApi, headers: dict[str, str], body: bytes, said: str
) -> None:
    refused = api.request("POST", PUSHES, headers={"content-type": "application/json"} | headers, body=body)

    assert refused.status == 400
    assert said in refused.json["error"]


@black_box
@pytest.mark.parametrize("query", ["page[]=1", "page=1&page=1"])
def test_a_list_of_pages_is_refused(bob: HttpApi, query: str) -> None:
    assert bob.request("GET", f"{PUSHES}/active", query=query).status == 400


@black_box
def test_a_link_has_the_language_in_the_body(api: HttpApi) -> None:
    created = api.post(PUSHES, {"push": {"payload": "s3cret"}, "push_locale": "de-AT"})

    assert created.json["html_url"].endswith("?locale=de")


# API Gateway itself may reject such a path before routing.
@pytest.mark.parametrize("path", ["/%2e%2e/%00?%ff", f"{PUSHES}/%0A/preview", f"{PUSHES}/a%0Db/audit", "/%0A"])
def test_a_path_of_odd_characters_is_none_of_ours(bob: HttpApi, path: str) -> None:
    refused = bob.get(path)

    assert refused.status == 404
    assert refused.headers.items() >= HEADERS.items()


@black_box
def test_a_created_push_and_an_invalid_one_have_the_headers(api: HttpApi) -> None:
    answers = [api.create("s3cret"), api.create("")]

    assert [answer.status for answer in answers] == [201, 422]
    assert all(answer.headers.items() >= HEADERS.items() for answer in answers)


@black_box
@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_only_get_counts_a_view(bob: HttpApi, method: str) -> None:
    url_token = bob.push(expire_after_views=1)

    looked = bob.request(method, f"{PUSHES}/{url_token}")

    assert looked.status == {"HEAD": 200, "OPTIONS": 404}[method]
    assert bob.kinds(url_token) == ["creation"]
    assert bob.retrieve(url_token).json["payload"] == "s3cret"


def test_a_push_for_one_address_does_not_open_from_another(bob: HttpApi) -> None:
    url_token = bob.push("s3cret", allowed_ips="127.0.0.2")

    assert bob.retrieve(url_token).status == 403
    assert replace(bob, source="127.0.0.2").retrieve(url_token).json["payload"] == "s3cret"
    assert [entry["ip"] for entry in bob.audit(url_token).json["logs"]] == ["127.0.0.1", "127.0.0.1", "127.0.0.2"]


@pytest.mark.parametrize("path", ["/api/v2/version/", "//api/v2/version", "/api//v2/version//"])
def test_slashes_too_many_lead_to_the_right_path(api: HttpApi, path: str) -> None:
    read, written = api.get(path, a="b"), api.request("POST", path)

    assert (read.status, read.headers["location"]) == (301, "/api/v2/version?a=b")
    assert (written.status, written.json["error"].split()[-1]) == (404, "/api/v2/version")


@black_box
@pytest.mark.parametrize("path", ["/", "/api/v2/version", "/api/v1/version.json", "/assets/site.css", "/users/sign_in"])
def test_head_answers_as_get_would(api: HttpApi, path: str) -> None:
    answer = api.request("HEAD", path)

    assert (answer.status, answer.text) == (200, "")
    assert answer.headers["content-type"] == api.get(path).headers["content-type"]


@black_box
def test_a_link_of_an_older_server_leads_to_the_page(api: HttpApi) -> None:
    url_token = api.push()

    places = [api.get(f"{before}/{url_token}").headers["location"] for before in ("/en/p", "/f", "/de/r", "/ko/p")]

    assert places == [f"/p/{url_token}{query}" for query in ("?locale=en", "", "?locale=de", "")]


@black_box
def test_a_page_of_any_origin_may_create_by_api_v1_and_nothing_else(api: HttpApi) -> None:
    asked = [api.request("OPTIONS", path, headers={"origin": "https://a.example"}) for path in ("/p.json", "/f.json")]
    created = api.post("/p.json", {"password": {"payload": "s3cret"}})

    assert [(one.status, one.headers.get("access-control-allow-origin")) for one in asked] == [(204, "*"), (404, None)]
    assert (created.status, created.headers["access-control-allow-origin"]) == (201, "*")


@black_box
@pytest.mark.parametrize("x", ["p", "f", "r"])
def test_a_push_is_served_by_the_paths_of_api_v1(bob: HttpApi, offered: Offered, x: str) -> None:
    offered({"p": "file_attachments", "f": "file_attachments", "r": "url_pushes"}[x])
    wrapper = {"p": "password", "f": "file_push", "r": "url"}[x]
    files = {"files": [{"filename": "a", "data": "YQ=="}]} if x == "f" else {}
    url_token = bob.post(f"/{x}.json", {wrapper: {"payload": "https://a.example", **files}}).json["url_token"]

    paths = [f"/{x}/{url_token}{end}.json" for end in ("/preview", "/audit", "")] + [f"/{x}/active.json"]

    assert [bob.get(path).status for path in paths] == [200] * 4
    assert bob.request("DELETE", f"/{x}/{url_token}.json").json["deleted"] is True


@pytest.mark.parametrize("size", [10 * 1024 * 1024 + 1, 7 * 1024 * 1024])
def test_a_body_over_the_limits_is_refused(api: HttpApi, size: int) -> None:
    refused = api.create("x" * size)

    assert refused.status == 413


@black_box
def test_a_payload_of_two_mebibytes_comes_back_intact(api: HttpApi) -> None:
    payload = "é" * LIMIT  # two bytes each; only AWS can show whether four work as JSON, too
    url_token = api.push(payload)

    retrieved = api.retrieve(url_token)

    assert retrieved.json["payload"] == payload


def test_the_longest_payload_is_kept_in_the_bucket(api: HttpApi, stack: Stack) -> None:
    payload = "🔑" * LIMIT
    url_token = api.push(payload)

    retrieved = api.retrieve(url_token)

    assert retrieved.json["payload"] == payload
    push_id = hashlib.sha256(url_token.encode()).hexdigest()
    assert [key.rpartition("/")[2] for key in aws.object_keys(stack) if key.startswith(push_id)] == ["payload"]


@black_box
def test_a_payload_that_escaping_makes_too_long_comes_back_gzipped(bob: HttpApi) -> None:
    payload = "\x01" * LIMIT
    form = f"push[payload]={quote(payload)}".encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    created = bob.request("POST", PUSHES, headers=headers, body=form)

    retrieved = bob.retrieve(created.json["url_token"])

    assert retrieved.headers["content-encoding"] == "gzip"
    assert retrieved.json["payload"] == payload


@black_box
@pytest.mark.parametrize("passphrase", ["a&passphrase=b", "100%", "%2B", "a+b c", "#1", "🔑🗝️", "?/=;,\\\"'", " "])
def test_any_passphrase_survives_the_query(api: HttpApi, passphrase: str) -> None:
    url_token = api.push("s3cret", passphrase=passphrase)

    retrieved = api.retrieve(url_token, passphrase)

    assert retrieved.json["payload"] == "s3cret"


@black_box
def test_a_form_may_spell_a_space_as_a_plus(api: HttpApi) -> None:
    url_token = api.push("s3cret", passphrase="a+b c")

    retrieved = api.get(f"{PUSHES}/{url_token}", passphrase="a+b c")

    assert retrieved.json["payload"] == "s3cret"
