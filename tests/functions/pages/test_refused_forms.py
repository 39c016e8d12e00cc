"""Every refused form: a title that says so, an alert that leads to the field, and the field that it is about."""

import re

import pytest

from tests.conftest import PASSWORD, Configure, People
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


WRONG = {"payload": "", "expire_after_duration": "x", "expire_after_views": "0", "passphrase": "x" * 10_000}
FOLDED = {"allowed_ips": "x", "notify_emails_to": "ben", "name": "x" * 10_000, "note": "x" * 100_000}


@pytest.mark.parametrize(("kind", "label"), [("text", "Password or text"), ("url", "Address to send")])
def test_a_refused_form_of_the_sender_has_a_link_to_each_wrong_field(
    ann: Browser, configure: Configure, kind: str, label: str
) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    wrong = {f"push[{name}]": value for name, value in {**WRONG, **FOLDED}.items()}

    page = ann.visit("/").submit("", **wrong, **{"push[kind]": kind}).page

    assert page.status == 422
    assert "<title>Error: Send a secret" in page.text
    links = summary(page.text)
    assert [said.split(":")[0] for _, said in links] == [
        label,
        "Expires after",
        "Maximum views",
        "Passphrase (optional)",
        "Only from these networks",
        "E-mail the link to",
        "Name (for your list only)",
        "Note (for your list only)",
    ]
    assert ["aria-invalid" in tag(page.text, field) for field, _ in links] == [True] * 8


def test_a_refused_mail_has_a_link_to_its_field(ann: Browser, configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    ann.visit("/").submit("", **{"push[payload]": "s3cret"}).visit("/pushes")
    [record] = re.findall(r'class="name"[^>]*href="([^"]*)"', ann.page.text)

    page = ann.visit(record).submit("", notify_emails_to="ben").page.text

    assert "<title>Error: " in page
    [(field, said)] = summary(page)
    assert (field, said.split(":")[0]) == ("notify_emails_to", "E-mail the link to")
    assert 'aria-invalid="true"' in tag(page, field)


def summary(page: str) -> list[tuple[str, str]]:
    """Return the field and the words of each link in the alert."""
    [alert] = re.findall(r'<div class="notice problem" role="alert">(.*?)</div>', page, re.DOTALL)
    return re.findall(r'<li><a href="#([^"]*)">(.*?)</a></li>', alert)


def test_a_refusal_about_no_field_marks_none(people: People) -> None:
    page = Browser().visit("/users/sign_in").submit("/users/sign_in", form_token="forged", email=ANN).page.text

    assert "<title>Error: " in page
    assert 'aria-invalid="true"' not in page


@pytest.mark.parametrize("path", ["/", "/users/token"])
def test_a_number_s_message_is_ours_and_not_in_the_language_of_the_browser(ann: Browser, path: str) -> None:
    forms = re.findall(r"<form([^>]*)>(.*?)</form>", ann.visit(path).page.text, re.DOTALL)

    with_numbers = [attributes for attributes, fields in forms if 'type="number"' in fields]
    assert with_numbers
    assert all("novalidate" in attributes for attributes in with_numbers)
