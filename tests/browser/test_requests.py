"""The number of a browser's requests: each costs money, and new AWS accounts run ten functions at once."""

import pytest

from tests.drivers.browsing import Account, Visit, payload, requests, reveal, send, sign_in


def test_a_whole_exchange_is_at_most_seven_requests(visit: Visit) -> None:
    sender, recipient = visit(), visit()

    with requests(sender, recipient) as made:
        reveal(recipient, send(sender))
        shown = payload(recipient)

    assert shown == "s3cret"
    assert len(made) <= 7, made  # the last one is the page after the reveal, which can be returned to


@pytest.mark.parametrize("path", ["/", "/users/sign_in", "/users/sign_up", "/p/nosuch", "/no/such/page"])
def test_a_cold_visit_is_at_most_two_requests(visit: Visit, path: str) -> None:
    page = visit()

    with requests(page) as made:
        page.goto(path)
        page.evaluate("new Promise((idle) => requestIdleCallback(idle))")

    assert 1 <= len(made) <= 2, made


def test_a_page_for_owners_is_one_request(visit: Visit, account: Account) -> None:
    page = sign_in(visit(), account)
    page.wait_for_url("**/pushes")

    with requests(page) as made:
        for path in ("/pushes", "/users/token"):
            page.goto(path)
            page.evaluate("new Promise((idle) => requestIdleCallback(idle))")

    assert made == ["GET /pushes", "GET /users/token"]


def test_the_senders_script_comes_from_the_cache_after_the_first_visit(visit: Visit) -> None:
    page = visit()
    brought = []

    for _ in range(2):
        page.goto("/")
        page.evaluate("new Promise((idle) => requestIdleCallback(idle))")
        brought += page.evaluate("() => performance.getEntriesByType('resource').map((one) => one.transferSize)")

    assert brought[0] > 0
    assert brought[1:] == [0]
