"""The page for an unknown path, for any caller."""

from tests.drivers.browser import Browser
from tests.meters import wire_tap


def test_a_404_page_does_not_show_the_session(ann: Browser) -> None:
    page = ann.visit(f"/pushes/{'0' * 64}").page

    assert (page.status, "Sign out" in page.text, "Sign in" in page.text) == (404, False, True)


def test_a_503_page_does_not_show_the_session(ann: Browser) -> None:
    ann.visit("/")

    with wire_tap.answering("TransactWriteItems", "InternalServerError"):
        page = ann.submit("", **{"push[payload]": "s3cret"}).page

    assert (page.status, "Sign out" in page.text, "Sign in" in page.text) == (503, False, True)
    assert page.headers["retry-after"] == "2"
