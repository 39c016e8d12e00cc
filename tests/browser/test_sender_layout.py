"""The sender's form and the page with the link in a real browser: what is in sight, and how large."""

from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from shared.domain.languages import SERVED
from tests.drivers.browsing import Account, Visit, open_options, send, sign_in

PHONE: ViewportSize = {"width": 390, "height": 844}
SHOWN_FIRST = ("#payload", "#lifetime", "#views", "[data-bar] button:not([type])")
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
SIZES = """[...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea')]
    .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.id)"""
# The contrast (WCAG 2.2, 1.4.11) of the chosen tab's outline to the box around the tabs. A canvas resolves any colour.
CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = (color) => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const tab = document.querySelector('.tabs label:has(:checked)'), style = getComputedStyle(tab);
    const box = getComputedStyle(tab.parentElement).backgroundColor;
    const outline = style.boxShadow.includes('inset') ? style.color : box;
    const [dark, light] = [outline, box].map(luminance).sort((one, other) => one - other);
    return (light + 0.05) / (dark + 0.05);
}"""


def below(page: Page) -> list[str]:
    """Return what of the form is not on the first screen."""
    boxes = {css: page.locator(css).bounding_box() for css in SHOWN_FIRST}
    return [css for css, box in boxes.items() if not box or box["y"] + box["height"] > PHONE["height"]]


def test_the_first_screen_of_a_phone_has_all_that_is_needed(visit: Visit, account: Account) -> None:
    page = visit(viewport=PHONE)
    page.goto("/")
    expect(page.locator("#payload")).to_be_focused()
    of_anybody = below(page)
    sign_in(page, account)
    page.wait_for_url("**/pushes")
    page.goto("/")

    assert (of_anybody, below(page)) == ([], [])


@pytest.mark.long
def test_the_first_screen_has_it_in_every_language(visit: Visit) -> None:
    page, missing = visit(viewport=PHONE), []
    for language in SERVED:
        page.goto(f"/?locale={language}")
        missing += [(language, css) for css in below(page)]

    assert missing == []


@pytest.mark.long
def test_no_field_is_so_small_that_a_phone_zooms_in(page: Page) -> None:
    page.goto("/")
    of_the_form = page.evaluate(SIZES)
    send(page)

    assert (of_the_form, page.evaluate(SIZES)) == ([], [])


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chosen_tab_has_an_outline_that_is_seen(visit: Visit, scheme: Literal["light", "dark"]) -> None:
    page = visit(color_scheme=scheme)
    page.goto("/")

    assert page.evaluate(CONTRAST) >= 3


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 390])
def test_text_of_twice_the_size_does_not_scroll_sideways(visit: Visit, width: int) -> None:
    page = visit(viewport={"width": width, "height": 800})
    widths = []

    def measure() -> None:
        page.locator("html").evaluate("(html) => { html.style.fontSize = '200%'; }")
        widths.append(page.evaluate(WIDTHS))

    page.goto("/")
    open_options(page)
    measure()
    send(page)
    page.get_by_text("A message to paste").click()
    measure()

    assert [needed for needed, there in widths if needed > there] == []
    assert page.locator("#link").evaluate("(link) => link.scrollHeight <= link.clientHeight")
