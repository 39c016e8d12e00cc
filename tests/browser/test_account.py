"""Accounts in a real browser: from sign-up to a working and a revoked API token, and the list of pushes."""

import uuid
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
import requests
from playwright.sync_api import Cookie, Page, expect

from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.doubles.cognito import Cognito
from tests.drivers.browsing import (
    Account,
    Visit,
    heading,
    press,
    press_and_wait,
    reveal,
    send,
    sign_in,
    sign_in_with_form,
)


def sign_up(page: Page, email: str) -> None:
    page.goto("/users/sign_in")
    page.get_by_role("link", name="Create an account").click()
    page.fill("#email", email)
    press(page, "Create account")


def confirm(page: Page, account: Account, people: Cognito) -> None:
    page.locator("#code").wait_for()
    page.fill("#code", people.code(account.email))
    page.get_by_label("New password").fill(account.password)
    press(page, "Confirm")


def session_cookie(page: Page) -> Cookie | None:
    return next((one for one in page.context.cookies() if one["name"] == SESSION_COOKIE), None)


def make_token(page: Page) -> str:
    page.goto("/users/token")
    page.fill("#name", "laptop")
    press(page, "Create token")
    return page.input_value("#token")


def status_with(token: str, base_url: str) -> int:
    headers = {"authorization": f"Bearer {token}"}
    return requests.get(f"{base_url}/api/v2/pushes/active", headers=headers, timeout=30).status_code


def test_from_sign_up_to_a_token_that_works_until_it_is_revoked(page: Page, base_url: str, people: Cognito) -> None:
    account = Account(f"{uuid.uuid4().hex}@example.com", "correct horse battery 1")
    sign_up(page, account.email)
    confirm(page, account, people)
    token = make_token(page)
    before = status_with(token, base_url)

    page.locator("td summary").click()
    press(page, f"Yes, revoke the token that ends in …{token[-4:]}")
    expect(page.get_by_text("You have no API tokens.")).to_be_visible()

    assert (before, status_with(token, base_url)) == (200, 401)


def test_a_token_is_shown_once_with_commands_to_copy(visit: Visit, account: Account) -> None:
    page = sign_in(visit(permissions=["clipboard-read", "clipboard-write"]), account)

    token = make_token(page)
    press(page, "Copy")
    expect(page.get_by_role("status")).to_have_text("Copied.")
    commands = page.locator("pre").all_text_contents()

    assert page.evaluate("navigator.clipboard.readText()") == token
    assert [command.split()[0] for command in commands] == ["curl", "pwpush"]
    assert all(token in command for command in commands)
    page.goto("/users/token")
    assert token not in page.content()


@pytest.mark.long
def test_sign_out_ends_the_session_even_for_a_browser_that_kept_the_cookie(
    page: Page, account: Account, base_url: str
) -> None:
    sign_in_with_form(page, account)
    kept = session_cookie(page)
    assert kept is not None

    press(page, "Sign out")
    cleared = session_cookie(page)
    sent = {"cookie": f"{kept['name']}={kept['value']}"}
    answer = requests.get(f"{base_url}/pushes", headers=sent, timeout=30, allow_redirects=False)

    assert cleared is None
    assert (answer.status_code, answer.headers["location"]) == (303, "/users/sign_in")


def test_the_session_cookie_is_hidden_from_scripts_and_other_sites(page: Page, account: Account) -> None:
    sign_in_with_form(page, account)

    cookie = session_cookie(page)

    assert cookie is not None
    assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Lax")
    assert page.evaluate("document.cookie") == ""


@pytest.mark.long
def test_a_wrong_password_and_an_unknown_address_get_the_same_sentence(page: Page, account: Account) -> None:
    sentences = []
    for email in (account.email, "nobody@example.com"):
        sign_in(page, Account(email, "wrong horse battery 1"))
        sentences.append(page.get_by_role("alert").inner_text())

    assert sentences[0] == sentences[1]
    assert sentences[0].count(".") == 1


@pytest.mark.long
def test_signing_up_with_a_known_address_looks_like_any_other(page: Page, account: Account) -> None:
    fresh = f"{uuid.uuid4().hex}@example.com"

    seen = []
    for email in (fresh, account.email):
        sign_up(page, email)
        form_token = page.locator("[name=form_token]").input_value()
        shown = page.content().replace(email, "").replace(form_token, "")
        seen.append(shown + page.url.replace(email.replace("@", "%40"), ""))

    assert seen[0] == seen[1]
    sign_in_with_form(page, account)
    assert heading(page) == "My pushes"


@pytest.mark.long
def test_an_earlier_sign_up_by_a_stranger_gives_them_nothing(page: Page, visit: Visit, people: Cognito) -> None:
    account = Account(f"{uuid.uuid4().hex}@example.com", "correct horse battery 1")
    sign_up(visit(), account.email)

    sign_up(page, account.email)
    confirm(page, account, people)

    assert heading(page) == "My pushes"


def test_a_person_without_a_code_gets_a_link_to_sign_up(page: Page) -> None:
    page.goto("/users/confirm")

    page.get_by_role("link", name="Sign up again").click()

    assert heading(page) == "Create an account"


@pytest.mark.long
def test_a_password_reset_ends_the_sessions(page: Page, visit: Visit, account: Account, people: Cognito) -> None:
    elsewhere = sign_in(visit(), account)
    page.goto("/users/sign_in")
    page.get_by_role("link", name="Forgotten your password?").click()
    page.fill("#email", account.email)
    press(page, "Send me a code")
    page.locator("#code").wait_for()
    page.fill("#code", people.code(account.email))
    page.get_by_label("New password").fill("another horse battery 2")
    press(page, "Set the password")

    sign_in(page, Account(account.email, "another horse battery 2"))
    elsewhere.goto("/pushes")

    assert (heading(page), heading(elsewhere)) == ("My pushes", "Sign in")


@pytest.mark.long
def test_a_push_has_a_record_and_goes_from_active_to_expired(page: Page, visit: Visit, account: Account) -> None:
    link = send(sign_in(page, account), name="Database", note="of the shop")
    reveal(visit(), link)
    page.goto("/pushes")
    page.get_by_role("link", name="Database").click()
    assert page.input_value("#link") == link

    page.get_by_text("Expire it now", exact=True).click()
    press_and_wait(page, "Yes, expire it now")
    log = page.locator("tbody tr td:nth-child(2)").all_inner_texts()
    page.goto("/pushes")
    active = page.get_by_role("link", name="Database").count()
    page.get_by_role("link", name="Expired").click()

    assert sorted(log) == ["created", "deleted", "opened"]
    assert active == 0
    expect(page.get_by_role("link", name="Database")).to_be_visible()


def test_a_form_without_its_cookie_comes_back_filled_in_and_then_signs_in(page: Page, account: Account) -> None:
    page.goto("/users/sign_in")
    page.fill("#email", account.email)
    page.fill("#password", account.password)
    page.context.clear_cookies()

    press(page, "Sign in")
    expect(page.get_by_role("alert")).to_be_visible()
    kept = (page.input_value("#email"), page.input_value("#password"))
    page.fill("#password", account.password)
    press(page, "Sign in")

    assert kept == (account.email, "")
    assert heading(page) == "My pushes"


@pytest.mark.long
def test_the_name_of_a_token_outlives_the_session_that_it_was_typed_in(page: Page, account: Account) -> None:
    sign_in(page, account).goto("/users/token")
    page.fill("#name", "laptop")
    page.context.clear_cookies(name=SESSION_COOKIE)

    press(page, "Create token")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in in another tab").click()
    sign_in_with_form(opened.value, account)
    press(page, "Create token")
    expect(page.get_by_role("alert")).to_contain_text("signed in or out")
    press(page, "Create token")

    expect(page.locator("#token")).to_be_visible()
    assert page.get_by_role("cell", name="laptop").count() == 1


@pytest.mark.long
def test_a_record_names_the_files_that_have_not_arrived(page: Page, account: Account, base_url: str) -> None:
    headers = {"authorization": f"Bearer {make_token(sign_in(page, account))}"}
    files = [{"filename": name, "size": 3} for name in ("a.zip", "b.zip", "c.zip")]
    push = {"push": {"name": "Backup", "passphrase": "p", "files": files}}
    made = requests.post(f"{base_url}/api/v2/pushes", json=push, headers=headers, timeout=30).json()
    first = made["uploads"][0]
    requests.post(first["url"], data=first["fields"], files={"file": b"abc"}, timeout=30).raise_for_status()

    page.goto("/pushes")
    page.get_by_role("link", name="Backup").click()

    expect(page.locator(".notice")).to_contain_text("2 of 3 files are missing: b.zip and c.zip.")


def test_times_are_in_the_readers_zone(visit: Visit, account: Account) -> None:
    page = sign_in(visit(timezone_id="Asia/Tokyo", locale="en-US"), account)
    send(page, name="Database")
    page.goto("/pushes")
    time = page.locator("time").first

    moment = datetime.fromisoformat(str(time.get_attribute("datetime"))).astimezone(ZoneInfo("Asia/Tokyo"))

    assert time.inner_text().replace("\u202f", " ") == f"{moment:%b %-d, %Y, %-I:%M %p}"
