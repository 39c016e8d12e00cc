"""The same again in a real browser without scripts: links and forms are enough."""

import pytest
from playwright.sync_api import Page, expect

from tests.drivers.browsing import Account, Visit, attach, heading, open_options, payload, press, reveal, send, sign_in


@pytest.fixture
def page(visit: Visit) -> Page:
    return visit(java_script_enabled=False)


def test_a_secret_is_sent_opened_revealed_and_gone(page: Page, visit: Visit) -> None:
    link = send(page, "first\nsecond", views="1")

    page.goto(link)
    assert heading(page) == "Somebody has sent you confidential information"
    press(page, "Show the secret")
    shown = payload(page)
    other = visit(java_script_enabled=False)
    other.goto(link)

    assert shown == "first\nsecond"  # not the two characters of a form's line break
    assert heading(other) == "There is nothing here any more"


@pytest.mark.long
def test_an_anonymous_sender_sees_that_it_was_opened_and_deletes_it(page: Page, visit: Visit) -> None:
    link, own = send(page), page.url
    reveal(visit(), link)

    page.reload()
    expect(page.get_by_text("It was opened once, on")).to_be_visible()
    page.get_by_text("Delete it now").click()
    press(page, "Yes, delete it for good")

    assert (heading(page), page.url) == ("Your link has expired", own)
    page.goto(link)
    assert heading(page) == "There is nothing here any more"


def test_a_secret_is_blurred_until_asked(page: Page) -> None:
    reveal(page, send(page))
    seen = "getComputedStyle(document.getElementById('payload')).filter"

    before = page.evaluate(seen)
    page.get_by_label("Show").check()

    assert before.startswith("blur(")
    assert page.evaluate(seen) == "none"
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)


def test_a_qr_code_is_shown_when_asked(page: Page) -> None:
    reveal(page, send(page, kind="qr"))

    page.get_by_label("Show").check()

    assert page.evaluate("getComputedStyle(document.querySelector('figure svg')).filter") == "none"


def test_the_limit_without_scripts_is_shown_only_without_scripts(page: Page, visit: Visit, account: Account) -> None:
    told = []
    for one in (page, visit()):
        sign_in(one, account).goto("/")
        one.check("#kind-file")
        told.append((one.locator("noscript").is_visible(), one.get_by_text("drop or paste them").is_visible()))

    assert told == [(True, False), (False, True)]
    assert "takes 4 MB at most, files included" in page.locator("noscript").inner_text()


@pytest.mark.long
def test_the_server_generates_a_password_and_keeps_the_choices(page: Page) -> None:
    page.goto("/")
    page.fill("#views", "3")
    open_options(page)
    page.get_by_label("Show a button first").uncheck()

    press(page, "Generate a password")

    assert len(page.input_value("#payload")) == 20
    expect(page.locator("#views")).to_have_value("3")
    expect(page.get_by_label("Show a button first")).not_to_be_checked()


@pytest.mark.long
def test_another_language_keeps_what_was_typed(page: Page) -> None:
    page.goto("/")
    page.fill("#payload", "first\nsecond")
    page.fill("#passphrase", "typed")

    press(page, "Deutsch")

    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#payload")).to_have_value("first\nsecond")
    expect(page.locator("#passphrase")).to_have_value("typed")
    assert page.url.endswith("/?language=de")


def test_a_file_is_sent_and_comes_back(page: Page, account: Account) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    attach(page, ("a.bin", b"\0\r\n\xff"))
    press(page, "Create link")

    reveal(page, page.input_value("#link"))
    with page.expect_download() as download:
        page.get_by_role("button", name="a.bin").click()

    assert download.value.path().read_bytes() == b"\0\r\n\xff"


@pytest.mark.long
def test_an_owner_signs_in_makes_a_token_and_expires_a_push(page: Page, account: Account) -> None:
    send(sign_in(page, account), name="Database")
    page.goto("/users/token")
    press(page, "Create token")
    token = page.input_value("#token")

    page.goto("/pushes")
    page.get_by_role("link", name="Database").click()
    page.get_by_text("Expire it now", exact=True).click()
    press(page, "Yes, expire it now")

    assert len(token) == 22 + 43  # the owner's locator, and 256 random bits
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody time").first).to_contain_text("UTC")


@pytest.mark.long
def test_a_recipient_deletes_after_confirming(page: Page) -> None:
    reveal(page, send(page))

    page.get_by_text("Delete it now").click()
    press(page, "Yes, delete it for good")

    assert heading(page) == "Deleted"
