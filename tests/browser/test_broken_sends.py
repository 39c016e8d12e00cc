"""Failed sends in a sender's real browser: too large, interrupted uploads, ended sessions."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.drivers.browsing import MIB, Account, Visit, attach, open_options, press, press_and_wait, reveal, sign_in

FILES = [(f"{number}.bin", bytes(3 * MIB)) for number in range(3)]


@pytest.fixture
def unwatched(chromium: Browser, base_url: str) -> Iterator[Page]:
    """Open a page whose console may report an interrupted upload."""
    context = chromium.new_context(base_url=base_url)
    yield context.new_page()
    context.close()


def choose(page: Page, account: Account, *files: tuple[str, bytes]) -> Page:
    """Sign in and choose files to send."""
    sign_in(page, account)
    expect(page.locator("h1")).to_have_text("My pushes")
    page.goto("/")
    page.check("#kind-file")
    attach(page, *files)
    return page


def type_long(page: Page, field: str, characters: int) -> None:
    """Set a long text in a field, faster than by typing."""
    page.locator(field).evaluate("(field, length) => { field.value = 'x'.repeat(length); }", characters)


@pytest.mark.long
def test_a_text_too_large_for_the_gateway_gets_an_error_at_its_field(page: Page) -> None:
    page.goto("/")
    page.fill("#passphrase", "typed")
    type_long(page, "#payload", 5_000_000)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))

    press(page, "Create link")

    expect(page.locator(".field:has(#payload) .problem#payload-problem")).to_have_text(
        "Too large: this form takes 4.2 MB in all."
    )
    expect(page.get_by_role("button", name="Create link")).to_be_enabled()
    assert page.evaluate("document.getElementById('payload').value.length") == 5_000_000
    assert page.input_value("#passphrase") == "typed"
    assert sent == []


@pytest.mark.long
def test_a_text_too_long_that_the_gateway_takes_comes_back_whole(page: Page) -> None:
    page.goto("/")
    type_long(page, "#payload", 4_000_000)

    press_and_wait(page, "Create link")

    expect(page.locator("#payload-problem")).to_contain_text("Is too long")
    assert page.evaluate("document.getElementById('payload').value.length") == 4_000_000


@pytest.mark.long
def test_files_and_a_text_that_are_too_large_together_go_apart(page: Page, visit: Visit, account: Account) -> None:
    recipient = visit()
    choose(page, account, ("a.bin", bytes(4 * MIB - 1)))
    type_long(page, "#payload", 1_000_000)

    press(page, "Create link")
    expect(page.locator("h1")).to_have_text("Your link is ready")
    reveal(recipient, page.input_value("#link"))

    expect(recipient.get_by_role("button", name="a.bin")).to_be_visible()


def test_an_interrupted_upload_resumes_without_a_second_push(unwatched: Page, bucket: str, account: Account) -> None:
    page, tries = choose(unwatched, account, *FILES), []

    def break_the_second(route: Route) -> None:
        tries.append(route.request.url)
        if len(tries) == 2:
            route.abort()
        else:
            route.continue_()

    page.route(f"{bucket}/**", break_the_second)
    press(page, "Create link")
    expect(page.locator("[data-problem]")).to_be_focused()
    expect(page.locator("[data-problem]")).to_contain_text("“1.bin” did not arrive")
    press(page, "Try again")
    expect(page.locator("h1")).to_have_text("Your link is ready")
    page.goto("/pushes")

    assert len(tries) == len(FILES) + 1
    expect(page.locator("tbody tr")).to_have_count(1)


def test_a_lost_response_gets_a_message_and_the_next_press_sends(unwatched: Page, account: Account) -> None:
    page = choose(unwatched, account, *FILES)
    page.route("**/", lambda route: route.abort())

    press(page, "Create link")
    expect(page.locator("[data-problem]")).to_have_text("The connection broke off. Please try again.")
    page.unroute_all()
    press(page, "Try again")

    expect(page.locator("h1")).to_have_text("Your link is ready")


def test_without_a_connection_the_form_stays_and_says_so(page: Page) -> None:
    page.goto("/")
    page.fill("#payload", "s3cret")
    page.context.set_offline(True)

    press(page, "Create link")
    expect(page.locator("[data-problem]")).to_be_focused()
    expect(page.locator("[data-problem]")).to_have_text("The connection broke off. Please try again.")
    page.context.set_offline(False)
    press(page, "Create link")

    expect(page.locator("h1")).to_have_text("Your link is ready")


@pytest.mark.long
def test_the_gateway_s_own_errors_are_not_shown_to_people(unwatched: Page, account: Account) -> None:
    page = choose(unwatched, account, *FILES)
    page.route("**/", lambda route: route.fulfill(status=503, json={"message": "Service Unavailable"}))

    press(page, "Create link")

    expect(page.locator("[data-problem]")).to_have_text("The files were refused. Please try again.")


@pytest.mark.long
def test_after_a_sign_in_in_another_tab_the_chosen_files_are_sent(page: Page, account: Account) -> None:
    choose(page, account, *FILES)
    open_options(page)
    page.fill("#name", "Database")
    page.context.clear_cookies(name="__Host-session")
    notice = page.locator("[data-problem]")

    press(page, "Create link")
    expect(notice).to_contain_text("You have been signed out")
    with page.expect_popup() as tab:
        page.get_by_role("link", name="Sign in in another tab").click()
    sign_in(tab.value, account)
    expect(tab.value.locator("h1")).to_have_text("My pushes")
    press(page, "Create link")
    expect(notice).to_contain_text("You have signed in or out")
    press(page, "Create link")
    expect(page.locator("h1")).to_have_text("Your link is ready")
    page.goto("/pushes")

    expect(page.get_by_role("link", name="Database")).to_be_visible()


def test_a_page_that_the_browser_has_kept_brings_no_secret_back(page: Page, account: Account) -> None:
    choose(page, account, ("a.txt", b"chosen"))
    open_options(page)
    fields = ["#payload", "#passphrase", "#name", "#note"]
    for field in fields:
        page.fill(field, "typed")
    key = page.input_value("[name=idempotency_key]")
    seen = """(fields) => {
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
        return [...fields, '#files'].map((field) => document.querySelector(field).value);
    }"""

    left = page.evaluate(seen, fields)

    assert left == ["", "", "", "", ""]
    expect(page.locator("[name=idempotency_key]")).not_to_have_value(key)
