"""How many requests a browser makes: each costs money, and a new account of AWS runs ten functions at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request

from tests.e2e.browsing import Account, Visit, payload, press, sign_in


@contextmanager
def requests(*pages: Page) -> Iterator[list[str]]:
    """The requests of these pages' browsers in this block, by method and path; what a cache answers is none."""
    made: list[str] = []

    def note(request: Request) -> None:
        response = request.response()
        is_cached = response is not None and response.from_service_worker
        if not request.url.startswith("data:") and not is_cached and request.sizes()["responseHeadersSize"]:
            made.append(f"{request.method} {urlsplit(request.url).path}")

    for page in pages:
        page.on("requestfinished", note)
    yield made
    for page in pages:
        page.remove_listener("requestfinished", note)


def test_a_whole_exchange_is_at_most_six_requests(visit: Visit) -> None:
    sender, recipient = visit(), visit()

    with requests(sender, recipient) as made:
        sender.goto("/")
        sender.fill("#payload", "s3cret")
        press(sender, "Make the link")
        link = sender.input_value("#link")
        recipient.goto(link)
        press(recipient, "Show the secret")
        shown = payload(recipient)

    assert shown == "s3cret"
    assert len(made) <= 6, made


@pytest.mark.parametrize("path", ["/", "/users/sign_in", "/users/sign_up", "/p/nosuch", "/no/such/page"])
def test_a_cold_visit_is_at_most_two_requests(visit: Visit, path: str) -> None:
    page = visit()

    with requests(page) as made:
        page.goto(path)
        page.wait_for_load_state("networkidle")

    assert 1 <= len(made) <= 2, made


def test_a_page_for_owners_is_one_request(visit: Visit, account: Account) -> None:
    page = sign_in(visit(), account)
    page.wait_for_url("**/pushes")

    with requests(page) as made:
        for path in ("/pushes", "/users/token"):
            page.goto(path)
            page.wait_for_load_state("networkidle")

    assert made == ["GET /pushes", "GET /users/token"]


def test_the_senders_script_is_asked_for_once_in_a_year(visit: Visit) -> None:
    page = visit()
    page.goto("/")

    with requests(page) as made:
        page.goto("/users/sign_in")
        page.goto("/")
        page.wait_for_load_state("networkidle")

    assert made == ["GET /users/sign_in", "GET /"]
