"""Back after a reveal, in Firefox and WebKit: the secret from us or nothing, and never an error page."""

import pytest

from tests.drivers.http_client import HttpApi
from tests.drivers.webdriver import REVEAL, REVEALED, Window

GONE = "There is nothing here any more"
pytestmark = pytest.mark.long


def leave(window: Window) -> None:
    window.find(REVEALED)
    window.open("/")
    window.find("#payload[name]")


@pytest.mark.parametrize("passphrase", ["", "right"])
def test_back_after_a_reveal_shows_the_secret_again_and_counts_it_once(
    window: Window, bob: HttpApi, passphrase: str
) -> None:
    url_token = bob.push("s3cret", expire_after_views=1, passphrase=passphrase)
    window.open(f"/p/{url_token}/r")
    if passphrase:
        window.fill("#passphrase", passphrase)
    window.press(REVEAL)
    leave(window)

    window.driver.back()

    assert window.text(REVEALED) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.parametrize("after_reveal", [True, False], ids=["lease over", "no cookies"])
def test_back_without_the_cookie_shows_neither_the_secret_nor_an_error(
    window: Window, bob: HttpApi, *, after_reveal: bool
) -> None:
    window.open(f"/p/{bob.push('s3cret', expire_after_views=1)}/r")
    if after_reveal:
        window.press(REVEAL)
        window.find(REVEALED)
        window.driver.delete_all_cookies()
    else:
        window.driver.delete_all_cookies()
        window.press(REVEAL)
    leave(window)

    window.driver.back()

    assert window.until(lambda: window.text("h1") == GONE)
