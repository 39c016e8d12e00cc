"""The page for an unknown path, for any caller."""

from tests.drivers.browser import Browser
from tests.meters import wire_tap


def test_a_page_that_is_not_there_shows_nobody_s_session(ann: Browser) -> None:
    page = ann.visit(f"/pushes/{'0' * 64}").page

    assert (page.status, "Sign out" in page.text, "Sign in" in page.text) == (404, False, True)


def test_a_page_that_cannot_be_shown_now_shows_nobody_s_session(ann: Browser) -> None:
    ann.visit("/")

    with wire_tap.answering("TransactWriteItems", "InternalServerError"):
        page = ann.submit("", **{"push[payload]": "s3cret"}).page

    assert (page.status, "Sign out" in page.text, "Sign in" in page.text) == (503, False, True)
    assert page.headers["retry-after"] == "2"
