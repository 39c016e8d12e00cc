"""The language of a page."""

import re

import pytest

from shared.web import languages
from shared.web.cookies import LOCALE
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import Api


def language_of(browser: Browser) -> str:
    found = re.search(r'<html lang="([^"]+)"', browser.page.text)
    assert found
    return found[1]


def asking(accept: str = "", cookie: str = "") -> Browser:
    api = Api(headers={"accept-language": accept} if accept else {})
    return Browser(api, cookies={LOCALE: cookie} if cookie else {})


@pytest.mark.parametrize("tag", languages.SERVED)
def test_every_served_language_can_be_requested(api: Api, tag: str) -> None:
    assert language_of(asking().visit(f"/users/sign_in?locale={tag}")) == tag


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("query", "cookie", "accept", "language"),
    [
        ("?locale=de", "fr", "ja", "de"),
        ("?locale=ko", "fr", "ja", "fr"),
        ("", "fr", "ja", "fr"),
        ("", "ko", "ja", "ja"),
        ("", "", "ko, ja;q=0.5", "ja"),
        ("", "", "ko", "pl"),
        ("", "", "", "pl"),
        ("?locale=%ff", "fr", "ja", "fr"),
    ],
)
def test_the_language_comes_from_link_choice_browser_or_setting(
    configure: Configure, query: str, cookie: str, accept: str, language: str
) -> None:
    configure(DEFAULT_LOCALE="pl")

    assert language_of(asking(accept, cookie).visit(f"/users/sign_in{query}")) == language


def test_a_requested_language_stays_for_the_next_pages(api: Api) -> None:
    browser = asking(accept="ja").visit("/?locale=de")

    assert language_of(browser.visit("/users/sign_in")) == "de"


def test_a_browser_without_a_choice_gets_no_cookie(api: Api) -> None:
    assert LOCALE not in asking(accept="de").visit("/").cookies
    assert LOCALE not in asking().visit("/?locale=ko").cookies


def test_every_language_is_offered_by_its_own_name(api: Api) -> None:
    footer = asking().visit("/users/sign_in").page.text.partition("<footer")[2]

    for tag, name in languages.SERVED.items():
        assert re.search(rf'href="\?locale={tag}" lang="{tag}"[^>]*>\s*{re.escape(name)}\s*<', footer)


def test_another_language_keeps_the_place_and_nothing_else_of_the_query(ann: Browser) -> None:
    page = ann.visit("/pushes?state=expired&page=2&passphrase=s3cret").page

    assert 'href="?state=expired&amp;page=2&amp;locale=de"' in page.text
    assert "s3cret" not in page.text


def test_no_other_language_is_offered_where_asking_again_would_cost_a_view(api: Api) -> None:
    shown = Browser(api).visit(f"/p/{api.push('s3cret', retrieval_step=False)}")
    revealed = Browser(api).visit(f"/p/{api.push('s3cret')}").submit()

    for browser in (shown, revealed):
        assert ("s3cret" in browser.page.text, "<footer" in browser.page.text) == (True, False)


def test_a_page_with_typed_input_offers_no_other_language(api: Api) -> None:
    page = asking().visit("/").submit("", **{"push[payload]": ""}).page

    assert (page.status, 'class="languages"' in page.text) == (422, False)


def test_a_page_that_refuses_is_in_the_language_too(api: Api) -> None:
    assert language_of(asking(cookie="de").visit("/users/no_such_form")) == "de"
    assert language_of(asking(cookie="de").visit("/p/nosuch/preview?locale=fr")) == "fr"


def test_the_language_goes_along_to_where_a_page_leads(api: Api) -> None:
    assert language_of(asking(cookie="de").visit("/pushes?locale=fr")) == "fr"  # to sign in
