"""The edge: base URL, unexpected errors, large responses, and secrets kept out of the logs."""

import base64
import gzip
import importlib
import json
from typing import Any

import pytest

from shared.domain import errors
from shared.web import api as web_api
from shared.web import statuses
from tests.conftest import Configure
from tests.drivers.client import Api, Context, handler_module
from tests.engines import resources
from tests.meters import emf

SPECIFIED = {200, 201, 400, 401, 403, 404, 422}


def raw(caller: Api, method: str, path: str, **how: Any) -> dict[str, Any]:
    """Return the function's own response, before the gateway decodes it."""
    event = caller.event(method, path, **how)
    handler = importlib.import_module(handler_module(event["routeKey"])).handler
    answer: dict[str, Any] = handler(event, Context())
    return answer


def refusals(family: type[errors.Refusal] = errors.Refusal) -> set[type[errors.Refusal]]:
    return {one for child in family.__subclasses__() for one in ({child} | refusals(child))}


def test_every_refusal_has_a_status() -> None:
    assert set(statuses.STATUSES) == refusals()


def test_every_status_is_in_the_specification_or_the_contract() -> None:
    assert set(statuses.STATUSES.values()) - SPECIFIED == {409, 413, 429, 503}
    assert SPECIFIED - set(statuses.STATUSES.values()) == {200, 201}


def test_an_answer_without_content_has_none(api: Api) -> None:
    answer = api.request("OPTIONS", "/p.json", headers={"origin": "https://example.com"})

    assert (answer.status, answer.text) == (204, "")


def test_an_answer_is_no_longer_than_its_json_need_be(bob: Api) -> None:
    answer = bob.create(name="ü")

    assert answer.text == json.dumps(answer.json, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    ("base_url", "shown"),
    [
        ("", "https://api.example.test"),
        ("https://push.example.com", "https://push.example.com"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
    ],
)
def test_links_start_with_the_base_url_or_else_the_domain_name(
    bob: Api, configure: Configure, base_url: str, shown: str
) -> None:
    configure(BASE_URL=base_url)

    created = bob.create(retrieval_step=False).json

    assert created["html_url"] == f"{shown}/p/{created['url_token']}"
    assert created["json_url"] == f"{shown}/p/{created['url_token']}.json"
    assert bob.expired(page=2).headers["link"] == f'<{shown}/api/v2/pushes/expired?page=1>; rel="prev"'


def test_a_host_header_moves_no_link(api: Api) -> None:
    api.headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}

    created = api.create().json

    assert "evil.example" not in json.dumps(created)


def test_an_unexpected_error_is_a_503_that_says_when_to_come_back(api: Api) -> None:
    break_store()

    answer = api.create()

    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    assert answer.json == {"error": "The service is not available just now. Please try again."}


def test_the_log_of_an_unexpected_error_omits_its_message(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    break_store()

    answer = api.retrieve("the-url-token")

    line = emf.requests(capsys.readouterr().out)[-1]
    assert (line["level"], line["status"], line["route"]) == ("ERROR", 503, "GET /api/v2/pushes/{url_token}")
    assert "ResourceNotFoundException" in json.dumps(line["failure"])
    assert "reads.py" in json.dumps(line["failure"])
    for text in (json.dumps(line), answer.text):
        assert "Requested resource" not in text
        assert "Cannot do operations" not in text


def test_no_log_line_holds_anything_secret(bob: Api, capsys: pytest.CaptureFixture[str]) -> None:
    bob.headers = {"User-Agent": "the-agent", "X-User-Email": "the-email"}
    url_token = bob.push("the-payload", passphrase="the-passphrase", name="the-name", note="the-note")
    for passphrase in ("the-wrong-one", "the-passphrase"):
        bob.retrieve(url_token, passphrase)
    bob.create("the-payload", kind="the-kind")
    bob.preview(url_token)
    bob.audit(url_token)
    bob.expire(url_token)
    bob.as_owner("the-bad-token").active()

    logged = emf.requests(capsys.readouterr().out)

    assert len(logged) == 8
    for secret in ("the-", url_token, str(bob.token), "bob@example.com", bob.ip):
        assert secret not in json.dumps(logged)


def test_a_log_line_names_the_route_the_status_and_the_refusal(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    api.retrieve("nosuchtoken")

    line = emf.requests(capsys.readouterr().out)[-1]

    assert (line["route"], line["status"]) == ("GET /api/v2/pushes/{url_token}", 404)
    assert (line["level"], line["refusal"]) == ("INFO", "NotFound")
    assert set(line) >= {"milliseconds", "request_id"}


def test_the_last_page_there_may_be_has_no_next(api: Api) -> None:
    links = []
    for page in (199, 200):
        request = web_api.Request(api.event("GET", "/api/v2/pushes/active", query=f"page={page}"))
        links.append(web_api.page_response([], request, more=True).headers["link"])

    url = "https://api.example.test/api/v2/pushes/active"
    assert links == [f'<{url}?page=198>; rel="prev", <{url}?page=200>; rel="next"', f'<{url}?page=199>; rel="prev"']


def test_a_small_answer_is_plain(api: Api) -> None:
    answer = raw(api, "GET", f"/api/v2/pushes/{api.push('ü' * 1_000)}")

    assert answer["isBase64Encoded"] is False
    assert json.loads(answer["body"])["payload"] == "ü" * 1_000


def test_a_large_answer_is_base64(api: Api) -> None:
    payload = "ü" * 1_048_576

    answer = raw(api, "GET", f"/api/v2/pushes/{api.push(payload)}")

    assert answer["isBase64Encoded"] is True
    assert "content-encoding" not in answer["headers"]
    assert json.loads(base64.b64decode(answer["body"]))["payload"] == payload


def test_the_largest_answer_is_gzip(api: Api) -> None:
    payload = "\x01" * 1_048_576  # six characters each in JSON

    answer = raw(api, "GET", f"/api/v2/pushes/{api.push(payload)}")

    assert (answer["isBase64Encoded"], answer["headers"]["content-encoding"]) == (True, "gzip")
    assert json.loads(gzip.decompress(base64.b64decode(answer["body"])))["payload"] == payload


@pytest.mark.parametrize("character", ["a", "ü", "€", "😀", '"', "\\", "\n", "\x01", "\u2028", "\x7f"], ids=ascii)
def test_no_answer_is_larger_than_lambda_allows(api: Api, character: str) -> None:
    url_token = api.push("a" + character * 1_048_575)

    answer = raw(api, "GET", f"/api/v2/pushes/{url_token}")

    assert len(json.dumps(answer)) <= 6 * 1_048_576


def test_a_body_that_the_gateway_has_damaged_is_refused(api: Api) -> None:
    headers = {"content-type": "application/json"}
    damaged, whole = b'{"push": {"payload": "\xff"}}', '{"push": {"payload": "\ufffd"}}'.encode()

    assert api.request("POST", "/api/v2/pushes", headers=headers, body=damaged).status == 400
    assert api.request("POST", "/api/v2/pushes", headers=headers, body=whole).status == 201


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("passphrase=a%2Bb%2Cc", 200),
        ("passphrase=a%2bb,c", 200),
        ("other=1&passphrase=a%2Bb,c&other=2", 200),
        ("passphrase=x&passphrase=a%2Bb,c", 200),
        ("passphrase=a+b,c", 401),
        ("passphrase=a%2Bb", 401),
        ("Passphrase=a%2Bb,c", 401),
        ("passphrase=%FF", 400),
    ],
)
def test_a_passphrase_is_read_from_the_query_as_it_was_sent(api: Api, query: str, status: int) -> None:
    url_token = api.push(passphrase="a+b,c")

    assert api.request("GET", f"/api/v2/pushes/{url_token}", query=query).status == status


def test_a_moment_is_the_gateway_s(api: Api) -> None:
    api.tick(milliseconds=1)

    assert api.create().json["created_at"] == "2026-01-01T01:00:00.001Z"


def break_store() -> None:
    for table in ("Pushes", "Secrets"):
        resources.client("dynamodb").delete_table(TableName=f"test-{table}")
