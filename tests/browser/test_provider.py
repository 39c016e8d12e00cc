"""Sign-in by an OIDC provider in real browsers: another site, as on AWS. The installation's own way in is shut."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from infra.operator import account
from tests.browser.conftest import elsewhere
from tests.conftest import Configure
from tests.doubles.cognito import Cognito
from tests.drivers.browsing import Visit, Watch, heading, press, send
from tests.drivers.webdriver import SIGN_OUT, Window

BUTTON, YES = "a[href^='/users/sign_in/provider']", "button[value=yes]"


@pytest.fixture
def _provider(base_url: str, people: Cognito, configure: Configure, watch: Watch) -> Iterator[None]:
    with elsewhere(base_url, people, configure, PASSWORD_SIGN_IN="false") as watch.elsewhere:
        yield


def sign_in(page: Page, sub: str) -> Page:
    page.goto("/pushes")
    page.get_by_role("link", name="Sign in with Example Inc").click()
    page.fill("[name=sub]", sub)
    page.fill("[name=email]", f"{sub}@example.com")
    press(page, "Sign in")
    page.wait_for_url("http://127.0.0.1:*/**")
    return page


@pytest.mark.usefixtures("_provider")
def test_people_of_a_provider_have_their_own_pushes_until_they_are_disabled(visit: Visit) -> None:
    carol, dave = sign_in(visit(), "Carol"), sign_in(visit(), "Dave")
    send(carol, name="Carol's own")
    carol.goto("/pushes")
    dave.goto("/pushes")
    seen = [page.get_by_role("link", name="Carol's own").count() for page in (carol, dave)]

    press(carol, "Sign out")
    carol.get_by_role("link", name="End the session").click()
    expect(carol.get_by_role("link", name="Sign in with Example Inc")).to_be_visible()
    has_password = carol.locator("[type=password]").count()
    account.act(account._parser().parse_args(["disable", "--account", "oidc_carol"]))
    sign_in(carol, "Carol")

    assert (seen, has_password) == ([1, 0], 0)
    assert heading(carol) == "Sign in"
    assert carol.get_by_role("button", name="Sign out").count() == 0
    dave.reload()
    assert heading(dave) == "My pushes"


@pytest.mark.long
def test_other_browsers_come_back_from_another_site_signed_in(
    window: Window, people: Cognito, configure: Configure
) -> None:
    with elsewhere(window.base_url, people, configure, PASSWORD_SIGN_IN="false"):
        window.open("/pushes")
        window.press(BUTTON)
        window.press(YES)
        window.find(SIGN_OUT)
        window.send("s3cret")
        window.open("/pushes")
        window.find("tbody tr")

        window.press(SIGN_OUT)
        window.press("a[href*='/logout']")

        window.find(BUTTON)
        window.open("/pushes")
        assert window.is_shown(BUTTON)
        assert not window.is_shown("[type=password]")
