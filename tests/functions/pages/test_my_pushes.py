import re

import pytest

from shared import auth
from tests.browser import Browser
from tests.client import Api
from tests.conftest import Issue


@pytest.fixture
def ann_api(ann: Browser, issue: Issue) -> Api:
    """The API as the same owner has it."""
    return Api(token=issue(ann.owner))


def test_the_lists_show_what_is_active_and_what_is_expired(ann: Browser, ann_api: Api) -> None:
    ann_api.push(name="Lively", kind="text")
    ann_api.expire(ann_api.push(name="Over"))

    active, expired = ann.visit("/pushes").page.text, ann.visit("/pushes?state=expired").page.text

    assert ("Lively" in active, "Over" in active) == (True, False)
    assert ("Lively" in expired, "Over" in expired) == (False, True)


def test_a_list_has_pages(ann: Browser, ann_api: Api) -> None:
    for _ in range(51):
        ann_api.push()

    first, second = ann.visit("/pushes").page.text, ann.visit("/pushes?page=2").page.text

    assert 'href="?page=2" rel="next"' in first
    assert 'href="?page=1" rel="prev"' in second
    assert second.count("<tr>") == 2


def test_a_record_shows_settings_and_audit_log(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push(name="For Bob", note="<b>note", passphrase="p")
    ann_api.retrieve(url_token, "wrong")
    Api(headers={"user-agent": "<script>"}).retrieve(url_token, "p")

    page = record(ann).page.text

    assert f"/p/{url_token}/r" in page
    assert "<bdi>&lt;b&gt;note</bdi>" in page
    words = ["made", "missing or wrong passphrase", "viewed"]
    assert re.findall(r'<td data-label="What">([^<]*)</td>', page) == words
    assert "<script>" not in page.replace('<script src="/assets/site.js" defer></script>', "")


def test_an_owner_expires_a_push_there(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push(deletable_by_viewer=False)

    record(ann).submit("", expire="yes")

    assert ann_api.retrieve(url_token).json["expired"] is True
    assert "Expire it now" not in ann.page.text


def test_a_form_without_the_sessions_token_expires_nothing(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()

    page = record(ann).submit("", expire="yes", form_token="forged").page

    assert page.status == 403
    assert ann_api.retrieve(url_token).json["expired"] is False


def test_a_stale_form_shows_the_record_again_and_then_works(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()
    record(ann)

    page = ann.submit("", form_token="of another session", expire="yes").page
    ann.submit("", expire="yes")

    assert (page.status, "signed in or out since" in page.text, "<details open>" in page.text) == (403, True, True)
    assert ann_api.retrieve(url_token).json["expired"] is True


def test_a_session_that_ended_meanwhile_leads_from_the_record_to_sign_in(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()
    record(ann)
    auth.close_session(ann.session)

    at = ann.submit("", expire="yes").at

    assert at == "/users/sign_in"
    assert ann_api.retrieve(url_token).json["expired"] is False


def test_another_owners_push_is_not_found(ann: Browser, bob: Api) -> None:
    from shared.domain import seal

    push_id = seal.digest(bob.push())

    assert ann.visit(f"/pushes/{push_id}").page.status == 404


def test_no_url_of_a_page_holds_a_url_token(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()

    links = re.findall(r'(?:href|action)="([^"]*)"', ann.visit("/pushes").page.text)

    assert not [link for link in links if url_token in link]


def record(browser: Browser) -> Browser:
    """Follow the first link of the list."""
    [path] = re.findall(r'href="(/pushes/\w{64})"', browser.visit("/pushes").page.text)
    return browser.visit(path)
