"""Over plain http browsers drop our cookies, so nobody can sign in; the page explains it."""

import re

import pytest

from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.functions.pages.test_forged_sign_in import FIELDS

HTTP = {"x-forwarded-proto": "http", "sec-fetch-site": ""}  # over http no browser sends this header


@pytest.mark.parametrize(
    ("headers", "is_said"),
    [(HTTP, True), (HTTP | {"sec-fetch-site": "same-origin"}, False), (HTTP | {"x-forwarded-proto": "https"}, False)],
)
def test_signing_in_over_plain_http_explains_the_failure(api: Api, headers: dict[str, str], is_said: bool) -> None:
    browser = Browser(api).visit("/users/sign_in")
    browser.cookies.clear()

    page = browser.submit("/users/sign_in", headers, **FIELDS).page

    [refusal] = re.findall(r'role="alert"[^>]*>([^<]*)<', page.text)
    assert page.status == 403
    assert ("browsers reject the cookie" in refusal) == is_said
    assert "https://" in refusal


@pytest.mark.parametrize(("scheme", "is_hidden"), [("http", False), ("https", True)])
def test_the_form_says_so_before_it_is_filled_in(api: Api, scheme: str, is_hidden: bool) -> None:
    page = Browser(Api(headers={"x-forwarded-proto": scheme})).visit("/users/sign_in").page.text

    [attributes] = re.findall(r"<p[^>]*data-insecure([^>]*)>", page)
    assert ("hidden" in attributes) == is_hidden


def test_with_plain_http_links_the_pages_are_plain_http(api: Api, configure: Configure) -> None:
    configure(BASE_URL="http://192.168.1.5:8000")

    page = Browser(api).visit("/users/sign_in").page.text

    assert "hidden" not in re.findall(r"<p[^>]*data-insecure([^>]*)>", page)[0]
