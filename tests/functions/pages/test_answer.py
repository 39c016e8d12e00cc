"""The page behind an ask's link."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from shared.aws import asks
from shared.domain.limits import MAX_INLINE_BYTES
from tests.conftest import Configure
from tests.drivers import form_data
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import KEY, START, Api
from tests.functions.pages.test_recipient_page import acme  # noqa: F401 (a fixture)
from tests.shared.service import test_answers
from tests.shared.service.test_answers import counted, stored


def visit(opened: Any) -> Browser:
    return Browser().visit(f"/a/{opened.terms.ask_token}")


def test_the_page_says_who_asks_and_what_for_without_a_link(bob: Api, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")
    text = visit(stored(message="<b>https://evil.example</b>")).page.text

    assert "ann@example.com</bdi></strong> also sees your IP address and your browser." in text
    assert "&lt;b&gt;https://evil.example&lt;/b&gt;" in text
    assert 'href="https://evil' not in text


def test_a_text_is_sent_and_thanked_for_without_a_trace_of_its_push(bob: Api) -> None:
    browser = visit(opened := stored())

    browser.submit("", **{"push[payload]": "two\r\nlines"})

    assert (browser.page.status, browser.at) == (200, f"/a/{opened.terms.ask_token}/thanks")
    [listed] = bob.active().json
    assert listed["url_token"] not in browser.page.text
    assert bob.retrieve(listed["url_token"]).json["payload"] == "two\nlines"


def test_a_double_press_is_one_answer_and_thanked_also_when_the_ask_is_over(bob: Api) -> None:
    first = visit(opened := stored())
    form = first.page
    first.submit("", **{"push[payload]": "s3cret"})
    first.page = form
    first.submit("", **{"push[payload]": "s3cret"})

    assert first.at.endswith("/thanks")
    assert counted(opened) == 1


def test_an_ask_that_is_over_or_unknown_is_one_page(aws: None) -> None:
    asks.end((opened := stored()).ask, START)
    over, unknown = visit(opened).page, Browser().visit("/a/nosuchtoken").page
    late = visit(other := stored())
    test_answers.answer(other)

    assert (over.status, over.text.replace(opened.terms.ask_token, "")) == (
        410,
        unknown.text.replace("nosuchtoken", ""),
    )
    assert late.submit("", **{"push[payload]": "s3cret"}).page.status == 410


def test_the_address_of_who_asks_cannot_be_taken_for_another(aws: None) -> None:
    opened = stored(message="two\u202e\n <b>", address="ann\u3164@\u0430pple.com")  # a Cyrillic letter

    text = visit(opened).page.text

    who = '<strong><bdi dir="ltr" translate="no">ann<mark>U+3164</mark>@xn--pple-43d.com</bdi></strong>'
    assert text.count(who) == 2
    assert "\ntwo<mark>U+202E</mark>\n &lt;b&gt;</pre>" in text
    assert "\u202e" not in text


def test_an_address_is_shown_whole(aws: None) -> None:
    assert ">ann@apple.com/@evil</bdi>" in visit(stored(address="ann@apple.com/@evil")).page.text
    assert ">ann@xn--pple-43d.com/.evil</bdi>" in visit(stored(address="ann@\u0430pple.com/.evil")).page.text


@pytest.mark.usefixtures("acme")
def test_the_page_names_whom_to_tell_of_misuse(aws: None) -> None:
    text = visit(stored()).page.text

    assert "Acme &amp; &lt;i&gt;Sons" in text
    assert "To report misuse of this service:" in text
    assert text.count('href="mailto:it@acme.example"') == 2  # the other is the footer's


def test_another_language_keeps_the_text_and_counts_nothing(bob: Api) -> None:
    browser = visit(opened := stored()).submit("", **{"push[payload]": "s3cret", "language": "de"})

    assert ">\ns3cret</textarea>" in browser.page.text
    assert counted(opened) == 0
    assert browser.submit("", **{"push[payload]": "s3cret"}).at.endswith("/thanks")


def test_files_go_with_the_form_or_straight_to_the_bucket(bob: Api) -> None:
    path = f"/a/{stored(files=True, answers=2).terms.ask_token}"
    sent = {"content-type": form_data.TYPE, "sec-fetch-site": "same-origin"}
    direct = json.dumps([{"filename": "b.bin", "size": 3}])

    with_form = Api().request("POST", path, headers=sent, body=form_data.form(form_data.file("a.txt", "x")))
    parts = form_data.form(form_data.field("payload", "y"), form_data.part("direct", direct))
    by_script = Api().request("POST", path, headers={**sent, "accept": "application/json"}, body=parts)

    assert (with_form.status, with_form.headers["location"]) == (303, f"{path}/thanks")
    assert (by_script.status, by_script.json["preview"]) == (201, f"{path}/thanks")
    assert [upload["filename"] for upload in by_script.json["uploads"]] == ["b.bin"]
    tokens = [push["url_token"] for push in bob.active().json]
    assert len(tokens) == 2
    assert not [token for token in tokens if token in by_script.text]


def test_the_form_says_what_the_ask_has_room_for(aws: None) -> None:
    assert "This form takes 10 bytes at most" in visit(stored(max_bytes=10)).page.text
    assert 'data-max-size="10"' in visit(stored(max_bytes=10, files=True)).page.text


def test_files_are_offered_only_where_the_ask_and_the_installation_take_them(aws: None, configure: Configure) -> None:
    with_files, of_text = stored(files=True), stored()

    pages = [visit(one).page for one in (with_files, of_text)]
    assert ['type="file"' in page.text for page in pages] == [True, False]
    assert ["connect-src 'self';" in page.headers["content-security-policy"] for page in pages] == [False, True]
    configure(FILE_ATTACHMENTS="false")
    assert 'type="file"' not in visit(with_files).page.text


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"push[payload]": " "}, 422, 'payload-problem">Can&#39;t be blank.'),
        ({"push[payload]": "x" * 11}, 413, 'files-problem">This is larger than what was asked for.'),
        ({"push[payload]": "x" * 6}, 413, 'files-problem">There is not enough room left for this.'),
        (
            {"push[payload]": "", "direct": '[{"filename": "a", "size": 6}]'},
            413,
            'files-problem">A file may have at most 5 bytes.',
        ),
    ],
)
def test_a_refusal_stands_at_its_field_and_the_text_stays(
    aws: None, configure: Configure, fields: dict[str, str], status: int, said: str
) -> None:
    configure(MAX_FILE_SIZE="5")
    browser = visit(opened := stored(answers=2, files=True, max_bytes=10))
    test_answers.answer(opened, "12345", ip="198.51.100.1")

    page = browser.submit("", **fields).page

    assert page.status == status
    assert said in page.text
    assert f">\n{fields['push[payload]']}</textarea>" in page.text
    assert "<title>Error: " in page.text


def test_files_too_large_for_a_form_without_script_are_refused_at_their_field(aws: None) -> None:
    path = f"/a/{stored(files=True).terms.ask_token}"
    parts = form_data.form(form_data.field("payload", "kept"), form_data.file("a", b"x" * (MAX_INLINE_BYTES + 1)))

    page = Api().request("POST", path, headers={"content-type": form_data.TYPE}, body=parts)

    assert page.status == 413
    assert 'id="files-problem">Are too large together for a form without JavaScript.' in page.text
    assert ">\nkept</textarea>" in page.text


def test_a_sixth_answer_of_an_hour_and_a_full_day_of_the_asker_get_one_sentence(
    aws: None, configure: Configure
) -> None:
    configure(DAILY_FILE_BYTES="10")
    opened = stored(answers=9, files=True)
    full = visit(opened).submit("", **{"push[payload]": "", "direct": '[{"filename": "a", "size": 11}]'}).page
    for number in range(4):
        visit(opened).submit("", **{"push[payload]": str(number)})
    sixth = visit(opened).submit("", **{"push[payload]": "kept"}).page

    assert [full.status, sixth.status] == [429, 429]
    assert "No more files can be sent here today (UTC). Please try again tomorrow.</p>" in full.text
    assert "Too many secrets sent from here. Please try again in an hour.</p>" in sixth.text
    assert ">\nkept</textarea>" in sixth.text


def test_a_form_of_another_site_sends_nothing(aws: None) -> None:
    browser = visit(opened := stored())

    page = browser.submit("", {"sec-fetch-site": "cross-site"}, **{"push[payload]": "x"}).page

    assert (page.status, counted(opened)) == (403, 0)


def test_a_key_that_may_be_another_site_s_is_not_shown_again(aws: None) -> None:
    """An old browser does not say where a form comes from."""
    fields = urlencode({"push[payload]": "", "idempotency_key": KEY}).encode()

    page = Api().request("POST", f"/a/{stored().terms.ask_token}", headers={"content-type": FORM}, body=fields)

    assert page.status == 422
    assert KEY not in page.text


def test_a_second_tab_is_another_answer_and_may_come_too_late(aws: None) -> None:
    opened = stored(answers=2)
    tabs = [visit(opened) for _ in range(3)]

    for tab in tabs:
        tab.submit("", **{"push[payload]": "s3cret"})

    assert [tab.page.status for tab in tabs] == [200, 200, 410]
    assert counted(opened) == 2
