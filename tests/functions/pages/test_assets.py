"""Assets, and addresses that browsers, crawlers and password managers request without a link, or that are mistyped."""

import re

import pytest

import functions.pages  # noqa: F401 (sets the directory of the assets)
from shared.web import site
from tests.drivers.browser import Browser
from tests.drivers.client import Api

HTML = {"accept": "text/html"}


@pytest.mark.parametrize("name", sorted(path.name for path in (site.directory() / "assets").iterdir()))
def test_assets_come_from_our_own_domain(api: Api, name: str) -> None:
    answer = api.get(f"/assets/{name}")

    assert answer.status == 200
    assert not re.search(r"(url\(|@import|https?://(?!www.w3.org/2000/svg))", answer.text)


@pytest.mark.parametrize("name", ["nosuch", "..", "..%2f..%2ftemplate.yaml", "%2fetc%2fpasswd", "__init__.py"])
def test_nothing_else_is_an_asset(api: Api, name: str) -> None:
    assert api.request("GET", f"/assets/{name}").status == 404


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [("/robots.txt", 200, "User-agent: *\nDisallow: /\n"), ("/favicon.ico", 204, "")],
)
def test_crawlers_and_browsers_get_no_page(api: Api, path: str, status: int, body: str) -> None:
    answers = [api.request(method, path) for method in ("GET", "HEAD")]

    assert [(one.status, one.text) for one in answers] == [(status, body), (status, "")]
    assert answers[0].headers["cache-control"] == "public, max-age=86400"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_password_manager_is_led_to_the_page_where_a_password_is_changed(ann: Browser, method: str) -> None:
    answer = ann.api.request(method, "/.well-known/change-password")

    assert (answer.status, answer.headers["location"]) == (303, "/users/account")
    assert 'name="new_password"' in ann.visit("/users/account").page.text


@pytest.mark.parametrize("path", ["/nosuch", "/users/nosuch", "/pushes/nosuch"])
def test_a_mistyped_address_gets_a_calm_page(ann: Browser, path: str) -> None:
    ann.api.headers.update(HTML)

    page = ann.visit(path).page

    assert (page.status, "<h1>Page not found</h1>" in page.text) == (404, True)
    assert not [sign for sign in ('role="alert"', "That did not work", "notice problem") if sign in page.text]


@pytest.mark.parametrize("path", ["/", "/users/sign_in", "/p/nosuch", "/nosuch", "/robots.txt", "/assets/nosuch.js"])
def test_no_other_site_may_embed_a_page_or_an_asset(api: Api, path: str) -> None:
    answer = Api(headers=HTML).get(path)

    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
