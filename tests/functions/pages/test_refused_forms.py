"""Every refused form: a title that says so, an alert that leads to the field, and the field that it is about."""

import re

import pytest

from tests.conftest import PASSWORD, People
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.functions.pages.test_account import ANN
from tests.functions.pages.test_recipient_page import tag

ACCOUNT = "/users/account"


def check(page: str, field: str) -> None:
    """Check that the page is marked as refused, and that its alert and this field alone belong together."""
    assert "<title>Error: " in page
    [alert] = re.findall(r'<p class="notice problem" role="alert" id="problem">(.*?)</p>', page, re.DOTALL)
    assert f'<a href="#{field}">' in alert
    assert re.findall(r'<input[^>]*id="([^"]*)"[^>]*aria-invalid="true"', page) == [field]
    assert re.search(r' autofocus aria-describedby="problem[ "]', tag(page, field))


@pytest.mark.parametrize(
    ("form", "field", "fields"),
    [
        ("sign_up", "email", {"email": "no address"}),
        ("sign_in", "email", {"email": ANN, "password": "wrong"}),
        ("confirm", "password", {"email": ANN, "code": "1", "password": "short"}),
        ("new_password", "password", {"email": ANN, "code": "1", "password": "short"}),
        ("new_password", "code", {"email": ANN, "code": "1", "password": PASSWORD}),
    ],
)
def test_an_account_form_ties_its_message_to_the_wrong_field(
    people: People, form: str, field: str, fields: dict[str, str]
) -> None:
    check(Browser().visit(f"/users/{form}").submit(f"/users/{form}", **fields).page.text, field)


@pytest.mark.parametrize(
    ("field", "password", "new"), [("password-password", "wrong", PASSWORD), ("new-password", PASSWORD, "short")]
)
def test_the_account_page_ties_its_message_to_the_wrong_field(
    ann: Browser, field: str, password: str, new: str
) -> None:
    ann.visit(ACCOUNT).submit(ACCOUNT, password=password, new_password=new)

    check(ann.page.text, field)


def test_the_token_page_ties_its_message_to_the_days(ann: Browser) -> None:
    check(ann.visit("/users/token").submit("", days="0").page.text, "days")


def test_the_recipient_s_page_ties_its_message_to_the_passphrase(api: Api) -> None:
    url_token = api.push(passphrase="right")

    check(Browser().visit(f"/p/{url_token}").submit(passphrase="wrong").page.text, "passphrase")


def test_a_form_that_is_only_shown_has_no_error_in_its_title(api: Api) -> None:
    pages = [Browser().visit(path).page.text for path in ("/", "/users/sign_in", f"/p/{api.push()}", "/p/nosuchtoken")]

    assert not any("Error:" in page for page in pages)


def test_a_refused_form_of_the_sender_has_the_error_in_its_title() -> None:
    page = Browser().visit("/").submit("", **{"push[payload]": ""}).page

    assert page.status == 422
    assert "<title>Error: Send a secret" in page.text


def test_a_refusal_about_no_field_marks_none(people: People) -> None:
    page = Browser().visit("/users/sign_in").submit("/users/sign_in", form_token="forged", email=ANN).page.text

    assert "<title>Error: " in page
    assert 'aria-invalid="true"' not in page
