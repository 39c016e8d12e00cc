"""Similar but wrong paths, HEAD, and unknown paths (contract, sections 1 and 9)."""

from typing import Any

import pytest

from infra.build import template
from shared.web import dialects
from tests.drivers.browser import Browser
from tests.drivers.client import Answer, Api, match_route
from tests.engines import resources

HTML = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
GETS = [route for route in template.routes() if route.key.startswith("GET ")]


def html(answer: Answer) -> bool:
    return answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/api/v2/version/", "//api/v2/version", "/p//T", "/assets/site.css/", "//"])
def test_a_get_with_extra_slashes_is_redirected_to_the_right_path(api: Api, method: str, path: str) -> None:
    answer = api.request(method, path, query="a=b")

    right = "/" + "/".join(part for part in path.split("/") if part)
    assert (answer.status, answer.headers["location"], answer.text) == (301, f"{right}?a=b", "")


@pytest.mark.parametrize(
    ("method", "path", "right"),
    [
        ("POST", "/api/v2/pushes/", "/api/v2/pushes"),
        ("POST", "//p.json", "/p.json"),
        ("DELETE", "/api/v2/pushes//T", "/api/v2/pushes/T"),
    ],
)
def test_a_write_to_such_a_path_gets_an_error_with_the_right_one(bob: Api, method: str, path: str, right: str) -> None:
    answer = bob.request(method, path, query="secret=x")

    assert answer.status == 404
    assert answer.json["error"].endswith(f" {right}")
    assert resources.stored()["Pushes"] == 0


@pytest.mark.parametrize("key", ["GET /api/v2/version", "GET /p/{url_token}", "GET /", "GET /users/{form}"])
def test_a_handler_that_the_gateway_hands_such_a_path_answers_alike(api: Api, key: str) -> None:
    from tests.drivers.client import handle, read

    event = api.event("GET", "/api/v2/version") | {"routeKey": key, "rawPath": "//x/y/"}
    event["pathParameters"] = {"url_token": "y", "form": "y"}

    answer = read(handle(key, event))

    assert (answer.status, answer.headers["location"]) == (301, "/x/y")


def test_a_redirect_target_has_no_host(api: Api) -> None:
    for path in ("//evil.example", "//evil.example/", "/%2F%2Fevil.example/", "//\t/evil.example"):
        answer = api.request("GET", path)

        assert not answer.headers.get("location", "/").startswith(("//", "http", "/\\"))


@pytest.mark.parametrize("accept", ["", "*/*", "application/json"])
@pytest.mark.parametrize("path", ["/nowhere", "/wp-login.php", "/api", "/en/q/T"])
def test_an_unknown_path_is_json_unless_a_page_is_requested(api: Api, path: str, accept: str) -> None:
    answer = api.request("GET", path, headers={"accept": accept})

    assert (answer.status, answer.json) == (404, {"error": "not-found"})


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/nowhere", "/p/T/nothing", "/p", "/apiary"])
def test_an_unknown_path_is_a_page_if_one_is_requested(api: Api, method: str, path: str) -> None:
    answer = api.request(method, path, headers=HTML)

    assert (answer.status, html(answer)) == (404, True)
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("path", ["/api/v1/accounts", "/api/v2/accounts", "/api/v2/nothing", "/api/v3/version"])
def test_an_unknown_api_path_is_json_even_to_a_browser(api: Api, path: str) -> None:
    assert api.request("GET", path, headers=HTML).json == {"error": "not-found"}


def test_every_get_has_a_head_in_its_function_a_retrieve_its_preview_s() -> None:
    functions = {route.key: route.function for route in template.routes()}

    for route in GETS:
        head = functions[route.key.replace("GET ", "HEAD ")]
        assert head == {"RetrievePush": "PreviewPush"}.get(route.function, route.function), route.key


@pytest.mark.parametrize("path", ["/api/v2/version", "/api/v1/version.json", "/", "/users/sign_in", "/assets/site.css"])
def test_head_answers_as_get_would_without_a_body(api: Api, path: str) -> None:
    got, headed = api.get(path), api.request("HEAD", path)

    assert (headed.status, headed.headers, headed.text) == (got.status, got.headers, "")
    assert got.status == 200


LINKS = [
    *("/p/T", "/p/T/r", "/p/T/preview", "/p/T.json", "/p/T/r.json", "/f/T.json", "/r/T.json"),
    *("/api/v2/pushes/T", "/api/v2/pushes/T.json", "/p/T/preview.json"),
]


@pytest.mark.parametrize("path", LINKS)
@pytest.mark.parametrize("fields", [{"retrieval_step": False}, {"passphrase": "p"}], ids=str)
def test_a_head_of_a_link_is_like_its_preview_and_counts_nothing(
    bob: Api, api: Api, path: str, fields: dict[str, Any]
) -> None:
    url_token = bob.push(expire_after_views=1, **fields)

    answers = [api.request("HEAD", path.replace("T", token)) for token in (url_token, "nosuchtoken")]

    assert [(answer.status, answer.text) for answer in answers] == [(200, ""), (404, "")]
    assert bob.kinds(url_token) == ["creation"]
    assert bob.active().json[0]["views_remaining"] == 1


def test_head_of_a_list_needs_a_token_as_get_does(bob: Api, api: Api) -> None:
    assert [who.request("HEAD", "/api/v2/pushes/active").status for who in (bob, api)] == [200, 401]


def test_head_of_a_form_sends_no_form(api: Api) -> None:
    answers = [api.request("HEAD", f"/users/{form}") for form in ("sign_in", "sign_out")]

    assert [answer.status for answer in answers] == [200, 404]


@pytest.mark.parametrize("kind", ["p", "f", "r"])
def test_a_link_with_a_language_leads_to_the_link_without(bob: Api, kind: str) -> None:
    url_token = bob.push("s3cret", retrieval_step=False)

    page = Browser().visit(f"/en/{kind}/{url_token}").page

    assert "s3cret" in page.text


def test_the_preview_page_shows_link_and_picture_and_counts_nothing(bob: Api, api: Api) -> None:
    url_token = bob.push("s3cret", retrieval_step=True, expire_after_views=1)

    page = api.get(f"/p/{url_token}/preview")

    assert page.status == 200
    assert f">https://api.example.test/p/{url_token}/r</textarea>" in page.text
    # The official extension extracts the picture from the page, and needs its namespace.
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in page.text
    assert "s3cret" not in page.text
    assert bob.kinds(url_token) == ["creation"]


def test_the_preview_page_of_an_unknown_push_is_404(api: Api) -> None:
    assert api.get("/p/nosuchtoken/preview").status == 404


def test_every_path_of_api_v1_has_its_dialect() -> None:
    for method, path in [("POST", "/f.json"), ("GET", "/f/T/audit.json"), ("GET", "/f/active.json")]:
        assert dialects.of(match_route(method, path)[0]).wrapper == "file_push"
