import html
import json
import re
from datetime import timedelta
from typing import Any

import pytest

from shared.domain import digests
from shared.domain.push import Label
from shared.identity import auth
from shared.service import create
from shared.web.cookies import SESSION
from tests.conftest import Configure, Issue
from tests.contract.test_files import bring
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, START, Api
from tests.engines import resources
from tests.meters import wire_tap


@pytest.fixture
def ann_api(ann: Browser, issue: Issue) -> Api:
    """Return the same owner's API."""
    return Api(token=issue(ann.owner))


def test_the_lists_show_active_and_expired_pushes(ann: Browser, ann_api: Api) -> None:
    ann_api.push(name="Lively", kind="text")
    ann_api.expire(ann_api.push(name="Over"))

    active, expired = ann.visit("/pushes").page.text, ann.visit("/pushes?state=expired").page.text

    assert ("Lively" in active, "Over" in active) == (True, False)
    assert ("Lively" in expired, "Over" in expired) == (False, True)


def test_the_list_of_expired_says_how_each_ended(ann: Browser, ann_api: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="1")
    ann_api.expire(ann_api.push(name="By hand"))
    ann_api.retrieve(ann_api.push(name="Seen", expire_after_views=1))
    ann_api.retrieve(ann_api.push(name="Guessed", passphrase="right"), "wrong")
    ann_api.retrieve(ann_api.push(name="Guessed at", passphrase="right", expire_after_days=1))
    ann_api.push(name="Old", expire_after_days=1)
    session = auth.open_session(ann.owner, now=START + timedelta(days=1), address="ann@example.com")
    later = Browser(Api(now=START + timedelta(days=1)), cookies={SESSION: session})

    page = later.visit("/pushes?state=expired").page.text

    rows = re.findall(r"<bdi>([^<]*)</bdi></a>.*?<td>.*?</td>\s*<td>([^<]*)</td>", page, re.DOTALL)
    assert dict(rows) == {
        "By hand": "Deleted",
        "Seen": "Last view used",
        "Guessed": "Too many wrong passphrases",
        "Guessed at": "Time limit reached",
        "Old": "Time limit reached",
    }
    [record] = re.findall(r'href="([^"]*)"><bdi>Guessed</bdi>', page)
    assert "<dd>Too many wrong passphrases</dd>" in later.visit(record).page.text


def test_a_push_deleted_by_hand_after_wrong_guesses_was_deleted_by_hand(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push(passphrase="right")
    ann_api.retrieve(url_token, "wrong")
    ann_api.tick(minutes=1)
    ann_api.expire(url_token)
    ann.api.tick(minutes=1)

    assert "Deleted" in ann.visit("/pushes?state=expired").page.text


def test_a_push_without_a_name_is_listed_by_its_kind_and_time(ann: Browser, ann_api: Api) -> None:
    ann_api.push("https://example.com", kind="url")

    page = ann.visit("/pushes").page.text

    [name] = re.findall(r'<a class="name"[^>]*><bdi>(.*?)</bdi>', page)
    assert re.sub("<[^>]*>", "", name) == "Link, 1 Jan 2026, 01:00 UTC"


def test_a_list_has_pages(ann: Browser, ann_api: Api) -> None:
    for _ in range(51):
        ann_api.push()

    first, second = ann.visit("/pushes").page.text, ann.visit("/pushes?page=2").page.text

    files = [json.loads(ann.visit(f"/pushes/active.json?page={number}").page.text) for number in (1, 2)]

    assert 'href="?page=2" rel="next"' in first
    assert 'href="?page=1" rel="prev"' in second
    assert second.count("<tr>") == 2
    assert [(len(one["pushes"]), one["next_page"]) for one in files] == [(50, 2), (1, None)]


def test_a_record_shows_settings_and_audit_log(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push(name="For Bob", note="<b>note", passphrase="p")
    ann_api.retrieve(url_token, "wrong")
    Api(headers={"user-agent": "<script>"}).retrieve(url_token, "p")

    page = record(ann).page.text

    assert f"/p/{url_token}/r" in page
    assert "<bdi>&lt;b&gt;note</bdi>" in page
    words = ["created", "missing or wrong passphrase", "opened"]
    assert re.findall(r'<td class="what">([^<]*)</td>', page) == words
    assert page.count("<script>") == 1  # the one of every page


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


FILES: list[dict[str, Any]] = [{"filename": name, "size": 3} for name in ("a.zip", "b.zip", "<b>.zip")]


def test_a_record_names_the_files_that_are_missing_until_all_are_there(ann: Browser, ann_api: Api) -> None:
    made = ann_api.create("", files=FILES, passphrase="p").json
    shown = [missing(record(ann))]
    for upload in made["uploads"]:
        bring(upload, b"abc")
        shown.append(missing(record(ann)))

    ann_api.retrieve(made["url_token"], "p")

    assert shown == [
        "3 of 3 files are missing: a.zip, b.zip and <b>.zip.",
        "2 of 3 files are missing: b.zip and <b>.zip.",
        "1 of 3 files is missing: <b>.zip.",
        "",
    ]
    assert missing(record(ann)) == ""


def test_an_upload_that_broke_off_goes_on_with_the_same_push(ann: Browser, ann_api: Api) -> None:
    first, again = [ann_api.create("", files=FILES, key=KEY).json for _ in range(2)]
    bring(first["uploads"][0], b"abc")
    broken_off = missing(record(ann))

    for upload in again["uploads"][1:]:
        bring(upload, b"abc")

    assert (broken_off, missing(record(ann))) == ("2 of 3 files are missing: b.zip and <b>.zip.", "")
    assert [file["filename"] for file in ann_api.retrieve(first["url_token"]).json["files"]] == [
        file["filename"] for file in FILES
    ]


INLINE = {"filename": "a.zip", "data": "YWJj"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([INLINE, FILES[1]], "1 of 2 files is missing: b.zip."),  # the inline file is there
        (FILES[:1], "Its file is missing: a.zip."),
        ([INLINE], ""),
    ],
)
def test_a_record_counts_the_files_that_are_missing(
    ann: Browser, ann_api: Api, files: list[dict[str, Any]], said: str
) -> None:
    ann_api.create("", files=files)

    assert missing(record(ann)) == said


def test_only_a_record_that_awaits_files_asks_s3(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push("", files=FILES)
    ann_api.expire(url_token)
    viewed = ann_api.create("", files=FILES[:1]).json
    bring(viewed["uploads"][0], b"abc")
    ann_api.retrieve(viewed["url_token"])

    with wire_tap.calls() as calls:
        for one in (ann_api.push("", files=[INLINE]), viewed["url_token"], url_token):
            ann.visit(f"/pushes/{digests.digest(one)}")

    assert "ListObjectsV2" not in [name for name, _ in calls]
    assert missing(ann) == ""


def test_only_a_push_that_awaits_files_keeps_their_names_for_its_owner(ann_api: Api) -> None:
    for files in ([INLINE], None, FILES):
        ann_api.push("s3cret", kind="", files=files)

    sizes = sorted(len(item["label"]["B"]) for item in resources.items("Pushes"))

    assert sizes[0] == sizes[1] < sizes[2]


def test_a_push_from_before_labels_named_files_has_its_record(ann: Browser, ann_api: Api) -> None:
    with pytest.MonkeyPatch.context() as as_before:
        as_before.setattr(create, "Label", lambda *label: Label(*label[:3]))
        ann_api.create("", files=FILES)

    assert (record(ann).page.status, missing(ann)) == (200, "")


def missing(browser: Browser) -> str:
    """Return the record's text about missing files."""
    said = re.search(r">\s*((?:Its|\d+ of).*? missing:.*?\.)\s+Until", browser.page.text, re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"</?bdi>", "", said[1]))) if said else ""


def test_a_stale_form_shows_the_record_again_and_then_works(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()
    record(ann)

    page = ann.submit("", form_token="of another session", expire="yes").page
    ann.submit("", expire="yes")

    assert (page.status, "signed in or out since" in page.text, "<details open>" in page.text) == (403, True, True)
    assert ann_api.retrieve(url_token).json["expired"] is True


def test_a_record_of_an_ended_session_leads_to_sign_in(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()
    record(ann)
    auth.close_session(ann.session)

    at = ann.submit("", expire="yes").at

    assert at == "/users/sign_in"
    assert ann_api.retrieve(url_token).json["expired"] is False


def test_another_owners_push_is_not_found(ann: Browser, bob: Api) -> None:
    push_id = digests.digest(bob.push())

    assert ann.visit(f"/pushes/{push_id}").page.status == 404


def test_no_url_of_a_page_holds_a_url_token(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push()

    links = re.findall(r'(?:href|action)="([^"]*)"', ann.visit("/pushes").page.text)

    assert not [link for link in links if url_token in link]


def record(browser: Browser) -> Browser:
    """Follow the first link of the list."""
    [path] = re.findall(r'href="(/pushes/\w{64})"', browser.visit("/pushes").page.text)
    return browser.visit(path)


def test_a_record_links_to_a_form_with_its_settings_but_no_content(ann: Browser, ann_api: Api) -> None:
    ann_api.push(name="For Bob", note="a note", passphrase="right", expire_after_duration=4, expire_after_views=3)

    [link] = re.findall(r'href="(/\?like=[^"]*)"', record(ann).page.text)
    form = ann.visit(link).page.text

    assert link == "/?like=text.360m.3.true.true"
    assert 'value="4" selected' in form
    assert not [held for held in ("For Bob", "a note", "right", "s3cret") if f'"{held}"' in form or f">{held}" in form]
