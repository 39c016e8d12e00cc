"""Mailing the link of a push from its record's page."""

import html

import pytest

from shared.domain import digests
from tests.conftest import Configure, Issue
from tests.drivers.browser import Browser
from tests.drivers.client import Api


@pytest.fixture
def ann_api(ann: Browser, issue: Issue, configure: Configure) -> Api:
    """The same owner's API on an installation with mail."""
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    return Api(token=issue(ann.owner))


def record(ann: Browser, url_token: str) -> Browser:
    return ann.visit(f"/pushes/{digests.digest(url_token)}")


def test_a_link_is_mailed_and_the_record_says_to_whom_and_how_far_it_got(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()

    record(ann, url_token).submit("", notify_emails_to="ben@example.org, c@example.org", notify_emails_to_locale="de")

    assert ann.page.status == 200
    assert "link e-mailed 0/2: <bdi>ben@example.org, c@example.org</bdi>" in ann.page.text
    [entry] = [entry for entry in ann_api.audit(url_token).json["logs"] if "notify_by_email" in entry]
    assert entry["notify_by_email"]["locale"] == "de"


@pytest.mark.parametrize("recipients", ["", "ben", "<script>@example.org", ",".join(f"{n}@x.org" for n in range(6))])
def test_an_invalid_list_of_addresses_is_shown_with_its_error(ann: Browser, ann_api: Api, recipients: str) -> None:
    url_token = ann_api.push()

    record(ann, url_token).submit("", notify_emails_to=recipients, notify_emails_to_locale="fr")

    assert ann.page.status == 422
    assert f'value="{html.escape(recipients)}"' in ann.page.text
    assert 'value="fr" lang="fr" selected' in ann.page.text
    assert 'aria-invalid="true"' in ann.page.text
    assert ann_api.kinds(url_token) == ["creation"]


def test_too_many_at_once_get_a_429_with_a_wait(ann: Browser, ann_api: Api) -> None:
    url_tokens = [ann_api.push() for _ in range(6)]

    for url_token in url_tokens:
        record(ann, url_token).submit("", notify_emails_to="ben@example.org")

    assert ann.page.status == 429
    assert "Please try again later" in ann.page.text
    assert ann_api.kinds(url_tokens[-1]) == ["creation"]


def test_a_forged_form_mails_nothing(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()

    record(ann, url_token).submit("", notify_emails_to="ben@example.org", form_token="forged")

    assert ann.page.status == 403
    assert ann_api.kinds(url_token) == ["creation"]


def test_the_form_needs_a_live_push_and_mail(ann: Browser, ann_api: Api, configure: Configure) -> None:
    over, alive = ann_api.push(), ann_api.push()
    ann_api.expire(over)

    of_over, of_alive = (record(ann, url_token).page.text for url_token in (over, alive))
    configure(MAIL_FROM="")
    without_mail = record(ann, alive).page.text

    shown = ["E-mail the link" in text for text in (of_over, of_alive, without_mail)]
    assert shown == [False, True, False]
