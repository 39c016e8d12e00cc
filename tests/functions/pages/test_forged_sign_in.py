"""Login CSRF: another site must not sign a victim in to the attacker's account and then read the victim's pushes."""

import re

import pytest

from shared.identity import auth
from shared.web.cookies import FORM as FORM_COOKIE
from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.conftest import PASSWORD, People
from tests.doubles.cognito import Cognito
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import Api

FORMS = ["sign_in", "sign_up", "password", "new_password", "confirm"]
FIELDS = {"email": "ann@example.com", "code": "1", "password": PASSWORD}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_form_on_another_site_does_nothing(people: Cognito, form: str, site: str) -> None:
    browser = Browser().visit(f"/users/{form}")

    page = browser.submit(f"/users/{form}", {"sec-fetch-site": site}, **FIELDS).page

    assert (page.status, people.mails) == (403, [])
    assert set(browser.cookies) == {FORM_COOKIE}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "own", ["no cookie", "token of no cookie", "another cookie", "no token", "another's token", "cookie twice"]
)
def test_a_form_counts_only_with_the_token_of_its_own_browser(people: Cognito, form: str, own: str) -> None:
    attacker, victim = Browser().visit(f"/users/{form}"), Browser().visit(f"/users/{form}")
    stolen = auth.form_token(attacker.cookies[FORM_COOKIE])
    fields = dict(FIELDS)
    match own:
        case "no cookie":
            victim.cookies = {}
        case "token of no cookie":  # anybody can compute it
            victim.cookies = {}
            fields["form_token"] = auth.form_token("")
        case "another cookie":
            victim.cookies = {FORM_COOKIE: "x"}
            fields["form_token"] = auth.form_token("x")
        case "no token":
            fields["form_token"] = ""
        case "another's token":
            fields["form_token"] = stolen
        case "cookie twice":
            victim.cookies[f" {FORM_COOKIE}"] = attacker.cookies[FORM_COOKIE]

    page = victim.submit(f"/users/{form}", **fields).page

    assert (page.status, people.mails) == (403, [])
    assert not re.search('<a href="/users/(confirm|new_password)"', page.text)  # there is no code to enter


def test_a_form_without_its_cookie_keeps_its_input_and_then_works(ann: Browser) -> None:
    browser = Browser().visit("/users/sign_in")
    browser.cookies = {}

    page = browser.submit("/users/sign_in", email="Ann@example.com", password=PASSWORD).page
    again = browser.submit("/users/sign_in", password=PASSWORD)

    assert (page.status, 'value="ann@example.com"' in page.text, PASSWORD in page.text) == (403, True, False)
    assert "allow cookies" in page.text
    assert again.at == "/pushes"


@pytest.mark.parametrize("form", ["confirm", "new_password"])
def test_a_form_keeps_a_typed_code_and_takes_none_from_a_link(people: Cognito, form: str) -> None:
    browser = Browser().visit(f"/users/{form}?code=424242424242")
    linked = browser.page.text
    browser.cookies = {}

    page = browser.submit(f"/users/{form}", email="ann@example.com", code="424242424242", password=PASSWORD).page

    assert ("424242424242" in linked, 'value="424242424242"' in page.text) == (False, True)


@pytest.mark.parametrize("headers", [{"sec-fetch-site": site} for site in ("cross-site", "same-site", "none", "")])
@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_may_be_another_site_s_shows_nothing_again(
    people: Cognito, form: str, headers: dict[str, str]
) -> None:
    browser = Browser().visit(f"/users/{form}")
    browser.cookies = {}

    page = browser.submit(f"/users/{form}", headers, email="mallory@example.com", code="424242424242").page

    assert page.status == 403
    assert not [typed for typed in ("mallory", "424242424242") if typed in page.text]


def test_a_form_of_unknown_origin_shows_nothing_again(people: Cognito) -> None:
    sent = b"email=mallory@example.com&code=424242424242"

    page = Api().request("POST", "/users/confirm", headers={"content-type": FORM}, body=sent)

    assert (page.status, "mallory" in page.text, 'name="password"' in page.text) == (403, False, True)


def test_signing_out_of_another_tab_s_session_needs_a_second_press(ann: Browser, people: People) -> None:
    before = ann.visit("/").page
    ann.visit("/users/sign_in").submit("/users/sign_in", **FIELDS)
    ann.page = before

    page = ann.submit("/users/sign_out").page
    signed_in = ann.cookies
    ann.submit("/users/sign_out")

    assert (page.status, SESSION_COOKIE in signed_in, SESSION_COOKIE in ann.cookies) == (403, True, False)


def test_signing_out_in_one_tab_signs_out_in_all(ann: Browser) -> None:
    before = ann.visit("/").page
    ann.submit("/users/sign_out")
    ann.page = before

    assert ann.submit("/users/sign_out").page.status == 200


def test_nobody_is_signed_in_to_an_account_of_an_attackers(ann: Browser) -> None:
    attacker = Browser().visit("/users/sign_in")
    victim = Browser().visit("/users/sign_in")

    victim.page = attacker.page
    victim.submit("/users/sign_in", **FIELDS)

    assert victim.page.status == 403
    assert SESSION_COOKIE not in victim.cookies


def test_a_form_that_was_refused_works_when_it_is_filled_in_again(ann: Browser, people: People) -> None:
    browser = Browser().visit("/users/sign_in").submit("/users/sign_in", email="ann@example.com", password="wrong")
    before = browser.cookies

    browser.submit("/users/sign_in", password=PASSWORD)

    assert browser.at == "/pushes"
    assert before[FORM_COOKIE] == browser.cookies[FORM_COOKIE]


def test_a_form_in_one_tab_works_after_another_was_opened(ann: Browser) -> None:
    browser = Browser().visit("/users/sign_in")
    first = browser.page
    browser.visit("/users/sign_up")

    browser.page = first
    browser.submit("/users/sign_in", **FIELDS)

    assert browser.at == "/pushes"


def test_an_address_in_a_link_is_shown_as_text(api: Api) -> None:
    page = Browser(api).visit("/users/sign_in?email=%22%3E%3Cscript%3E").page.text

    assert "<script>" not in page.partition("<form")[2].partition("</form>")[0]


@pytest.mark.parametrize("path", ["/pushes", "/users/token", f"/pushes/{'0' * 64}"])
def test_pages_of_owners_ask_strangers_to_sign_in(api: Api, path: str) -> None:
    assert Browser(api).visit(path).at == "/users/sign_in"
