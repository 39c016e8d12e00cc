"""Every page: its headers, and what the pages for errors show."""

import pytest

from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.meters import wire_tap


def test_a_404_page_does_not_show_the_session(ann: Browser) -> None:
    page = ann.visit(f"/pushes/{'0' * 64}").page

    assert (page.status, "Sign out" in page.text, "Sign in" in page.text) == (404, False, True)


def test_a_503_page_does_not_show_the_session(ann: Browser) -> None:
    ann.visit("/")

    with wire_tap.answering("TransactWriteItems", "InternalServerError"):
        page = ann.submit("", **{"push[payload]": "s3cret"}).page

    assert (page.status, "Sign out" in page.text, "Sign in" in page.text) == (503, False, True)
    assert page.headers["retry-after"] == "2"


def test_every_page_lets_nothing_in_and_tells_nothing(ann: Browser) -> None:
    ann.api.headers["accept"] = "text/html"

    for path in ("/", "/p/nosuch", "/users/sign_in", "/users/token", "/pushes", "/nowhere"):
        headers = ann.visit(path).page.headers
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-robots-tag"] == "noindex, nofollow"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/assets/send.js", "/api_tokens", "/f/abc/r"])
def test_a_response_that_is_no_page_allows_no_content(api: Api, path: str) -> None:
    policy = api.get(path).headers["content-security-policy"]

    assert policy == "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
