"""The list of pushes in a real browser: the keyboard, the filter, contrast, and text at 200 %."""

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_pages import LONG, SCHEMES
from tests.drivers.browsing import PHONE, Account, Visit, press, reveal, send, sign_in

# The contrast of an element's text, border and ring against what lies behind it (WCAG 2.2, relative luminance).
CONTRAST = """(selector) => [...document.querySelectorAll(selector)].map((element) => {
  const painter = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    painter.clearRect(0, 0, 1, 1);
    painter.fillStyle = color;
    painter.fillRect(0, 0, 1, 1);
    return [...painter.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = rgb(color).map((c) => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  let behind = element.parentElement;
  while (rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(light);
  return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
})"""
SIDEWAYS = """() => [...document.querySelectorAll('html, .wide')].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => `${one.className} ${one.scrollWidth} > ${one.clientWidth}`)"""


def test_three_presses_of_the_keyboard_revoke_a_link_from_the_list(page: Page, account: Account) -> None:
    send(sign_in(page, account), name="Database")
    page.goto("/pushes")
    page.locator("td summary").focus()

    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)

    expect(page.get_by_text("1 push has expired.")).to_be_visible()


def test_the_list_is_filtered_and_copies_links_and_what_is_hidden_is_not_expired(
    visit: Visit, account: Account
) -> None:
    page = sign_in(visit(permissions=["clipboard-read", "clipboard-write"]), account)
    link = send(page, name="Database")
    send(page, name="Wi-Fi")
    page.goto("/pushes")
    page.locator("td [type=checkbox]").first.check()

    page.fill("#filter", "data BASE")
    shown = page.locator("tbody tr:visible a").all_inner_texts()
    page.locator("tr:visible").get_by_role("button", name="Copy link").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    page.get_by_text("Expire the selected pushes", exact=True).click()
    page.get_by_role("button", name="Yes, expire the selected").click()

    expect(page.get_by_text("You selected no push")).to_be_visible()
    assert (shown, copied) == (["Database"], link)
    page.fill("#filter", "nothing like it")
    expect(page.get_by_text("No push on this page matches.")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
def test_marks_and_the_chosen_tab_stand_out_in_both_themes(
    visit: Visit, account: Account, scheme: Literal["light", "dark"]
) -> None:
    page = sign_in(visit(color_scheme=scheme), account)
    page.goto("/")
    page.fill("#payload", "s3cret")
    page.select_option("#lifetime", "0")
    press(page, "Create link")
    reveal(visit(), page.input_value("#link"))
    page.goto("/pushes")

    for selector in (".mark", ".tabs [aria-current]", "header nav [aria-current]"):
        ratios = page.evaluate(CONTRAST, selector)
        assert ratios, selector
        assert min(ratios) >= 3, (selector, ratios)


@pytest.mark.long
def test_on_a_tablet_the_list_shows_its_actions_without_scrolling(visit: Visit, account: Account) -> None:
    page = sign_in(visit(viewport={"width": 800, "height": 640}), account)
    send(page, name="Database of the shop")
    page.goto("/pushes")

    assert page.evaluate(SIDEWAYS) == []


@pytest.mark.long
def test_at_200_percent_text_no_page_of_an_owner_scrolls_sideways(visit: Visit, account: Account) -> None:
    page = sign_in(visit(viewport=PHONE, is_mobile=True, has_touch=True), account)
    send(page, name=LONG)
    page.goto("/pushes")
    record = str(page.locator("td a").get_attribute("href"))

    for locale in ("en", "de", "ar"):
        for path in ("/pushes", record, "/users/account", "/nosuch"):
            page.goto(f"{path}?language={locale}")
            for width in (320, 390):
                page.set_viewport_size({"width": width, "height": 780})
                page.evaluate("document.documentElement.style.fontSize = '200%'")
                for summary in page.locator("main summary").all():
                    summary.evaluate("one => { one.parentElement.open = true }")
                assert page.evaluate(SIDEWAYS) == [], (path, locale, width)


def test_an_owner_s_header_has_two_lines_on_a_phone(visit: Visit, account: Account) -> None:
    page = sign_in(visit(viewport=PHONE, is_mobile=True, has_touch=True), account)

    heights = []
    for path in ("/", "/pushes", "/users/token", "/users/account"):
        page.goto(path)
        heights.append(page.evaluate("document.querySelector('header').clientHeight"))

    assert max(heights) < 100  # three lines: 120
