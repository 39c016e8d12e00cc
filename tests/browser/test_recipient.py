"""Recipients in a real browser: open, reveal, copy, download, delete, and find nothing the second time."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.drivers.browsing import MIB, Account, Visit, attach, heading, payload, press, reveal, send, sign_in
from tests.drivers.http_client import HttpApi

GONE = "There is nothing here any more"
EXACT = "\n\n first\r\nb\rc\td <b>&amp;</b>😀'\"`\u202eabc\u200b \n"


@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("text", "<b>😀</b>"),
        pytest.param("url", "https://example.com/?a=1&b=2", marks=pytest.mark.long),
        pytest.param("qr", "WIFI:T:WPA;S:net;P:pass;;", marks=pytest.mark.long),
    ],
)
def test_a_secret_is_revealed_once_and_gone_for_the_next_visitor(visit: Visit, kind: str, secret: str) -> None:
    link = send(visit(), secret, kind=kind, views="1")
    recipient, other = visit(), visit()

    reveal(recipient, link)
    other.goto(link)

    assert payload(recipient) == secret
    assert heading(other) == GONE


def test_back_shows_the_secret_again_and_counts_it_once(page: Page, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)
    page.goto("/")
    reveal(page, f"/p/{url_token}/r")

    page.go_back()
    at_the_button = payload(page)
    page.go_forward()
    page.goto("/")
    page.go_back()

    assert (at_the_button, payload(page)) == ("s3cret", "s3cret")
    assert bob.kinds(url_token) == ["creation", "view"]


def test_without_cookies_the_secret_is_shown_and_back_is_no_error(page: Page, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)
    page.goto(f"/p/{url_token}/r")
    page.context.clear_cookies()
    press(page, "Show the secret")
    shown = payload(page)

    page.goto("/")
    page.go_back()

    assert shown == "s3cret"
    assert heading(page) == GONE


def test_a_page_that_a_browser_kept_asks_for_the_secret_again(page: Page, api: HttpApi) -> None:
    reveal(page, f"/p/{api.push(expire_after_views=1)}/r")
    page.context.clear_cookies()  # as when the lease has ended

    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")

    expect(page.get_by_role("heading", name=GONE)).to_be_visible()
    expect(page.locator("#payload")).to_have_count(0)


def test_a_long_secret_is_saved_as_a_text_file(page: Page, api: HttpApi) -> None:
    secret = "\n a\r\n\u202eb" * 200
    reveal(page, f"/p/{api.push(secret)}/r")

    with page.expect_download() as download:
        press(page, "Save as a text file")

    assert download.value.suggested_filename == "secret.txt"
    assert download.value.path().read_bytes() == secret.encode()


def test_a_recipient_can_look_at_the_passphrase_while_typing(page: Page, api: HttpApi) -> None:
    page.goto(f"/p/{api.push(passphrase='right')}/r")
    hidden = "getComputedStyle(document.getElementById('passphrase')).webkitTextSecurity"

    before = page.evaluate(hidden)
    page.get_by_label("Show the passphrase").check()

    assert [before, page.evaluate(hidden)] == ["disc", "none"]


def test_a_file_comes_back_byte_for_byte_and_is_gone_for_the_next_visitor(
    visit: Visit, account: Account, tmp_path: Path
) -> None:
    content = os.urandom(MIB)
    sender, recipient, other = sign_in(visit(), account), visit(), visit()
    sender.goto("/")
    sender.check("#kind-file")
    attach(sender, ("Müller's 😀.bin", content))
    sender.fill("#views", "1")
    press(sender, "Create link")

    reveal(recipient, sender.input_value("#link"))
    with recipient.expect_download() as download:
        recipient.get_by_role("button", name="Müller's 😀.bin").click()
    other.goto(sender.input_value("#link"))

    assert download.value.suggested_filename == "Müller's 😀.bin"
    assert download.value.path().read_bytes() == content
    assert heading(other) == GONE


def test_a_text_is_shown_and_copied_character_for_character(visit: Visit, api: HttpApi) -> None:
    url_token = api.push(EXACT)
    page = visit(permissions=["clipboard-read", "clipboard-write"])

    reveal(page, f"/p/{url_token}/r")
    press(page, "Copy")

    expect(page.get_by_role("status")).to_have_text("Copied.")
    assert payload(page) == EXACT
    assert page.locator("#payload b").count() == 0
    assert page.evaluate("navigator.clipboard.readText()") == EXACT


def test_a_link_that_needs_no_asking_reveals_at_once(page: Page, api: HttpApi) -> None:
    page.goto(f"/p/{api.push('s3cret', retrieval_step=False)}")

    assert payload(page) == "s3cret"


@pytest.mark.long
def test_a_wrong_passphrase_gets_a_sentence_and_the_right_one_opens(page: Page, visit: Visit) -> None:
    page.goto(send(visit(), "s3cret", passphrase="right", views="1"))

    page.fill("#passphrase", "wrong")
    press(page, "Show the secret")
    refusal = page.get_by_role("alert").inner_text()
    page.fill("#passphrase", "right")
    press(page, "Show the secret")

    assert "passphrase" in refusal
    assert refusal.count(".") == 1
    assert payload(page) == "s3cret"


@pytest.mark.long
def test_neither_back_nor_a_reload_tries_a_wrong_passphrase_again(page: Page, bob: HttpApi) -> None:
    url_token = bob.push(passphrase="right")
    page.goto(f"/p/{url_token}/r")
    page.fill("#passphrase", "wrong")
    press(page, "Show the secret")
    expect(page.get_by_role("alert")).to_have_text("Wrong passphrase.")

    page.reload()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.goto("/")
    page.go_back()

    expect(page.locator("#passphrase")).to_be_visible()
    assert bob.kinds(url_token) == ["creation", "failed_passphrase"]


def test_a_url_opens_in_a_new_tab_without_telling_where_it_stood(page: Page, api: HttpApi) -> None:
    reveal(page, f"/p/{api.push(f'{api.base_url}/robots.txt', kind='url')}/r")

    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open 127.0.0.1", exact=True).click()

    assert opened.value.evaluate("[document.referrer, window.opener]") == ["", None]
    assert heading(page) == "Your secret"


def test_a_qr_code_is_a_downloadable_picture_with_its_text(page: Page, api: HttpApi) -> None:
    reveal(page, f"/p/{api.push('some text', kind='qr')}/r")

    with page.expect_download() as download:
        page.get_by_role("link", name="Download the picture").click()

    expect(page.get_by_role("img", name="QR code").locator("svg")).to_be_visible()
    assert download.value.path().read_text().lstrip().startswith(("<?xml", "<svg"))
    assert payload(page) == "some text"


def test_a_secret_is_blurred_until_asked(page: Page, api: HttpApi) -> None:
    reveal(page, f"/p/{api.push()}/r")
    seen = "getComputedStyle(document.getElementById('payload')).filter"

    before = page.evaluate(seen)
    page.get_by_label("Show").check()

    assert before.startswith("blur(")
    assert page.evaluate(seen) == "none"


def test_a_qr_code_is_blurred_until_asked_as_its_text_is(page: Page, api: HttpApi) -> None:
    reveal(page, f"/p/{api.push(kind='qr')}/r")
    seen = "['figure svg', '#payload'].map((one) => getComputedStyle(document.querySelector(one)).filter)"

    before = page.evaluate(seen)
    page.get_by_label("Show").check()

    assert all(one.startswith("blur(") for one in before)
    assert page.evaluate(seen) == ["none", "none"]


@pytest.mark.long
def test_a_recipient_deletes_after_confirming(page: Page, bob: HttpApi) -> None:
    url_token = bob.push(deletable_by_viewer=True)
    reveal(page, f"/p/{url_token}/r")
    confirm = page.get_by_role("button", name="Yes, delete it for good")
    expect(confirm).to_be_hidden()

    page.get_by_text("Delete it now").click()
    confirm.click()

    assert heading(page) == "Deleted"
    assert bob.kinds(url_token) == ["creation", "view", "expire"]


def test_the_keyboard_alone_reveals_and_copies_with_two_presses(visit: Visit, api: HttpApi) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/p/{api.push()}/r")

    page.keyboard.press("Enter")
    expect(page.locator("#payload")).to_have_text("s3cret")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_focused()  # by the script, at the page's end
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Copied")).to_be_focused()


def test_the_keyboard_skips_to_the_content(page: Page) -> None:
    page.goto("/users/sign_in")  # a page where no field has the focus at the start

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.closest('main') !== null")
