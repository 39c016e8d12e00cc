"""A secret that was revealed: by GET again with the cookie of the POST, and only so."""

import re

import pytest

from tests.conftest import Configure
from tests.drivers.browser import FORM, Browser, forms
from tests.drivers.client import Api
from tests.meters import wire_tap

FILE = {"filename": "a.txt", "data": "aGVsbG8="}
NAME = "__Secure-repeat"
VIEWED_ONCE = ["creation", "view"]


def shows(browser: Browser) -> bool:
    return '<pre id="payload"' in browser.page.text


def revealed(api: Api, **fields: object) -> tuple[str, Browser]:
    """Return the url_token of a new push and a browser that shows it."""
    url_token = api.push("s3cret", **fields)
    browser = Browser(Api(now=api.now)).visit(f"/p/{url_token}/r")
    return url_token, browser.submit(passphrase=str(fields.get("passphrase", "")))


def post(browser: Browser, url_token: str, *, cookies: list[str], **fields: str) -> tuple[int, list[str]]:
    """Send the form of the page with the button, without following; return the status and the cookies to set."""
    body = "&".join(f"{name}={value}" for name, value in [*forms(browser.page.text)[0].fields, *fields.items()])
    headers = {"content-type": FORM, "sec-fetch-site": "same-origin"}
    answer, to_set = browser.api.exchange(
        "POST", f"/p/{url_token}/r", headers=headers, body=body.encode(), cookies=cookies
    )
    return answer.status, to_set


@pytest.mark.parametrize("passphrase", ["", "right"])
@pytest.mark.parametrize("views", [1, 2])
def test_back_and_reload_show_the_secret_again_uncounted(bob: Api, views: int, passphrase: str) -> None:
    url_token, browser = revealed(bob, expire_after_views=views, passphrase=passphrase)

    pages = [browser.page.text, browser.visit(browser.at).page.text, browser.visit(f"/p/{url_token}/r").page.text]

    assert browser.at == f"/p/{url_token}"
    assert pages[0] == pages[1] == pages[2]
    assert shows(browser)
    assert bob.kinds(url_token) == VIEWED_ONCE


@pytest.mark.parametrize(("views", "said"), [(1, "nothing here any more"), (2, "Show the secret")])
def test_after_the_lease_the_cookie_shows_nothing_and_records_nothing(bob: Api, views: int, said: str) -> None:
    url_token, browser = revealed(bob, expire_after_views=views)
    browser.api.tick(seconds=60)

    pages = [browser.visit(path).page.text for path in (f"/p/{url_token}", f"/p/{url_token}/r")]

    assert all(said in page and "s3cret" not in page for page in pages)
    assert bob.kinds(url_token) == VIEWED_ONCE


def test_a_get_of_r_never_reveals_but_leads_to_the_link(bob: Api) -> None:
    url_token, browser = revealed(bob)

    answer = browser.api.request("GET", f"/p/{url_token}/r", headers=cookie(browser, url_token))

    assert (answer.status, answer.headers["location"], answer.text) == (303, f"/p/{url_token}", "")


def cookie(browser: Browser, url_token: str) -> dict[str, str]:
    return {"cookie": f"{NAME}={browser.scoped[f'/p/{url_token}', NAME]}"}


def test_a_prefetch_with_the_cookie_reveals_nothing(bob: Api) -> None:
    url_token, browser = revealed(bob)

    page = bob.request("GET", f"/p/{url_token}", headers=cookie(browser, url_token) | {"sec-purpose": "prefetch"})

    assert "s3cret" not in page.text


def test_a_get_with_the_cookie_of_a_lapsed_lease_claims_no_view_of_a_link_that_reveals_at_once(bob: Api) -> None:
    url_token, browser = revealed(bob, retrieval_step=False)
    browser.api.tick(seconds=61)

    page = browser.visit(f"/p/{url_token}").page.text

    assert "Show the secret" in page
    assert bob.kinds(url_token) == VIEWED_ONCE


def test_a_get_with_the_cookie_claims_no_view_where_leases_were_switched_off_since(
    bob: Api, configure: Configure
) -> None:
    url_token, browser = revealed(bob, retrieval_step=False)
    configure(LEASE_SECONDS="0")

    page = browser.visit(f"/p/{url_token}").page.text

    assert "Show the secret" in page
    assert bob.kinds(url_token) == VIEWED_ONCE


def test_a_browser_without_cookies_gets_the_secret_from_the_post(bob: Api) -> None:
    url_token = bob.push("s3cret")
    browser = Browser().visit(f"/p/{url_token}/r")

    assert post(browser, url_token, cookies=[]) == (200, [])


@pytest.mark.parametrize("seconds", [0, 9])
def test_with_a_short_lease_the_post_shows_the_secret_itself(bob: Api, configure: Configure, seconds: int) -> None:
    configure(LEASE_SECONDS=str(seconds))
    url_token = bob.push("s3cret")
    browser = Browser().visit(f"/p/{url_token}/r")

    assert post(browser, url_token, cookies=["__Host-kept=1"]) == (200, [])


def test_the_cookie_is_for_this_push_and_this_lease_alone(bob: Api) -> None:
    url_token = bob.push("s3cret", passphrase="right")
    browser = Browser().visit(f"/p/{url_token}/r")

    status, [cookie] = post(browser, url_token, cookies=["__Host-kept=1"], passphrase="right")

    [(name, value)] = re.findall(r"^([^=]+)=([A-Za-z0-9_-]+); ", cookie)
    attributes = cookie.split("; ")[1:]
    assert (status, name) == (303, NAME)
    assert attributes == ["Max-Age=60", f"Path=/p/{url_token}", "HttpOnly", "Secure", "SameSite=Strict"]
    assert "right" not in value


def test_a_cookie_does_not_outlive_the_lease_that_was_repeated(bob: Api) -> None:
    url_token = bob.push("s3cret")
    browser = Browser().visit(f"/p/{url_token}/r")
    post(browser, url_token, cookies=["__Host-kept=1"])
    browser.api.tick(seconds=25)

    _, [cookie] = post(browser, url_token, cookies=["__Host-kept=1"])

    assert "Max-Age=35;" in cookie


def test_pushes_in_two_tabs_do_not_disturb_each_other(bob: Api) -> None:
    first, browser = revealed(bob)
    second = bob.push("an0ther")

    browser.visit(f"/p/{second}/r").submit()
    texts = [browser.visit(f"/p/{url_token}").page.text for url_token in (first, second)]

    assert ["s3cret" in texts[0], "an0ther" in texts[1]] == [True, True]
    assert {path for path, _ in browser.scoped} == {f"/p/{first}", f"/p/{second}"}
    assert set(browser.cookies) == {"__Host-kept"}


def test_a_cookie_of_another_push_or_a_changed_one_opens_nothing(bob: Api) -> None:
    first, browser = revealed(bob)
    second, other = revealed(bob)
    value = browser.scoped[f"/p/{first}", NAME]
    forged = [other.scoped[f"/p/{second}", NAME], value.swapcase(), value[:20], "%", "é", "=", "A" * 4_000]

    pages = [bob.request("GET", f"/p/{first}", headers={"cookie": f"{NAME}={one}"}) for one in forged]

    assert [(page.status, "s3cret" in page.text) for page in pages] == [(200, False)] * len(forged)
    assert bob.kinds(first) == VIEWED_ONCE


def test_a_cookie_that_another_host_of_the_domain_set_does_not_hide_ours(bob: Api) -> None:
    url_token, browser = revealed(bob, expire_after_views=1)
    ours, theirs = cookie(browser, url_token)["cookie"], f"{NAME}=evil"

    pages = [
        bob.request("GET", f"/p/{url_token}", headers={"cookie": "; ".join(sent)})
        for sent in ([theirs, ours], [ours, theirs, theirs])
    ]

    assert all("s3cret" in page.text for page in pages)
    assert bob.kinds(url_token) == VIEWED_ONCE


def test_the_cookie_of_a_protected_push_repeats_ten_times_as_its_form_does(bob: Api) -> None:
    url_token, browser = revealed(bob, passphrase="right", expire_after_views=1)

    statuses = [browser.visit(f"/p/{url_token}").page.status for _ in range(10)]

    assert statuses == [200] * 9 + [429]  # the redirect was the first
    assert bob.kinds(url_token) == VIEWED_ONCE


def test_a_deleted_push_is_not_shown_again(bob: Api) -> None:
    url_token, browser = revealed(bob)
    bob.expire(url_token)

    assert not shows(browser.visit(f"/p/{url_token}"))


def test_a_shown_secret_changes_its_language_within_the_lease(bob: Api) -> None:
    url_token, browser = revealed(bob, expire_after_views=1)

    browser.visit("?language=de")

    assert 'lang="de"' in browser.page.text
    assert shows(browser)
    assert 'href="?language=fr"' in browser.page.text
    assert bob.kinds(url_token) == VIEWED_ONCE


def test_the_language_in_the_link_survives_the_redirect(bob: Api) -> None:
    url_token = bob.push("s3cret")
    browser = Browser().visit(f"/p/{url_token}/r?locale=ja")

    answer, _ = browser.api.exchange("GET", f"/p/{url_token}/r", query="locale=ja", headers={})
    browser.submit()

    assert 'lang="ja"' in answer.text
    assert 'lang="ja"' in browser.page.text


def test_files_are_offered_again_for_the_rest_of_their_time(bob: Api) -> None:
    url_token = bob.push("", files=[FILE], expire_after_views=1)
    browser = Browser(Api(now=bob.now)).visit(f"/p/{url_token}/r").submit()
    browser.api.tick(seconds=100)

    again = browser.visit(f"/p/{url_token}").page.text

    assert 'data-seconds="200"' in again
    assert "X-Amz-Expires=200" in again
    assert f'href="/p/{url_token}"' in again  # gets new links, without a form
    assert bob.kinds(url_token) == VIEWED_ONCE


@pytest.mark.parametrize("passphrase", ["\x01" * 1_000, "😀" * 512, "\n\n"])
def test_the_longest_passphrases_fit_into_the_cookie(bob: Api, passphrase: str) -> None:
    url_token = bob.push("s3cret", passphrase=passphrase)

    browser = Browser(Api(now=bob.now)).visit(f"/p/{url_token}/r").submit(passphrase=passphrase)

    assert shows(browser)
    assert len(NAME) + len(browser.scoped[f"/p/{url_token}", NAME]) < 4_096


def test_a_passphrase_that_is_not_asked_for_is_not_in_the_cookie(bob: Api) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)
    browser = Browser(Api(now=bob.now)).visit(f"/p/{url_token}/r").submit(passphrase="x" * 10_000)

    assert shows(browser)
    assert len(browser.scoped[f"/p/{url_token}", NAME]) < 200


def test_a_link_with_a_dot_behind_it_leads_to_the_link_itself(bob: Api) -> None:
    url_token = bob.push("s3cret")

    browser = Browser().visit(f"/p/{url_token}.").submit()

    assert (browser.at, shows(browser)) == (f"/p/{url_token}", True)


def test_a_get_with_the_cookie_asks_no_more_than_two_reads(bob: Api) -> None:
    url_token, browser = revealed(bob)

    with wire_tap.calls() as calls:
        browser.visit(f"/p/{url_token}")

    assert [operation for operation, _ in calls] == ["BatchGetItem", "BatchGetItem"]
