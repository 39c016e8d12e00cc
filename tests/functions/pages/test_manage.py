"""The anonymous sender's own page: the link, its state and the button that deletes it (contract, section 14)."""

import html
import re

import pytest

from shared.web import pages
from tests.conftest import Configure
from tests.drivers.browser import Browser, forms
from tests.drivers.client import Api
from tests.engines import resources
from tests.functions.pages.test_paste import link_of, made, message_of
from tests.functions.test_read_status import BY_MANAGE_KEY, create

pytestmark = BY_MANAGE_KEY


def address(api: Api, **fields: object) -> str:
    """Create an anonymous push; return the path of its sender's page."""
    return "/m/{}/{}".format(*create(api, **fields))


def state(browser: Browser) -> str:
    """Return the page's list of facts as plain text."""
    [facts] = re.findall(r'<ul class="meta">(.*?)</ul>', browser.page.text, re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", "", facts)))


def press_delete(browser: Browser) -> Browser:
    return browser.submit(
        next(form.action for form in forms(browser.page.text) if form.action.endswith("/expire")), sure="yes"
    )


def test_the_anonymous_form_leads_to_the_sender_s_page(api: Api) -> None:
    answer = made(api, payload="x")

    assert re.fullmatch(r"/m/\w{26}/[a-z2-7]{26}", answer.at)
    assert "Your link is ready" in answer.page.text
    assert link_of(answer.page) in message_of(answer.page)
    assert "<svg" in answer.page.text


def test_a_form_sent_twice_leads_to_the_same_page(api: Api) -> None:
    browser = Browser(api).visit("/")
    form = browser.page

    first = browser.submit("", **{"push[payload]": "x"}).at
    browser.at, browser.page = "/", form
    assert browser.submit("", **{"push[payload]": "x"}).at == first


def test_an_owner_s_form_leads_to_no_such_page(ann: Browser) -> None:
    assert ann.visit("/").submit("", **{"push[payload]": "x"}).at.endswith("/preview")


def test_the_page_tells_what_happened_to_the_link(api: Api) -> None:
    page = Browser(api).visit(address(api, expire_after_views=3))
    url_token = page.at.split("/")[2]

    assert "Nobody has opened it. It can be opened 3 times, until 8 Jan 2026, 01:00 UTC." in state(page)
    api.tick(minutes=1)
    api.retrieve(url_token)
    assert "It was opened once, on 1 Jan 2026, 01:01 UTC. It can be opened 2 times, until" in state(page.visit(page.at))
    api.tick(minutes=1)
    api.retrieve(url_token)
    opened = "It was opened 2 times, first on 1 Jan 2026, 01:01 UTC and last on 1 Jan 2026, 01:02 UTC."
    assert opened in state(page.visit(page.at))
    api.retrieve(url_token)
    assert "That was as often as it could be opened." in state(page.visit(page.at))


def test_the_page_says_how_the_link_ended(api: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="1")
    deleted, guessed, aged = address(api), address(api, passphrase="p"), address(api, expire_after_days=1)
    api.tick(hours=24, seconds=-1)
    api.expire(deleted.split("/")[2])
    api.retrieve(guessed.split("/")[2], "wrong")
    api.tick(seconds=1)

    ended = {path: Browser(api).visit(path) for path in (deleted, guessed, aged)}

    assert "It was deleted on 2 Jan 2026, 00:59 UTC." in state(ended[deleted])
    assert "It was closed on 2 Jan 2026, 00:59 UTC after too many wrong passphrases." in state(ended[guessed])
    assert "Its time limit was reached on 2 Jan 2026, 01:00 UTC." in state(ended[aged])
    for browser in ended.values():
        assert "Your link has expired" in browser.page.text
        assert 'id="link"' not in browser.page.text
        assert "/expire" not in browser.page.text


def test_the_sender_deletes_the_push_without_javascript(api: Api) -> None:
    browser = Browser(api).visit(address(api, deletable_by_viewer=False))
    path = browser.at

    browser = press_delete(browser)

    assert (browser.at, browser.page.status) == (path, 200)
    assert "It was deleted on" in state(browser)
    assert resources.items("Secrets") == []
    assert [item["kind"]["S"] for item in resources.items("AuditEntries")] == ["creation", "expire"]
    assert press_again(browser, path).page.status == 200


def press_again(browser: Browser, path: str) -> Browser:
    """Send the form of a page that was open before the push ended."""
    key = path.rpartition("/")[2]
    body = f"sure=yes&manage_key={key}".encode()
    return browser._request("POST", f"/p/{path.split('/')[2]}/expire", body)


@pytest.mark.parametrize(
    ("fields", "headers", "status"),
    [
        ("sure=yes&manage_key={}", {"sec-fetch-site": "cross-site"}, 403),
        ("manage_key={}", {}, 403),
        ("sure=yes&manage_key=", {}, 200),
        ("sure=yes&manage_key=wrong", {}, 200),
    ],
    ids=["another site", "not confirmed", "empty key", "wrong key"],
)
def test_no_other_form_deletes_it(api: Api, fields: str, headers: dict[str, str], status: int) -> None:
    """Not even where viewers may. A wrong key gets the page of unknown links."""
    url_token, key = create(api, deletable_by_viewer=True)

    browser = Browser(api)._request("POST", f"/p/{url_token}/expire", fields.format(key).encode(), headers)

    assert browser.page.status == status
    assert api.retrieve(url_token).json["payload"] == "s3cret"


def test_a_get_ends_nothing_and_leaves_no_trace(api: Api) -> None:
    path = address(api, expire_after_views=1, retrieval_step=False)
    before = {table: resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")}

    assert Browser(api).visit(path).page.status == 200
    head = api.request("HEAD", path)
    assert (head.status, head.text) == (200, "")

    assert {table: resources.items(table) for table in before} == before


@pytest.mark.parametrize("path", ["/m/{0}", "/m/{0}/{2}", "/m/{2}/{1}", "/m/{0}/{1}.json", "/m/{0}/{1}x"])
def test_without_the_whole_address_there_is_no_page(api: Api, bob: Api, path: str) -> None:
    address = path.format(*create(api), "a" * 26)

    for method in ("GET", "HEAD"):
        assert api.request(method, address).status == 404
    assert Browser(api).visit(address).page.status == 404
    assert Browser(api).visit(f"/m/{bob.push()}/{'a' * 26}").page.status == 404


@pytest.mark.parametrize("tail", [".", ")", "%20", "/"])
def test_punctuation_after_a_pasted_address_is_ignored(api: Api, tail: str) -> None:
    assert "Nobody has opened it." in Browser(api).visit(address(api) + tail).page.text


def test_a_localized_address_redirects_to_the_page_in_that_language(api: Api) -> None:
    path = address(api)

    answer = api.request("GET", f"/pt-BR{path}")
    assert (answer.status, answer.headers["location"]) == (301, f"{path}?locale=pt-BR")
    assert api.request("HEAD", f"/xx{path}").headers["location"] == path
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_the_page_works_without_anonymous_access(api: Api, configure: Configure) -> None:
    path = address(api, deletable_by_viewer=False)
    configure(ANONYMOUS_ACCESS="false")

    assert "It was deleted on" in state(press_delete(Browser(api).visit(path)))


def test_the_page_works_as_long_as_the_record_is_kept(api: Api) -> None:
    path = address(api, expire_after_days=1)

    api.tick(days=2, seconds=-1)
    assert Browser(api).visit(path).page.status == 200
    api.tick(seconds=1)
    assert Browser(api).visit(path).page.status == 404


def test_no_cache_and_no_referrer_keeps_the_address(api: Api) -> None:
    sent = api.request(
        "POST", "/", headers={"content-type": "application/x-www-form-urlencoded"}, body=b"push[payload]=x"
    )
    page = api.get(sent.headers["location"])

    assert sent.status == 303
    for answer in (sent, page, api.get(f"{sent.headers['location']}x")):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"
    assert page.headers["content-security-policy"] == pages._policy(uploads="", downloads="")


def test_the_recipient_s_pages_and_the_message_never_have_the_manage_key(api: Api) -> None:
    browser = made(api, payload="x", retrieval_step="false")
    url_token, key = browser.at.split("/")[2:]

    assert key not in message_of(browser.page) + link_of(browser.page)
    for path in (f"/p/{url_token}/preview", f"/p/{url_token}/r", f"/p/{url_token}"):
        seen = Browser(api).visit(path).page
        assert seen.status == 200
        assert key not in seen.text + repr(seen.headers)
        assert "/m/" not in seen.text
    for answer in (api.preview(url_token), api.retrieve(url_token), api.expire(url_token)):
        assert key not in answer.text
