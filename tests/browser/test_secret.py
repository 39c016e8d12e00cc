"""A secret in a real browser: blurred, copied, printed, and shown as long as links to files work."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.drivers.browsing import Visit, press, reveal
from tests.drivers.http_client import HttpApi

FILE = {"filename": "a.txt", "data": "aGVsbG8="}
FILTER = "getComputedStyle(document.getElementById('payload')).filter"
REFUSED = "navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))"
MISSING = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"  # as over plain http


def test_a_click_on_a_blurred_secret_shows_it(page: Page, api: HttpApi) -> None:
    reveal(page, f"/p/{api.push()}/r")
    place = page.locator("#payload").bounding_box()
    assert place

    page.mouse.click(place["x"] + 20, place["y"] + 20)

    assert page.evaluate(FILTER) == "none"
    expect(page.get_by_role("checkbox", name="Show", exact=True)).to_be_checked()


@pytest.mark.parametrize("script", [REFUSED, MISSING])
def test_without_a_clipboard_the_text_is_selected_with_a_message(page: Page, api: HttpApi, script: str) -> None:
    page.add_init_script(script)
    reveal(page, f"/p/{api.push('s3cret', retrieval_step=True)}/r")

    press(page, "Copy")

    expect(page.get_by_role("status")).to_contain_text("selected")
    assert page.evaluate("getSelection().toString()") == "s3cret"


@pytest.mark.parametrize("is_shown", [False, True])
def test_a_print_shows_the_displayed_secret(page: Page, api: HttpApi, is_shown: bool) -> None:
    reveal(page, f"/p/{api.push()}/r")
    page.set_checked("#unblur", is_shown)

    page.emulate_media(media="print")

    assert (page.evaluate(FILTER) == "none") == is_shown
    expect(page.locator("#payload")).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()


def test_links_to_files_count_down_and_lead_nowhere_once_they_have_lapsed(page: Page, bob: HttpApi) -> None:
    page.clock.install()
    reveal(page, f"/p/{bob.push('', files=[FILE])}/r")
    link = page.get_by_role("button", name="a.txt")
    shown = page.get_by_text("Time left").inner_text()

    page.clock.fast_forward("05:01")

    assert re.fullmatch(r"Time left: [45]:\d\d", shown.strip())
    expect(link).to_be_disabled()
    expect(page.get_by_role("alert")).to_contain_text("These download links have stopped working.")
    expect(page.get_by_text("Get new links")).to_be_hidden()


def test_a_link_that_lapsed_while_the_computer_slept_leads_nowhere_either(page: Page, bob: HttpApi) -> None:
    reveal(page, f"/p/{bob.push('', files=[FILE])}/r")
    page.evaluate("{ const now = Date.now; Date.now = () => now() + 301_000; }")

    page.get_by_role("button", name="a.txt").click()

    expect(page.get_by_role("alert")).to_contain_text("These download links have stopped working.")
    expect(page.get_by_role("button", name="a.txt")).to_be_disabled()


def test_new_links_come_by_a_button_and_count_no_view(page: Page, bob: HttpApi) -> None:
    url_token = bob.push("", files=[FILE], expire_after_views=1)
    reveal(page, f"/p/{url_token}/r")

    page.get_by_text("Download does not work?").click()
    page.get_by_role("link", name="Get new links").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="a.txt").click()

    assert download.value.path().read_bytes() == b"hello"
    assert bob.kinds(url_token) == ["creation", "view"]


def test_after_five_misses_the_button_waits_and_says_for_how_long(page: Page, api: HttpApi) -> None:
    page.clock.install()
    page.goto(f"/p/{api.push(passphrase='right')}/r")
    for _ in range(6):
        page.fill("#passphrase", "wrong")
        press(page, "Show the secret")
        page.get_by_role("alert").wait_for()
    button = page.get_by_role("button", name="Show the secret")
    expect(page.get_by_text(re.compile(r"Time left: (1:00|0:\d\d)$"))).to_be_visible()
    expect(button).to_be_disabled()

    page.clock.fast_forward("01:00")

    expect(button).to_be_enabled()
    expect(page.get_by_role("status").filter(has_text="You can try again now.")).to_be_visible()  # a live region


ORDERS = {
    "en-US": "[A-Z][a-z]{2} [0-9]",
    "en-GB": "[0-9]+ [A-Z][a-z]{2}",
    "ar-EG": "[^0-9]?[0-9]{2}[^0-9]{1,2}[0-9]{2}",
}


@pytest.mark.parametrize(("locale", "order"), ORDERS.items())
def test_a_moment_is_written_as_the_reader_writes_it(visit: Visit, api: HttpApi, locale: str, order: str) -> None:
    page = visit(locale=locale)

    page.goto(f"/p/{api.push()}/r")

    assert re.match(order, page.locator("time").first.inner_text())


def test_a_page_has_the_dates_of_its_own_language(visit: Visit, api: HttpApi) -> None:
    page = visit(locale="en-US")

    page.goto(f"/p/{api.push()}/r?locale=de")

    assert re.match(r"\d\d\.\d\d\.\d{4}, \d\d:\d\d$", page.locator("time").first.inner_text())


def test_high_contrast_shows_the_chosen_kind(visit: Visit) -> None:
    page = visit(forced_colors="active")

    page.goto("/")

    assert page.evaluate("getComputedStyle(document.querySelector('.tabs :checked')).opacity") == "1"
