"""A link works with additions from mail software, by every way to open it, and costs only one view."""

from urllib.parse import unquote

import pytest

from tests.drivers.browser import Browser
from tests.drivers.client import Answer, Api

TAILS = [".", ">", ");", "…", "%20", "&gt;"]


@pytest.fixture
def url_token(bob: Api) -> str:
    return bob.push("s3cret", retrieval_step=False, expire_after_views=1)


def follow(api: Api, path: str) -> Answer:
    """Follow at most one redirect, and return the result."""
    answer = api.get(path)
    return api.get(answer.headers["location"]) if answer.status == 301 else answer


@pytest.mark.parametrize("tail", TAILS, ids=ascii)
@pytest.mark.parametrize("path", ["/p/{}", "/p/{}/r"])
def test_the_page_opens(bob: Api, url_token: str, path: str, tail: str) -> None:
    browser = Browser().visit(path.format(url_token) + tail.replace(";", "%3B"))
    if path.endswith("/r"):
        browser.submit()

    assert "s3cret" in browser.page.text
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.parametrize("tail", TAILS, ids=ascii)
@pytest.mark.parametrize("path", ["/p/{}.json", "/p/{}/r.json", "/api/v2/pushes/{}", "/api/v2/pushes/{}.json"])
def test_json_is_retrieved(bob: Api, url_token: str, path: str, tail: str) -> None:
    answer = follow(Api(), path.format(url_token) + tail)

    assert (answer.json["payload"], answer.json["url_token"]) == ("s3cret", url_token)
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.parametrize("tail", TAILS, ids=ascii)
@pytest.mark.parametrize("path", ["/api/v2/pushes/{}{}/preview", "/api/v2/pushes/{}/preview{}"])
def test_a_preview_returns_the_repaired_link(bob: Api, url_token: str, path: str, tail: str) -> None:
    answer = follow(Api(), path.format(url_token, tail))

    assert answer.json == {"url": f"https://api.example.test/p/{url_token}"}
    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.parametrize("tail", TAILS, ids=ascii)
def test_an_owner_expires_and_audits(bob: Api, url_token: str, tail: str) -> None:
    assert bob.get(f"/api/v2/pushes/{url_token}{tail}/audit").status == 200
    assert bob.request("DELETE", f"/api/v2/pushes/{url_token}{tail}").json["deleted"] is True


def test_the_passphrase_goes_along(api: Api) -> None:
    url_token = api.push(passphrase="é&=\n")

    answer = api.get(f"/p/{url_token}/r.json)", passphrase="é&=\n")

    assert answer.status == 301
    path, _, query = answer.headers["location"].partition("?")
    assert api.request("GET", path, query=query).json["payload"] == "s3cret"


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "OPTIONS"])
def test_other_methods_are_not_redirected(api: Api, url_token: str, method: str) -> None:
    assert api.request(method, f"/p/{url_token}/r.").status == 404


@pytest.mark.parametrize("tail", [".", "%20", ").json"])
def test_nothing_of_a_link_gets_into_the_audit_log(bob: Api, url_token: str, tail: str) -> None:
    link = f"https://api.example.test/p/{url_token}{tail}"
    headers = {"referer": link, "user-agent": f"scanner of {link}"}

    bob.request("GET", f"/api/v2/pushes/{url_token}{tail}", headers=headers)

    assert url_token not in bob.audit(url_token).text


def test_the_gateway_may_give_the_path_as_it_came_or_decoded(bob: Api, url_token: str) -> None:
    for tail in ("%20", unquote("%20")):
        event = bob.event("GET", f"/p/{url_token}/r{tail}")
        assert event["routeKey"] == "$default"
        assert bob.request("GET", f"/p/{url_token}/r{tail}").headers["location"] == f"/p/{url_token}/r"
