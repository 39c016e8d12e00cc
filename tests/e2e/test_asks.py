"""Asks as their askers and those who answer see them, over HTTP only, so that `make verify` can check them.

A source may send five answers an hour, so a run sends few.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.drivers.browser import Browser
from tests.drivers.client import Answer
from tests.drivers.http_client import HttpApi
from tests.verify.installation import ASKS, fresh_key

pytestmark = pytest.mark.black_box

PATIENCE = 10  # seconds that an index may lag


def ask(asker: HttpApi, **fields: Any) -> Answer:
    """Create an ask with a name of its own; skip the test if the API token's owner has no account."""
    defaults = {"message": "x", "name": f"Of make verify {fresh_key()}", "notify_when_answered": False}
    created = asker.post(ASKS, {"ask": defaults | fields})
    if created.status == 403:
        pytest.skip("the API token's owner has no account with a confirmed address")
    return created


def sender(api: HttpApi, asked: dict[str, Any]) -> Browser:
    """Return somebody without an account at the ask's page."""
    return Browser(api.as_owner(None)).visit(f"/a/{asked['ask_token']}")


def send(browser: Browser, payload: str) -> Answer:
    """Send an answer and return the page that follows."""
    return browser.submit("", **{"push[payload]": payload}).page


def answers(asker: HttpApi, asked: dict[str, Any], number: int) -> list[str]:
    """Return the url_tokens of an ask's answers, waiting for the index of the list."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = [push["url_token"] for push in asker.active().json if push["name"] == asked["name"]]
        if len(found) >= number or time.monotonic() > deadline:
            return found
        time.sleep(0.5)


def listed(asker: HttpApi, asked: dict[str, Any]) -> dict[str, Any]:
    [found] = [one for one in asker.get(ASKS).json if one["ask_token"] == asked["ask_token"]]
    return dict(found)


def test_of_two_answers_at_once_an_ask_takes_the_one_there_is(api: HttpApi, asker: HttpApi) -> None:
    asked = ask(asker).json
    senders = [sender(api, asked), sender(api, asked)]

    with ThreadPoolExecutor(2) as pool:
        pages = dict(zip(("one", "other"), pool.map(send, senders, ("one", "other")), strict=True))

    taken = next((payload for payload, page in pages.items() if page.status == 200), "")
    url_tokens = answers(asker, asked, bool(taken))
    try:
        statuses = sorted(page.status for page in pages.values())
        if 429 in statuses:
            pytest.skip("this address has sent five answers within an hour")
        [url_token] = url_tokens
        assert statuses == [200, 410]
        assert url_token not in pages[taken].text
        assert asker.retrieve(url_token).json["payload"] == taken
        assert asker.kinds(url_token) == ["creation", "owner_view"]
        assert sender(api, asked).page.status == 410
        assert listed(asker, asked)["answers_remaining"] == 0
    finally:
        for url_token in url_tokens:
            asker.expire(url_token)


def test_an_ask_that_its_asker_ends_takes_no_answer(api: HttpApi, asker: HttpApi) -> None:
    asked = ask(asker).json
    late = sender(api, asked)

    ended, again = (asker.request("DELETE", f"{ASKS}/{asked['ask_token']}") for _ in range(2))

    assert (ended.status, ended.json["expired"], again.text) == (200, True, ended.text)
    assert send(late, "s3cret").status == 410
    assert api.as_owner(None).post(ASKS, {"ask": {"message": "x"}}).status == 401


def test_asks_are_not_the_requests_and_accounts_of_other_services(bob: HttpApi) -> None:
    features = bob.get("/api/v2/version").json["features"]

    assert (features["requests"], features["accounts"]) == ({"enabled": False}, {"enabled": False})
    assert bob.get("/api/v2/requests").status == 404
