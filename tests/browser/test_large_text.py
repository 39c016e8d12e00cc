"""Text at 200 % on the narrowest phone (WCAG 1.4.4 and 1.4.10): no page of recipients and accounts scrolls sideways."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.drivers.browsing import Account, Visit, press, reveal, sign_in
from tests.drivers.http_client import HttpApi

LARGE = "document.documentElement.style.fontSize = '200%'"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FILE = {"filename": "a-rather-long-name-of-a-file-with-a-date-2026-11-29.txt", "data": "aGVsbG8="}
DISGUISED = "https://accounts.example.com@\u0430\u0440\u0440\u04cf\u0435.com/"


def pages(page: Page, bob: HttpApi, account: Account) -> Iterator[str]:
    page.goto(f"/p/{bob.push(passphrase='right')}/r")
    page.fill("#passphrase", "wrong")
    press(page, "Show the secret")
    yield "the passphrase is wrong"
    reveal(page, f"/p/{bob.push(DISGUISED, kind='url')}/r")
    yield "a link in disguise"
    reveal(page, f"/p/{bob.push('long ' * 200 + chr(0x200B), files=[FILE])}/r")
    page.locator("details").first.click()
    yield "a long text with a file"
    reveal(page, f"/p/{bob.push('text', kind='qr')}/r")
    yield "a picture"
    page.goto("/p/nosuchtoken")
    yield "nothing"
    page.goto("/users/sign_in?done=password")
    yield "the password is set"
    sign_in(page, account)
    for path in ("/users/account", "/users/token"):
        page.goto(path)
        yield path


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 390])
def test_no_page_scrolls_sideways_at_twice_the_text_size(
    visit: Visit, bob: HttpApi, account: Account, width: int
) -> None:
    page = visit(viewport={"width": width, "height": 780})
    too_wide = {}

    for name in pages(page, bob, account):
        page.evaluate(LARGE)
        too_wide[name] = page.evaluate(TOO_WIDE)

    assert {name: pixels for name, pixels in too_wide.items() if pixels > 0} == {}
