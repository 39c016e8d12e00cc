"""Senders in a real browser: every kind, every way to upload a file, and the script's additions."""

import os
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.drivers.browsing import (
    MIB,
    PHONE,
    Account,
    Visit,
    attach,
    heading,
    open_options,
    payload,
    press,
    reveal,
    send,
    sign_in,
)
from tests.drivers.http_client import HttpApi


def downloaded(page: Page, link: str, name: str) -> bytes:
    reveal(page, link)
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    return download.value.path().read_bytes()


def generated(page: Page) -> str:
    """Press the button and return the generated password."""
    before = page.input_value("#payload")
    press(page, "Generate a password")
    expect(page.locator("#payload")).not_to_have_value(before)
    return page.input_value("#payload")


def top(element: Locator) -> float:
    box = element.bounding_box()
    assert box
    return box["y"]


def bottom(element: Locator) -> float:
    box = element.bounding_box()
    assert box
    return box["y"] + box["height"]


def test_the_link_is_copied_exactly_and_drawn(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])

    link = send(page)
    press(page, "Copy")

    expect(page.get_by_role("status")).to_have_text("Copied.")
    expect(page.locator("figure svg")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link


def test_the_created_push_matches_the_choices(page: Page, api: HttpApi) -> None:
    page.goto("/")
    open_options(page)
    page.get_by_label("Let the recipient delete it").uncheck()
    page.get_by_label("Show a button first").uncheck()
    page.fill("#payload", "s3cret")
    page.select_option("#lifetime", "8")
    page.fill("#views", "2")
    press(page, "Create link")
    link = page.input_value("#link")

    made = api.retrieve(link.rsplit("/", 1)[1]).json

    assert not link.endswith("/r")
    assert (made["expire_after_days"], made["expire_after_views"]) == (3, 2)
    assert made["deletable_by_viewer"] is False


def test_a_generated_password_is_counted_and_differs_each_time(page: Page) -> None:
    page.goto("/")

    made = [generated(page) for _ in range(2)]

    assert [len(password) for password in made] == [20, 20]
    assert made[0] != made[1]
    expect(page.locator("[data-count]")).to_have_text("20 of 1,048,576 characters")
    expect(page.locator("[data-bits]")).to_have_text("Strength: 119 bits")


def test_a_generated_password_follows_the_choices_and_can_be_undone(page: Page) -> None:
    page.goto("/")
    page.fill("#payload", "typed")
    open_options(page)
    page.get_by_label("Symbols").check()
    page.get_by_label("look alike").check()
    page.fill("#length", "40")

    of_characters = generated(page)
    page.check("#style-words")
    page.fill("#count", "4")
    page.select_option("#separator", " ")
    of_words = generated(page)
    expect(page.locator("[data-bits]")).to_have_text("Strength: 51 bits")
    press(page, "Undo")

    assert re.fullmatch(r"[A-Za-z2-9!#%*+.:=?@_~-]{40}", of_characters)
    assert not set("0Oo1lI") & set(of_characters)
    assert re.fullmatch(r"[a-z-]+( [a-z-]+){3}", of_words)
    expect(page.locator("#payload")).to_have_value("typed")
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()


def test_the_list_of_words_is_loaded_only_when_needed(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    open_options(page)

    generated(page)
    before = [url for url in asked if "words" in url]
    page.check("#style-words")
    generated(page)
    generated(page)

    assert before == []
    assert len([url for url in asked if "words" in url]) == 1


def test_the_keyboard_sends_and_copies_in_two_presses(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/")

    page.keyboard.type("s3cret")
    page.keyboard.press("Control+Enter")
    link = page.input_value("#link")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == link


@pytest.mark.long
def test_the_phone_s_own_share_is_offered_where_there_is_one(visit: Visit) -> None:
    page, without = visit(), visit()
    page.add_init_script("navigator.share = async (what) => { window.shared = what; }")

    link = send(page)
    send(without)
    page.get_by_role("button", name="Share").click()

    assert page.evaluate("window.shared") == {"url": link}
    expect(without.get_by_role("button", name="Share")).to_have_count(0)


def test_the_folded_options_say_what_is_chosen(page: Page) -> None:
    page.goto("/")
    chosen = page.locator("[data-chosen]")
    expect(chosen).to_have_text("button first · recipient may delete")

    open_options(page)
    page.get_by_label("Let the recipient delete it").uncheck()
    page.get_by_label("Language of the recipient").select_option("de")

    expect(chosen).to_have_text("button first · Deutsch")


def test_a_number_out_of_bounds_moves_the_focus_to_a_message_with_a_link_to_it(page: Page) -> None:
    page.goto("/")
    page.fill("#payload", "s3cret")
    page.fill("#views", "101")

    press(page, "Create link")
    expect(page.locator("[data-problem]")).to_be_focused()
    page.get_by_role("link", name="Maximum views: Must be a whole number from 1 to 100.").click()

    expect(page.locator("#views")).to_be_focused()
    expect(page.locator("#views")).to_have_accessible_description("Must be a whole number from 1 to 100.")


def test_a_form_warns_of_a_trailing_blank_and_can_hide_a_passphrase(page: Page) -> None:
    page.goto("/")
    told = page.get_by_text("It begins or ends with a space")
    hidden = "(id) => getComputedStyle(document.getElementById(id)).webkitTextSecurity"

    page.fill("#passphrase", "right ")
    expect(told).to_be_visible()
    page.fill("#passphrase", "right")
    expect(told).to_be_hidden()
    before = [page.evaluate(hidden, field) for field in ("payload", "passphrase")]
    page.get_by_label("Hide what I type").check()
    page.get_by_label("Show the passphrase").check()

    assert before == ["none", "disc"]
    assert [page.evaluate(hidden, field) for field in ("payload", "passphrase")] == ["disc", "none"]


def test_the_message_is_copied_in_the_recipients_language(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    link = send(page)
    page.get_by_text("A message to paste").click()
    page.select_option("#push_locale", "ja")
    press(page, "Write it in this language")

    press(page, "Copy the message")

    expect(page.get_by_role("status")).to_have_text("Copied.")
    assert f"\n{link}?locale=ja\n" in page.evaluate("navigator.clipboard.readText()").replace("\r", "")


@pytest.mark.parametrize("javascript", [True, False])
def test_enter_in_a_field_creates_the_link(visit: Visit, *, javascript: bool) -> None:
    page, recipient = visit(java_script_enabled=javascript), visit()
    page.goto("/")
    page.fill("#payload", "typed")

    page.press("#views", "Enter")
    reveal(recipient, page.input_value("#link"))

    assert payload(recipient) == "typed"


def test_the_counter_shows_the_kind_s_limit_above_the_button(page: Page) -> None:
    page.goto("/")
    count, button = page.locator("[data-count]"), page.get_by_role("button", name="Generate a password")

    page.check("#kind-qr")
    expect(count).to_be_hidden()
    page.fill("#payload", "x" * 1025)
    expect(count).to_have_text("1,025 of 1,024 characters")
    expect(count).to_have_class("problem")
    assert bottom(count) <= top(button)
    page.check("#kind-text")

    expect(count).to_be_hidden()


def test_a_status_message_disappears_and_covers_no_button(page: Page) -> None:
    page.clock.install()
    page.goto("/")
    status = page.get_by_role("status")

    press(page, "Generate a password")
    expect(status).to_have_text("A password was generated.")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert bottom(page.get_by_role("button", name="Create link")) <= top(status)
    page.clock.run_for(6_000)

    expect(status).to_have_text("")


def test_an_invalid_field_is_marked_and_keeps_its_input(page: Page) -> None:
    page.goto("/")
    page.check("#kind-url")
    page.fill("#payload", "no address")

    press(page, "Create link")

    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#payload")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#kind-url")).to_be_checked()
    expect(page.locator("#payload")).to_have_value("no address")


@pytest.mark.parametrize("size", [1, pytest.param(5 * MIB, marks=pytest.mark.long)])
def test_files_that_were_chosen_before_the_kind_became_text_stay_here(
    page: Page, api: HttpApi, account: Account, size: int
) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    attach(page, ("private.bin", bytes(size)))
    page.check("#kind-text")
    expect(page.locator("#files")).to_be_disabled()
    page.fill("#payload", "only text")

    press(page, "Create link")
    made = api.retrieve(page.input_value("#link").split("/")[-2]).json

    assert (made["kind"], made["payload"], made["files"]) == ("text", "only text", [])


@pytest.mark.long
def test_files_that_were_chosen_are_sent_if_the_kind_becomes_file_again(
    page: Page, visit: Visit, account: Account
) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    attach(page, ("a.txt", b"chosen"))
    page.check("#kind-text")
    page.check("#kind-file")

    press(page, "Create link")

    assert downloaded(visit(), page.input_value("#link"), "a.txt") == b"chosen"


def test_a_files_push_without_a_file_gets_an_error_at_its_field(page: Page, account: Account) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")

    press(page, "Create link")

    expect(page.locator("#files")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#files-problem")).to_be_visible()
    expect(page.locator("#payload-problem")).to_have_count(0)


def test_after_a_refusal_the_form_says_that_files_must_be_chosen_again(page: Page, account: Account) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    attach(page, ("a.txt", b"chosen"))
    again = page.get_by_text("must be chosen again")
    expect(again).to_have_count(0)

    open_options(page)
    page.fill("#note", "n" * 10_001)
    press(page, "Create link")

    expect(page.locator("#note-problem")).to_be_visible()
    expect(again).to_be_visible()


def test_a_file_dropped_onto_the_form_is_sent(page: Page, visit: Visit, account: Account) -> None:
    sign_in(page, account).goto("/")
    script = "() => { const data = new DataTransfer(); data.items.add(new File(['dropped'], 'a.txt')); return data; }"

    page.dispatch_event("[data-send]", "drop", {"dataTransfer": page.evaluate_handle(script)})
    expect(page.locator("#kind-file")).to_be_checked()
    press(page, "Create link")

    assert downloaded(visit(), page.input_value("#link"), "a.txt") == b"dropped"


def test_a_large_file_goes_past_the_functions_with_progress(page: Page, visit: Visit, account: Account) -> None:
    content, seen = os.urandom(9 * MIB), list[float]()
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    attach(page, ("big.bin", content))
    page.expose_function("see", lambda share: seen.append(share))  # noqa: PLW0108 (of a builtin, Playwright cannot tell)
    page.evaluate("Object.defineProperty(document.querySelector('progress'), 'value', { set: window.see })")

    press(page, "Create link")
    expect(page.locator("h1")).to_have_text("Your link is ready")

    expect(page.locator("figure svg")).to_be_visible()
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    assert max(seen) >= 1
    assert downloaded(visit(), page.input_value("#link"), "big.bin") == content


@pytest.mark.long
def test_rejected_large_files_get_an_error_and_the_form_keeps_its_input(page: Page, account: Account) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    open_options(page)
    page.fill("#name", "Database")
    attach(page, *[(f"{number}.bin", bytes(MIB)) for number in range(11)])

    press(page, "Create link")

    expect(page.locator("[data-problem]")).to_be_focused()
    expect(page.locator("[data-problem]")).to_contain_text("Files: Too many files (at most 10)")
    expect(page.locator("#files")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#files-problem")).to_contain_text("10")
    assert page.evaluate("document.getElementById('files').files.length") == 11
    expect(page.locator("#name")).to_have_value("Database")
    expect(page.get_by_role("button", name="Create link")).to_be_enabled()


def test_a_phone_sends_and_reveals(visit: Visit) -> None:
    phone = visit(viewport=PHONE, has_touch=True, is_mobile=True)

    reveal(phone, send(phone, "s3cret", views="1"))

    assert heading(phone) == "Your secret"
    assert payload(phone) == "s3cret"


@pytest.mark.long
@pytest.mark.parametrize("field", ["#passphrase", "#note"])
def test_an_error_next_to_a_large_file_is_shown_at_its_field(page: Page, account: Account, field: str) -> None:
    sign_in(page, account).goto("/")
    page.check("#kind-file")
    attach(page, ("large.bin", bytes(5 * MIB)))
    open_options(page)
    page.fill(field, "a" * 10_001)

    press(page, "Create link")

    expect(page.locator(f".field:has({field}) span.problem")).to_contain_text("Is too long")
    expect(page.locator(field)).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".files .problem")).to_have_count(0)
