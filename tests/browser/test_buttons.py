"""The text of a button while the next page loads."""

from playwright.sync_api import expect

from tests.drivers.browsing import Account, Visit, press, sign_in
from tests.drivers.http_client import HttpApi


def test_a_button_that_was_pressed_says_so_until_the_page_is_shown_again(visit: Visit, bob: HttpApi) -> None:
    page = visit()
    page.goto(f"/p/{bob.push()}/r")
    button = page.get_by_role("button")

    page.evaluate("addEventListener('submit', (event) => event.preventDefault())")  # after all our listeners
    button.click()
    expect(button).to_have_text("Opening …")
    expect(button).to_have_attribute("aria-busy", "true")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")

    expect(button).to_have_text("Show the secret")
    expect(button).not_to_have_attribute("aria-busy", "true")


def test_a_named_button_that_says_it_was_pressed_is_still_sent_by_its_name(visit: Visit, account: Account) -> None:
    page = sign_in(visit(), account)
    expect(page.locator("h1")).to_have_text("My pushes")
    page.goto("/users/token")
    press(page, "Create token")
    expect(page.locator("tbody tr")).to_have_count(1)

    said = page.locator("td button").evaluate("(button) => { button.click(); return button.textContent; }")

    assert said == "One moment …"
    expect(page.get_by_text("You have no API tokens.")).to_be_visible()
