"""The language of a page."""

import re

import pytest

from shared.web import languages
from shared.web.cookies import LOCALE
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources
from tests.functions.pages.test_send_forms import fields_of


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


def test_the_footer_s_choice_stays_for_the_next_pages(api: Api) -> None:
    browser = asking(accept="ja").visit("/?language=de")

    assert language_of(browser) == "de"
    assert language_of(browser.visit("/users/sign_in")) == "de"


def test_a_form_of_our_pages_may_choose_the_language(api: Api) -> None:
    browser = asking(accept="ja").visit("/users/sign_in")
    browser._request("POST", "/users/sign_in?language=de", b"email=ann", {"sec-fetch-site": "same-origin"})

    assert language_of(browser) == "de"
    assert browser.cookies[LOCALE] == "de"


@pytest.mark.parametrize("query", ["?locale=de", "?locale=ko", "?language=ko"])
def test_only_the_footer_sets_a_cookie(api: Api, query: str) -> None:
    assert LOCALE not in asking(accept="de").visit(f"/{query}").cookies


@pytest.mark.parametrize("site", ["none", "cross-site", "same-site"])
def test_a_link_from_elsewhere_cannot_set_the_cookie(api: Api, site: str) -> None:
    browser = asking(accept="ja")
    browser.api.headers["sec-fetch-site"] = site

    assert language_of(browser.visit("/users/sign_in?language=de")) == "de"
    assert LOCALE not in browser.cookies


def test_the_language_of_a_link_stays_until_its_secret_is_deleted(api: Api) -> None:
    url_token = api.push("s3cret", expire_after_views=2, deletable_by_viewer=True)
    shown = asking(accept="ja").visit(f"/p/{url_token}/r?locale=de").submit()
    path = f"/p/{url_token}/expire?locale=de"

    assert language_of(shown) == "de"
    assert language_of(shown.submit(path, sure="yes")) == "de"


def test_a_page_and_a_refusal_say_their_language_in_a_header(api: Api) -> None:
    assert asking(cookie="de").visit("/").page.headers["content-language"] == "de"
    assert asking(cookie="de").visit("/p/nosuch/preview").page.headers["content-language"] == "de"


def test_no_answer_in_a_language_is_cached_so_none_needs_vary(api: Api) -> None:
    pages = [asking(cookie="de").visit(path).page for path in ("/", "/users/sign_in", f"/p/{api.push()}", "/nosuch")]

    assert {page.headers["cache-control"] for page in pages} == {"no-store"}


def test_every_language_is_offered_by_its_own_name(api: Api) -> None:
    footer = asking().visit("/users/sign_in").page.text.partition("<footer")[2]

    for tag, name in languages.SERVED.items():
        assert re.search(rf'href="\?language={tag}" lang="{tag}"[^>]*>\s*{re.escape(name)}\s*<', footer)


def test_another_language_keeps_the_place_and_nothing_else_of_the_query(ann: Browser) -> None:
    page = ann.visit("/pushes?state=expired&page=2&passphrase=s3cret").page

    assert 'href="?state=expired&amp;page=2&amp;language=de"' in page.text
    assert "s3cret" not in page.text


def test_no_other_language_is_offered_where_asking_again_would_cost_a_view(api: Api) -> None:
    shown = Browser(api).visit(f"/p/{api.push('s3cret', retrieval_step=False)}")
    revealed = Browser(api).visit(f"/p/{api.push('s3cret')}").submit()

    for browser, offers in ((shown, False), (revealed, True)):  # the cookie of the reveal shows it again, uncounted
        assert ("s3cret" in browser.page.text, "<footer" in browser.page.text) == (True, offers)


def test_a_page_with_typed_input_offers_no_other_language(api: Api) -> None:
    page = asking().visit("/users/sign_up").submit(email="", password="").page

    assert (page.status, 'class="languages"' in page.text) == (422, False)


def test_another_language_keeps_what_was_typed_and_creates_nothing(ann: Browser) -> None:
    typed = {"push[passphrase]": "right", "push[name]": "Bob", "push[expire_after_views]": "2"}
    form = ann.visit("/")
    before, key = resources.stored(), fields_of(form.page)["idempotency_key"]

    page = form.submit("", language="", **typed | {"push[payload]": "s3cret"}).page

    assert page.status == 200
    assert 'name="language" formaction="?language=de" lang="de"' in page.text
    assert fields_of(page)["idempotency_key"] == key
    assert "s3cret</textarea>" in page.text
    assert {name: fields_of(page)[name] for name in typed} == typed
    assert resources.stored() == before


def test_a_page_that_refuses_is_in_the_language_too(api: Api) -> None:
    assert language_of(asking(cookie="de").visit("/users/no_such_form")) == "de"
    assert language_of(asking(cookie="de").visit("/p/nosuch/preview?locale=fr")) == "fr"


def test_the_language_goes_along_to_where_a_page_leads(api: Api) -> None:
    assert language_of(asking(cookie="de").visit("/pushes?language=fr")) == "fr"  # to sign in
