"""The page behind an ask's link."""

from typing import Any

import pytest

from shared.aws import asks
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.shared.service import test_answers
from tests.shared.service.test_answers import counted, stored


def visit(opened: Any) -> Browser:
    return Browser().visit(f"/a/{opened.terms.ask_token}")


def test_the_page_says_who_asks_and_what_for_without_a_link(bob: Api, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")
    text = visit(stored(message="<b>https://evil.example</b>")).page.text

    assert "ann@example.com" in text
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


@pytest.mark.parametrize(("fields", "status"), [({"push[payload]": ""}, 422), ({"push[payload]": "x" * 11}, 413)])
def test_a_refused_answer_keeps_its_text(aws: None, fields: dict[str, str], status: int) -> None:
    browser = visit(stored(max_bytes=10)).submit("", **fields)

    assert browser.page.status == status
    assert fields["push[payload]"] in browser.page.text
