"""The recipient's page before the reveal, and its display of secrets."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from functions.pages import __file__ as pages_file
from shared.web import site
from tests.conftest import Configure
from tests.drivers.browser import FORM, Browser, Form, forms
from tests.drivers.client import Answer, Api
from tests.engines import resources

FILE = {"filename": "a.txt", "data": "aGVsbG8="}
SWITCHER = 'class="languages"'
ITS_OWN = "This is in your own list. If you open it here, that counts as a view."
NEW_LINKS = "Get new links"


def text_of(page: str) -> str:
    """Return the text of a page, without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", page, flags=re.DOTALL))


def tag(page: str, id_: str) -> str:
    """Return the start tag of the element with this id."""
    found = re.search(rf'<[^>]*id="{id_}"[^>]*>', page)
    assert found
    return found[0]


def files_page(api: Api, **fields: object) -> Browser:
    """Return the page of a push with a file, in a browser without cookies: there it has the form for new links."""
    url_token = api.push("", files=[FILE], **fields)
    browser = Browser(keeps_cookies=False).visit(f"/p/{url_token}")
    passphrase = str(fields.get("passphrase", ""))
    return browser if fields.get("retrieval_step") is False else browser.submit(passphrase=passphrase)


def file_form(browser: Browser) -> Form:
    """Return the form of the page's first file."""
    return next(form for form in forms(browser.page.text) if form.action.endswith("/file"))


def send_form(browser: Browser, form: Form) -> Answer:
    """Return the response to the form, without following it."""
    headers = {"content-type": FORM, "sec-fetch-site": "same-origin"}
    return browser.api.exchange("POST", form.action, headers=headers, body=urlencode(form.fields).encode())[0]


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[None]:
    """Brand the pages with an operator's name, logo, support address and texts."""
    ours = Path(pages_file).parent
    for name in ("templates", "assets", "locales"):
        (tmp_path / name).symlink_to(ours / name)
    directory = tmp_path / "brand"
    directory.mkdir()
    (directory / "brand.toml").write_text('name = "Acme & <i>Sons"\naccent = "#0b57d0"\nsupport = "it@acme.example"\n')
    (directory / "logo.svg").write_text("<svg/>")
    (directory / "above.txt").write_text("Above <b>it</b>")
    (directory / "above.de.txt").write_text("Darüber")
    (directory / "below.txt").write_text("Below it")
    site.set_directory(tmp_path)
    yield
    site.set_directory(ours)


def test_the_page_names_the_service_and_the_push_s_limits(api: Api) -> None:
    url_token = api.push(expire_after_views=3, expire_after_days=2)

    said = text_of(Browser().visit(f"/p/{url_token}").page.text)

    assert "Secret sharing is a service for sending passwords and files safely." in said
    assert "This link can be opened 3 times. Then its content is deleted for good." in said
    assert "It is available until 3 Jan 2026, 01:00 UTC at the latest." in said
    assert "Each opening counts." in said
    assert "Not expecting this?" in said


@pytest.mark.parametrize(
    ("views", "opened", "said"),
    [
        (1, 0, "This link can be opened only once. Then its content is deleted for good."),
        (2, 0, "This link can be opened 2 times. Then its content is deleted for good."),
        (2, 1, "This link can be opened only once more. Then its content is deleted for good."),
        (3, 1, "This link can be opened 2 more times. Then its content is deleted for good."),
    ],
)
def test_the_page_says_once_more_only_after_an_earlier_view(api: Api, views: int, opened: int, said: str) -> None:
    url_token = api.push(expire_after_views=views)
    for _ in range(opened):
        api.retrieve(url_token)

    assert said in text_of(Browser().visit(f"/p/{url_token}").page.text)


def test_only_a_page_with_a_passphrase_field_explains_it(api: Api) -> None:
    protected, open_to_all = api.push(passphrase="right"), api.push()

    pages = [text_of(Browser().visit(f"/p/{url_token}").page.text) for url_token in (protected, open_to_all)]

    assert ["If you do not have it, ask the sender" in page for page in pages] == [True, False]


def test_the_page_shows_the_operator_s_brand_as_text(api: Api, acme: None) -> None:
    page = Browser().visit(f"/p/{api.push()}").page.text

    assert '<img src="data:image/svg+xml;base64,' in page
    assert page.count("Acme &amp; &lt;i&gt;Sons") == 3  # title, head, sentence
    assert 'href="mailto:it@acme.example"' in page
    assert page.index("Above &lt;b&gt;it&lt;/b&gt;") < page.index("Show the secret") < page.index("Below it")


def test_the_operator_s_texts_follow_the_page_s_language(api: Api, acme: None) -> None:
    page = Browser().visit(f"/p/{api.push()}?locale=de").page.text

    assert "Darüber" in page
    assert "Above" not in page
    assert "Below it" in page


@pytest.mark.parametrize("retrieval_step", [True, False])
def test_owners_get_a_warning_before_their_own_view_counts(ann: Browser, retrieval_step: bool) -> None:
    made = ann.visit("/").submit("", **{"push[payload]": "s3cret", "push[retrieval_step]": str(retrieval_step).lower()})
    link = made.at.removesuffix("/preview")

    told = ann.visit(link).page.text
    shown = ann.submit().page.text

    assert (ITS_OWN in told, "s3cret" in told) == (True, False)
    assert "s3cret" in shown


def test_others_do_not_see_the_owner(ann: Browser, bob: Api) -> None:
    pages = [one.visit(f"/p/{bob.push()}").page.text for one in (ann, Browser())]

    assert not any(ITS_OWN in page for page in pages)


def test_a_page_whose_reload_counts_a_view_offers_no_language(bob: Api) -> None:
    at_once, with_step = bob.push(retrieval_step=False), bob.push()
    prefetched = bob.request("GET", f"/p/{at_once}", headers={"purpose": "prefetch"})

    pages = [Browser().visit(path).page for path in (f"/p/{with_step}", f"/p/{at_once}/r", f"/p/{at_once}")]

    assert [SWITCHER in page.text for page in (prefetched, *pages)] == [False, True, True, False]


def test_a_page_that_is_closed_for_a_while_counts_down(api: Api) -> None:
    browser = Browser().visit(f"/p/{api.push(passphrase='right')}")
    for _ in range(5):
        refused = browser.submit(passphrase="wrong").page.text
        assert ("Wrong passphrase." in refused, 'data-seconds="' in refused) == (True, False)
    browser.api.tick(seconds=20)

    page = browser.submit(passphrase="right").page

    assert (page.status, page.headers["retry-after"]) == (429, "40")
    assert 'data-seconds="40"' in page.text
    assert "Please wait a minute" in page.text


def test_no_browser_translates_corrects_or_turns_round_the_secret(api: Api) -> None:
    page = Browser().visit(f"/p/{api.push(retrieval_step=False)}").page.text

    attributes = tag(page, "payload")

    assert all(one in attributes for one in ('translate="no"', 'dir="auto"', 'spellcheck="false"'))


def test_the_button_that_copies_stands_above_a_long_text(api: Api) -> None:
    page = Browser().visit(f"/p/{api.push('x' * 100_000, retrieval_step=False)}").page.text

    assert page.index("data-copy") < page.index('id="payload"')


def test_the_blurred_text_itself_is_a_label_of_the_box_that_shows_it(api: Api) -> None:
    page = Browser().visit(f"/p/{api.push(retrieval_step=False)}").page.text

    assert re.search(r'</pre>\s*<label for="unblur"', page)


@pytest.mark.parametrize("is_shown", [False, True])
def test_no_password_manager_fills_in_or_keeps_a_passphrase(bob: Api, is_shown: bool) -> None:
    browser = Browser(keeps_cookies=False).visit(f"/p/{bob.push('', files=[FILE], passphrase='right')}")

    page = browser.submit(passphrase="right").page.text if is_shown else browser.page.text

    kept_away = ('autocomplete="off"', "data-1p-ignore", 'data-lpignore="true"', "data-bwignore")
    assert all(one in tag(page, "passphrase") for one in kept_away)


def test_links_to_files_say_until_when_they_work_and_for_how_many_seconds(bob: Api) -> None:
    page = files_page(bob).page.text

    assert "These download links work until 1 Jan 2026, 01:05 UTC." in text_of(page)
    assert 'data-seconds="300"' in page


def test_stated_link_lifetimes_end_with_the_push(bob: Api) -> None:
    url_token = bob.push("", files=[FILE], expire_after_days=1)
    bob.tick(days=1, minutes=-2)

    page = Browser(bob.as_owner(None)).visit(f"/p/{url_token}").submit().page.text

    assert "These download links work until 2 Jan 2026, 01:00 UTC." in text_of(page)
    assert 'data-seconds="120"' in page


@pytest.mark.parametrize("fields", [{"retrieval_step": False}, {"retrieval_step": True}, {"passphrase": "right"}])
def test_new_links_cost_no_view_and_end_with_the_first_ones(bob: Api, fields: dict[str, object]) -> None:
    browser = files_page(bob, expire_after_views=1, **fields)
    browser.api.tick(seconds=100)

    again = browser.submit("", passphrase=str(fields.get("passphrase", ""))).page

    assert again.status == 200
    assert "X-Amz-Expires=200" in again.text
    assert 'data-seconds="200"' in again.text
    assert NEW_LINKS in again.text


def test_new_links_need_the_passphrase_again(bob: Api) -> None:
    browser = files_page(bob, passphrase="right", expire_after_views=2)

    refused = browser.submit("", passphrase="wrong").page

    assert (refused.status, "X-Amz-" in refused.text) == (401, False)


@pytest.mark.parametrize(("views", "said"), [(1, "nothing here any more"), (2, "Opening it again uses one more view.")])
def test_a_late_request_for_links_gets_advice_and_costs_no_view(bob: Api, views: int, said: str) -> None:
    browser = files_page(bob, expire_after_views=views)
    browser.api.tick(seconds=301)

    page = browser.submit("").page.text

    assert said in page
    assert "X-Amz-" not in page


def test_no_new_links_are_promised_where_no_view_has_a_lease(bob: Api, configure: Configure) -> None:
    configure(LEASE_SECONDS="0")

    page = files_page(bob, retrieval_step=True).page.text

    assert NEW_LINKS not in page
    assert not any(form.action == "" for form in forms(page))


def test_a_link_that_reveals_at_once_writes_no_lease(api: Api) -> None:
    page = Browser().visit(f"/p/{api.push(retrieval_step=False)}").page.text

    assert "idempotency_key" not in page
    assert len(resources.items("Secrets")) == 1


@pytest.mark.parametrize(("views", "said"), [(1, "ask the sender to send them again"), (2, "uses one more view")])
def test_the_page_has_a_text_for_expired_links(bob: Api, views: int, said: str) -> None:
    page = files_page(bob, expire_after_views=views).page.text

    assert re.search(rf"<div [^>]*data-over hidden.*?{said}.*?</div>", page, re.DOTALL)


def test_a_file_is_had_by_a_form_that_leads_on_to_the_bucket(bob: Api) -> None:
    browser = files_page(bob)
    form = file_form(browser)

    answer = send_form(browser, form)

    assert answer.status == 303
    assert answer.headers["location"] == dict(form.fields)["link"]
    assert answer.headers["location"].startswith("https://test-bucket.s3.amazonaws.com/")


def test_only_the_page_of_files_may_send_forms_to_the_bucket(bob: Api) -> None:
    shown = files_page(bob).page.headers["content-security-policy"]
    text = Browser().visit(f"/p/{bob.push(retrieval_step=False)}").page.headers["content-security-policy"]

    assert "form-action 'self' https://test-bucket.s3.amazonaws.com;" in shown
    assert "form-action 'self';" in text


@pytest.mark.parametrize(("views", "said"), [(1, "ask the sender to send them again"), (2, "uses one more view")])
@pytest.mark.parametrize("age", ["20200101T000000Z", "no date", ""])
def test_a_link_to_a_file_that_has_lapsed_leads_to_a_page_that_says_so(
    bob: Api, views: int, said: str, age: str
) -> None:
    browser = files_page(bob, expire_after_views=views)
    form = file_form(browser)
    [link] = [value for name, value in form.fields if name == "link"]
    form.fields = [("link", re.sub("X-Amz-Date=[^&]*", f"X-Amz-Date={age}", link))]

    answer = send_form(browser, form)

    assert answer.status == 410
    assert "These download links have stopped working." in answer.text
    assert said in answer.text


def test_a_link_that_would_lapse_on_its_way_through_the_browser_has_lapsed(bob: Api) -> None:
    browser = files_page(bob)
    form = file_form(browser)
    signed = re.search(r"X-Amz-Date=(\w+)", dict(form.fields)["link"])
    assert signed
    made = datetime.strptime(signed[1], "%Y%m%dT%H%M%S%z")

    browser.api.now = made + timedelta(seconds=294)
    in_time = send_form(browser, form).status
    browser.api.now = made + timedelta(seconds=295)
    late = send_form(browser, form).status

    assert (in_time, late) == (303, 410)


def test_a_link_to_a_file_that_is_gone_leads_to_a_page_that_says_so(bob: Api) -> None:
    browser = files_page(bob)
    form = file_form(browser)
    resources.client("s3").delete_object(Bucket="test-bucket", Key=resources.object_keys()[0])

    answer = send_form(browser, form)

    assert answer.status == 410
    assert "These download links have stopped working." in answer.text


BUCKET = "https://test-bucket.s3.amazonaws.com/"


@pytest.mark.parametrize(
    "place",
    [
        "https://evil.example/",
        "https://test-bucket.s3.amazonaws.net/",  # as long as the bucket's own
        "https://test-bucket.s3.amazonaws.com.evil/",
        "https://test-bucket.s3.amazonaws.com@evil.example/",
        "https://test-bucket.s3.amazonaws.com\\@evil.example/",
        "https://other-bucket.s3.amazonaws.com/",
        "http://test-bucket.s3.amazonaws.com/",
        "//evil.example/",
        "/",
        "",
    ],
)
def test_the_form_of_a_file_leads_nowhere_but_to_the_bucket(bob: Api, place: str) -> None:
    browser = files_page(bob)
    form = file_form(browser)
    signed_key = dict(form.fields)["link"].removeprefix(BUCKET)  # valid and in time, so only the host is wrong
    form.fields = [("link", place + signed_key)]

    answer = send_form(browser, form)

    assert (answer.status, "location" in answer.headers) == (410, False)


@pytest.mark.parametrize("added", ["\r\nX-Evil: 1", "\n", "\0", "\x7f", " ", "é", "\u2028"], ids=repr)
def test_a_link_to_a_file_with_a_control_character_is_refused(bob: Api, added: str) -> None:
    browser = files_page(bob)
    form = file_form(browser)
    link = dict(form.fields)["link"]

    for hostile in (link + added, link.replace("?", f"?{added}&"), link.replace("/files/", f"/files{added}/")):
        form.fields = [("link", hostile)]
        answer = send_form(browser, form)
        assert (answer.status, "location" in answer.headers) == (410, False)


@pytest.mark.parametrize("link", ["", "https://[", f"{BUCKET}?{{query}}", f"{BUCKET}{'a' * 2_000}?{{query}}", BUCKET])
def test_an_invalid_file_link_is_no_server_error(bob: Api, link: str) -> None:
    browser = files_page(bob)
    form = file_form(browser)
    form.fields = [("link", link.format(query=dict(form.fields)["link"].partition("?")[2]))]

    answer = send_form(browser, form)

    assert (answer.status, "location" in answer.headers) == (410, False)


def test_a_page_without_a_secret_explains_how_to_get_it(api: Api) -> None:
    said = text_of(Browser().visit("/p/nosuchtoken").page.text)

    assert "Ask the sender for a new link." in said
