"""Mailing the link of a new push from the sender's form, for signed-in owners of an installation with mail."""

import html
import re

import pytest

from tests.conftest import Configure, Issue
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources
from tests.functions.pages.test_send_forms import fields_of

TO, LOCALE = "push[notify_emails_to]", "push_locale"
SECRET = {"push[payload]": "s3cret"}


@pytest.fixture
def ann_api(ann: Browser, issue: Issue, configure: Configure) -> Api:
    """The same owner's API on an installation with mail."""
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    return Api(token=issue(ann.owner))


def test_a_new_push_s_link_is_mailed_and_only_its_sender_sees_that(ann: Browser, ann_api: Api) -> None:
    preview = ann.visit("/").submit("", **SECRET, **{TO: "ben@example.org, c@example.org", LOCALE: "de"}).at

    assert "The link is being e-mailed." in ann.page.text
    assert "example.org" not in ann.page.text
    assert "The link is being e-mailed." not in Browser().visit(preview).page.text
    record = re.search(r'href="(/pushes/\w+)"', ann.page.text)
    assert record
    assert "link e-mailed 0/2: <bdi>ben@example.org, c@example.org</bdi>" in ann.visit(record[1]).page.text


def test_without_an_address_nothing_is_mailed_or_mentioned(ann: Browser, ann_api: Api) -> None:
    ann.visit("/").submit("", **SECRET, **{TO: " ", LOCALE: "de"})

    assert "Your link is ready" in ann.page.text
    assert "being mailed" not in ann.page.text


@pytest.mark.parametrize(
    ("recipients", "problem"),
    [
        ("ben", "Must be e-mail addresses, separated by commas."),
        ("<script>@example.org", "Must be e-mail addresses, separated by commas."),
        ("a@x.org,A@x.org", "Must not contain an address twice."),
        (",".join(f"{n}@x.org" for n in range(6)), "Are too many (at most 5 in all)."),
    ],
)
def test_an_invalid_list_of_addresses_gets_an_error_and_is_kept(
    ann: Browser, ann_api: Api, recipients: str, problem: str
) -> None:
    page = ann.visit("/").submit("", **SECRET, **{TO: recipients, LOCALE: "fr"}).page

    assert page.status == 422
    assert f'<span class="problem" id="notify_emails_to-problem">{problem}' in page.text.replace("\n", "")
    fields = fields_of(page)
    assert (fields[TO], fields[LOCALE]) == (recipients, "fr")
    assert html.escape(recipients) in page.text
    assert resources.stored()["Pushes"] == 0


def test_too_many_mails_get_an_error_at_their_field(ann: Browser, ann_api: Api) -> None:
    for _ in range(6):
        page = ann.visit("/").submit("", **SECRET, **{TO: "ben@example.org"}).page

    assert page.status == 429
    assert 'id="notify_emails_to-problem">You have sent too many e-mails' in page.text.replace("\n", "")
    assert resources.stored()["Pushes"] == 5


def test_an_address_that_has_had_its_mails_is_named_beside_the_field(ann: Browser, ann_api: Api, bob: Api) -> None:
    for _ in range(5):
        bob.push(notify_emails_to="ben@example.org")

    page = ann.visit("/").submit("", **SECRET, **{TO: "ben@example.org"}).page

    assert page.status == 429
    assert 'id="notify_emails_to-problem">One of these addresses has received' in page.text.replace("\n", "")


def test_there_is_no_such_field_for_strangers_nor_without_mail(
    ann: Browser, ann_api: Api, configure: Configure
) -> None:
    signed_in, anonymous = (one.visit("/").page.text for one in (ann, Browser()))
    configure(MAIL_FROM="")
    without_mail = ann.visit("/").page.text

    assert [TO in text for text in (signed_in, anonymous, without_mail)] == [True, False, False]


def test_a_form_shown_again_after_a_sign_out_keeps_to_whom_it_was_to_go(ann: Browser, ann_api: Api) -> None:
    ann.visit("/")
    ann.cookies = {}

    page = ann.submit("", **SECRET, **{TO: "ben@example.org"}).page

    assert "You have been signed out" in page.text
    assert fields_of(page)[TO] == "ben@example.org"
