import html
import json
import re
from random import Random

import pytest

from tests.drivers import client
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import Api
from tests.engines import resources
from tests.meters import wire_tap

PREVIEWERS = ["Slackbot-LinkExpanding 1.0", "facebookexternalhit/1.1", "WhatsApp/2.0", "Microsoft Office Outlook"]


def payload_of(page: str) -> str:
    """Return a browser's text of the payload's element: it normalises line breaks and drops the first."""
    read = page.replace("\r\n", "\n").replace("\r", "\n")
    [inner] = re.findall(r'<pre id="payload"[^>]*>(.*?)</pre>', read, re.DOTALL)
    return html.unescape(inner).removeprefix("\n")


@pytest.mark.parametrize("agent", PREVIEWERS)
@pytest.mark.parametrize("path", ["/p/{}", "/p/{}/r"])
def test_a_get_of_a_push_with_a_retrieval_step_counts_nothing(bob: Api, agent: str, path: str) -> None:
    url_token = bob.push(expire_after_views=1)

    for method in ("GET", "HEAD", "OPTIONS"):
        bob.request(method, path.format(url_token), headers={"user-agent": agent})

    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.parametrize("path", ["/p/{}", "/p/{}/r"])
def test_the_button_reveals_and_counts(bob: Api, path: str) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)

    page = Browser().visit(path.format(url_token)).submit().page

    assert payload_of(page.text) == "s3cret"
    assert "This was the last view" in page.text
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.parametrize("retrieval_step", [True, False])
def test_a_get_of_the_link_with_a_step_never_reveals(bob: Api, retrieval_step: bool) -> None:
    url_token = bob.push("s3cret", retrieval_step=retrieval_step)

    page = Browser().visit(f"/p/{url_token}/r").page

    assert (page.status, "s3cret" in page.text, "Show the secret" in page.text) == (200, False, True)
    assert bob.kinds(url_token) == ["creation"]


PREFETCHES = [
    {"sec-purpose": "prefetch"},
    {"Sec-Purpose": "prefetch;prerender"},
    {"sec-purpose": "prefetch;anonymous-client-ip", "purpose": "prefetch"},
    {"purpose": "Prefetch"},
    {"x-purpose": "preview"},
    {"x-moz": "prefetch"},
]


@pytest.mark.parametrize("headers", PREFETCHES, ids=repr)
def test_a_prefetch_gets_the_page_with_a_working_button(bob: Api, headers: dict[str, str]) -> None:
    url_token = bob.push("s3cret", retrieval_step=False, expire_after_views=1)

    prefetched = bob.request("GET", f"/p/{url_token}", headers=headers)
    entries = bob.kinds(url_token)
    browser = Browser(at=f"/p/{url_token}", page=prefetched).submit()

    assert (prefetched.status, "s3cret" in prefetched.text) == (200, False)
    assert entries == ["creation"]
    assert payload_of(browser.page.text) == "s3cret"


@pytest.mark.parametrize("headers", PREFETCHES, ids=repr)
@pytest.mark.parametrize("path", ["/p/{}.json", "/p/{}/r.json", "/api/v2/pushes/{}"])
def test_a_prefetch_of_json_is_refused_in_a_way_that_no_browser_keeps(
    bob: Api, path: str, headers: dict[str, str]
) -> None:
    url_token = bob.push(retrieval_step=False, expire_after_views=1)

    answer = bob.request("GET", path.format(url_token), headers=headers)

    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    assert bob.kinds(url_token) == ["creation"]


def test_a_prefetch_of_an_ended_push_is_no_failed_view(bob: Api) -> None:
    url_token = bob.push(retrieval_step=False)
    bob.expire(url_token)

    page = bob.request("GET", f"/p/{url_token}", headers={"sec-purpose": "prefetch"})

    assert "nothing here any more" in page.text
    assert bob.kinds(url_token) == ["creation", "expire"]


@pytest.mark.parametrize("headers", [{"purpose": "navigate"}, {"x-purpose": ""}, {"sec-fetch-purpose": "prefetch"}])
def test_a_request_without_prefetch_shows_the_secret(bob: Api, headers: dict[str, str]) -> None:
    url_token = bob.push("s3cret", retrieval_step=False)

    assert payload_of(bob.request("GET", f"/p/{url_token}", headers=headers).text) == "s3cret"


def test_the_button_reads_the_push_once(api: Api) -> None:
    browser = Browser(keeps_cookies=False).visit(f"/p/{api.push()}")
    browser.submit()  # so that the instance key is loaded

    browser.visit(browser.at)
    with wire_tap.calls() as calls:
        browser.submit()

    assert [operation for operation, _ in calls] == ["BatchGetItem", "TransactWriteItems"]


def test_without_a_retrieval_step_the_link_itself_reveals(bob: Api) -> None:
    url_token = bob.push("s3cret", retrieval_step=False)

    assert payload_of(Browser().visit(f"/p/{url_token}").page.text) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "view"]


@pytest.mark.parametrize("payload", ["\n\nx", " a\r\nb\rc\td ", "<b>&amp;</b>", "\u202eabc\u200b", "😀" * 10, "'\"`"])
def test_a_text_is_shown_character_for_character(api: Api, payload: str) -> None:
    url_token = api.push(payload, retrieval_step=False)

    page = Browser().visit(f"/p/{url_token}").page.text

    assert payload_of(page) == payload
    assert "<b>" not in page


def test_a_passphrase_goes_by_form_and_a_wrong_one_counts_nothing(bob: Api) -> None:
    url_token = bob.push("s3cret", passphrase="right", expire_after_views=1, retrieval_step=False)
    browser = Browser().visit(f"/p/{url_token}")

    wrong = browser.submit(passphrase="wrong").page
    right = browser.submit(passphrase="right").page

    assert (wrong.status, right.status) == (401, 200)
    assert 'role="alert"' in wrong.text
    assert f'data-safe="/p/{url_token}" data-once' in wrong.text  # no reload tries it again
    assert payload_of(right.text) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "failed_passphrase", "view"]


def test_the_limit_holds_for_the_page_as_for_the_api(api: Api) -> None:
    url_token = api.push(passphrase="right")
    browser = Browser().visit(f"/p/{url_token}/r")
    for guess in range(3):
        browser.submit(passphrase=f"wrong{guess}")
    for guess in range(2):
        api.retrieve(url_token, f"wrong{guess}")

    assert browser.submit(passphrase="right").page.status == 429
    assert api.retrieve(url_token, "right").status == 429


def test_ended_and_unknown_pushes_look_the_same(bob: Api) -> None:
    viewed, deleted, expired = (bob.push(expire_after_views=1, expire_after_days=1) for _ in range(3))
    bob.retrieve(viewed)
    bob.expire(deleted)
    later = Api(now=bob.now.replace(day=2))
    places = {viewed: Api(), deleted: Api(), expired: later, "nosuchtoken": Api()}

    pages = [
        Browser(api).visit(f"/p/{url_token}{step}").page for url_token, api in places.items() for step in ("", "/r")
    ]

    assert {page.status for page in pages} == {200}
    assert len({page.text for page in pages}) == 1


def test_a_url_is_shown_with_a_link_that_tells_nothing(api: Api) -> None:
    url_token = api.push("https://example.com/?a=1&b=2", kind="url", retrieval_step=False)

    page = Browser().visit(f"/p/{url_token}").page.text

    assert 'href="https://example.com/?a=1&amp;b=2" target="_blank" rel="noreferrer noopener nofollow"' in page


def test_a_qr_code_is_shown_with_its_text(api: Api) -> None:
    url_token = api.push("WIFI:T:WPA;S:net;P:pass;;", kind="qr", retrieval_step=False)

    page = Browser().visit(f"/p/{url_token}").page.text

    assert 'class="qr"' in page
    assert payload_of(page) == "WIFI:T:WPA;S:net;P:pass;;"
    assert 'href="data:image/svg+xml' in page


def test_files_are_listed_with_their_links(bob: Api) -> None:
    files = [{"filename": '<i>"ü".txt', "data": "aGVsbG8="}]
    url_token = bob.push("", files=files, retrieval_step=False)

    page = Browser().visit(f"/p/{url_token}").page.text

    assert "<bdi>&lt;i&gt;&#34;ü&#34;.txt</bdi>" in page
    assert "5 bytes" in page
    assert "X-Amz-Expires=300" in page


def test_the_page_says_that_files_are_being_uploaded(bob: Api) -> None:
    url_token = bob.push("", files=[{"filename": "a", "size": 3}], retrieval_step=False)

    page = Browser().visit(f"/p/{url_token}").page

    assert page.status == 409
    assert "still being uploaded" in page.text
    assert bob.kinds(url_token) == ["creation"]


def test_the_recipient_deletes_where_the_sender_allowed_it(bob: Api) -> None:
    url_token = bob.push(retrieval_step=False, deletable_by_viewer=True)

    browser = Browser().visit(f"/p/{url_token}").submit(f"/p/{url_token}/expire", sure="yes")

    assert "deleted for good" in browser.page.text
    assert bob.kinds(url_token) == ["creation", "view", "expire"]


def test_a_push_that_is_not_deletable_has_no_button_and_refuses(bob: Api) -> None:
    url_token = bob.push(retrieval_step=False, deletable_by_viewer=False)
    shown = Browser().visit(f"/p/{url_token}")

    forged = bob.request(
        "POST",
        f"/p/{url_token}/expire",
        headers={"content-type": "application/x-www-form-urlencoded"},
        body=b"sure=yes",
    )

    assert "/expire" not in shown.page.text
    assert forged.status in (303, 403)
    assert "expire" not in bob.kinds(url_token)


def test_a_forged_expire_fails_even_in_the_sender_s_browser(ann: Browser) -> None:
    fields = {"push[payload]": "s3cret", "push[deletable_by_viewer]": "false", "push[expire_after_views]": "2"}
    link = ann.visit("/").submit("", **fields).at.removesuffix("/preview")

    forged = Browser(ann.api, dict(ann.cookies), page=ann.visit(link).submit().page)._request(
        "POST", f"{link}/expire", b"sure=yes"
    )

    assert forged.page.status == 403
    assert "s3cret" in Browser().visit(link).submit().page.text


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_form_on_another_site_reveals_nothing(bob: Api, site: str) -> None:
    url_token = bob.push(expire_after_views=1)

    page = Browser().visit(f"/p/{url_token}").submit(None, {"sec-fetch-site": site}).page

    assert page.status == 403
    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/f/T/r.json", "/p/T/r.json"),
        ("/r/T/r.json", "/p/T/r.json"),
        ("/f/T", "/p/T"),
        ("/f/T/r", "/p/T/r"),
        ("/r/T", "/p/T"),
        ("/r/T/r", "/p/T/r"),
        ("/api_tokens", "/users/token"),
    ],
)
def test_old_links_lead_to_the_new_ones(api: Api, old: str, new: str) -> None:
    answer = api.request("GET", old)

    assert (answer.status, answer.headers["location"]) == (301, new)


def test_an_old_link_forwards_only_a_client_s_passphrase(api: Api) -> None:
    answers = [api.request("GET", path, query={"passphrase": "é\n&"}) for path in ("/f/T/r.json", "/f/T")]

    found = [answer.headers["location"] for answer in answers]
    assert found == ["/p/T/r.json?passphrase=%C3%A9%0A%26", "/p/T"]


def test_pages_stay_open_if_the_api_requires_a_token(api: Api, configure: object) -> None:
    url_token = api.push("s3cret", retrieval_step=False)
    configure(ANONYMOUS_ACCESS="false")  # type: ignore[operator]

    assert payload_of(Browser().visit(f"/p/{url_token}").page.text) == "s3cret"


@pytest.mark.parametrize("character", ['"', "&", "\rx", "😀", "\x01"])
def test_a_large_text_fits_into_an_answer_however_it_is_escaped(api: Api, character: str) -> None:
    payload = character * (1_048_576 // len(character))
    url_token = api.push(payload, retrieval_step=False)
    event = api.event("GET", f"/p/{url_token}")

    answer = client.handle(event["routeKey"], event)

    assert len(json.dumps(answer)) < 6 * 1024 * 1024
    assert payload_of(client.read(answer).text) == payload


@pytest.mark.parametrize("path", ["/p/{}.json", "/p/{}/r.json"])
def test_a_post_is_no_way_to_retrieve_json(bob: Api, path: str) -> None:
    url_token = bob.push()

    answer = bob.request("POST", path.format(url_token), headers={"content-type": FORM}, body=b"a=b")

    assert (answer.status, answer.json) == (404, {"error": "not-found"})
    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.parametrize("retrieval_step", [True, False])
def test_an_ended_push_s_page_records_the_view_and_destroys_the_rest(bob: Api, retrieval_step: bool) -> None:
    url_token = bob.push(retrieval_step=retrieval_step, expire_after_days=1)
    browser = Browser(Api(now=bob.now))
    if retrieval_step:
        browser.visit(f"/p/{url_token}")
    browser.api.tick(days=1)
    bob.tick(days=1)

    page = (browser.submit() if retrieval_step else browser.visit(f"/p/{url_token}")).page

    assert "nothing here any more" in page.text
    assert bob.kinds(url_token) == ["creation", "failed_view"]
    assert resources.items("Secrets") == []


def test_a_url_too_long_to_follow_is_text_and_its_page_fits_into_an_answer(api: Api) -> None:
    source = Random(1)
    payload = "http://x/" + "".join(chr(source.randrange(0x10000, 0x10FFFF)) for _ in range(1_048_500))
    url_token = api.push(payload, kind="url", retrieval_step=False)
    event = api.event("GET", f"/p/{url_token}")

    answer = client.handle(event["routeKey"], event)
    page = client.read(answer).text

    assert len(json.dumps(answer)) < 6 * 1024 * 1024
    assert payload_of(page) == payload
    assert "Open the link" not in page
