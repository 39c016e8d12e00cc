"""The recipient's form sent again, and the page of the link itself."""

import html
import re

import pytest

from shared.domain import idempotency
from tests.drivers.browser import Browser, forms
from tests.drivers.client import Api


def key_of(browser: Browser) -> str:
    return dict(forms(browser.page.text)[0].fields)["idempotency_key"]


def twin(browser: Browser) -> Browser:
    """Return the same form again, as sent by a double press or a reload."""
    return Browser(browser.api, cookies=dict(browser.cookies), at=browser.at, page=browser.page)


def test_every_form_has_its_own_key_also_after_a_wrong_passphrase(api: Api) -> None:
    browser = Browser().visit(f"/p/{api.push(passphrase='right')}/r")

    keys = [key_of(browser), key_of(browser.visit(browser.at)), key_of(browser.submit(passphrase="wrong"))]

    assert all(idempotency.is_key(key) for key in keys)
    assert len(set(keys)) == 3


@pytest.mark.parametrize("passphrase", ["", "right"])
@pytest.mark.parametrize("views", [1, 2])
def test_the_same_form_within_a_minute_shows_the_same_and_counts_once(bob: Api, passphrase: str, views: int) -> None:
    url_token = bob.push("s3cret", passphrase=passphrase, expire_after_views=views)
    browser = Browser().visit(f"/p/{url_token}/r")
    again = twin(browser)

    first = browser.submit(passphrase=passphrase).page
    again.api.tick(seconds=50)
    second = again.submit(passphrase=passphrase).page

    assert "s3cret" in first.text
    assert second.text == first.text
    assert bob.kinds(url_token) == ["creation", "view"]


def test_the_same_form_after_a_minute_asks_before_another_view(bob: Api) -> None:
    url_token = bob.push("s3cret", expire_after_views=2)
    browser = Browser().visit(f"/p/{url_token}/r")
    again = twin(browser)
    browser.submit()
    again.api.tick(seconds=61)

    asked = again.submit().page
    entries = bob.kinds(url_token)
    shown = again.submit().page

    assert asked.status == 409
    assert "You have opened this already. Opening it again uses one more view." in html.unescape(asked.text)
    assert "s3cret" not in asked.text
    assert entries == ["creation", "view"]
    assert "s3cret" in shown.text
    assert bob.kinds(url_token) == ["creation", "view", "view"]


@pytest.mark.parametrize("views", [1, 2])
def test_after_a_wrong_passphrase_the_form_keeps_its_view(bob: Api, views: int) -> None:
    url_token = bob.push("s3cret", passphrase="right", expire_after_views=views)
    browser = Browser().visit(f"/p/{url_token}/r")
    again = twin(browser)
    first = browser.submit(passphrase="right").page

    refused = again.submit(passphrase="wrong").page
    second = again.submit(passphrase="right").page

    assert (refused.status, second.text) == (401, first.text)
    assert "Wrong passphrase." in refused.text
    assert "This link can be opened" not in refused.text  # it does not count
    assert "<h1>Somebody" in refused.text  # no `data-once`: a reload would lose the key, and with it the view
    assert bob.kinds(url_token) == ["creation", "view", "failed_passphrase"]


def test_a_form_that_was_sent_again_too_often_says_so(bob: Api) -> None:
    url_token = bob.push("s3cret", passphrase="right", expire_after_views=1)
    browser = Browser(keeps_cookies=False).visit(f"/p/{url_token}/r")
    again = twin(browser)
    browser.submit(passphrase="right")

    pages = [twin(again).submit(passphrase="right").page for _ in range(11)]

    assert [page.status for page in pages] == [200] * 10 + [429]
    assert "This was opened again too often" in pages[-1].text
    assert "You can try again" not in pages[-1].text


@pytest.mark.parametrize("key", ["", "short", "x" * 256, "sixteen or more\u00e9"])
def test_a_form_without_a_valid_key_reveals_and_counts_each_time(bob: Api, key: str) -> None:
    url_token = bob.push("s3cret", expire_after_views=2)
    browser = Browser().visit(f"/p/{url_token}/r")
    again = twin(browser)

    pages = [one.submit(idempotency_key=key).page for one in (browser, again)]

    assert all("s3cret" in page.text for page in pages)
    assert bob.kinds(url_token) == ["creation", "view", "view"]


def test_previews_of_ended_and_unknown_pushes_are_the_same(bob: Api) -> None:
    viewed, deleted, expired = (bob.push(expire_after_views=1, expire_after_days=1) for _ in range(3))
    bob.retrieve(viewed)
    bob.expire(deleted)
    later = Browser(Api(now=bob.now.replace(day=2)))

    pages = [later.visit(f"/p/{url_token}/preview").page for url_token in (viewed, deleted, expired, "nosuchtoken")]

    assert {page.text for page in pages} == {later.visit("/p/nosuchtoken").page.text}
    assert not re.search('/p/|class="qr"', pages[0].text)
