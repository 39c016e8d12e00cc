"""SignUpDomains: who may create a local account (contract, section 13)."""

import re
from urllib.parse import quote

import pytest

from shared.domain import account_rules
from shared.runtime import settings
from tests.conftest import PASSWORD, Configure, People
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.functions.pages.test_account import signing_in

DOMAINS = "example.com, Büro.example"


def sign_up(email: str) -> Browser:
    return Browser(Api()).visit("/users/sign_up").submit("/users/sign_up", email=email)


def shown(browser: Browser, address: str) -> str:
    """Return the page without what differs from browser to browser."""
    page = re.sub(r'name="form_token" value="\w+"', "", browser.page.text)
    return page.replace(address, "").replace(quote(address), "")


@pytest.mark.parametrize(
    ("address", "is_allowed"),
    [
        ("ann@example.com", True),
        ("ann@EXAMPLE.com", True),
        ("ann@büro.example", True),
        ("a@evil.example@example.com", True),  # the part after the last @
        ("ann@example.com.evil.example", False),
        ("ann@sub.example.com", False),
        ("ann@notexample.com", False),
        ("ann@com", False),
        ("example.com", True),
        ("ann@strasse.example", True),
        ("eve@straße.example", False),  # another domain
    ],
)
def test_a_domain_counts_whole_after_the_last_at_in_any_case(address: str, is_allowed: bool) -> None:
    assert account_rules.may_sign_up(address, ("example.com", "büro.example", "strasse.example")) == is_allowed
    assert account_rules.may_sign_up(address, ())


def test_the_setting_keeps_letters_that_make_another_domain(configure: Configure) -> None:
    configure(SIGN_UP_DOMAINS="STRAẞE.example")

    assert settings.current().sign_up_domains == ("straße.example",)


def test_an_address_of_another_domain_gets_no_mail_and_the_same_page(people: People, configure: Configure) -> None:
    configure(SIGN_UP_DOMAINS=DOMAINS)

    allowed, refused = sign_up("ann@example.com"), sign_up("eve@elsewhere.example")

    assert (refused.page.status, refused.at) == (allowed.page.status, allowed.at) == (200, "/users/confirm")
    assert shown(refused, "eve@elsewhere.example") == shown(allowed, "ann@example.com")
    assert people.code("ann@example.com")
    with pytest.raises(StopIteration):
        people.code("eve@elsewhere.example")


def test_an_account_that_was_never_confirmed_is_not_made_later(people: People, configure: Configure) -> None:
    browser = sign_up("eve@elsewhere.example")
    configure(SIGN_UP_DOMAINS=DOMAINS)

    browser.submit("/users/confirm", code=people.code("eve@elsewhere.example"), password=PASSWORD)

    assert browser.page.status == 422
    assert "The code is wrong" in browser.page.text
    assert signing_in("eve@elsewhere.example", PASSWORD).page.status == 401


def test_an_account_from_before_signs_in_as_ever(ann: Browser, configure: Configure) -> None:
    configure(SIGN_UP_DOMAINS="elsewhere.example")

    assert signing_in(password=PASSWORD).at == "/pushes"
