"""Promises 1 and 3 with two hundred concurrent recipients, on the deployed stack."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.drivers.client import KEY, Answer
from tests.drivers.http_client import HttpApi
from tests.e2e import test_asks
from tests.meters.proof import Prove

pytestmark = pytest.mark.long

NUMBER = 200
GUESSES = 60


@pytest.mark.parametrize("views", [7, *(pytest.param(views, marks=pytest.mark.only_prove) for views in (1, 100))])
def test_two_hundred_at_once_get_exactly_the_views_there_are(
    api: HttpApi, bob: HttpApi, views: int, prove: Prove
) -> None:
    url_token = bob.push("s3cret", expire_after_views=views)

    answers = at_once(api, url_token)

    payloads = [answer.json["payload"] for answer in answers]
    assert {answer.status for answer in answers} == {200}
    assert payloads.count("s3cret") == views
    assert payloads.count(None) == NUMBER - views
    assert count_entries(bob, url_token) == {"creation": 1, "view": views, "failed_view": NUMBER - views}
    prove(
        "1",
        f"Of {NUMBER} concurrent retrieves exactly as many get the payload as the limit of {views} allows",
        f"{payloads.count('s3cret')} payloads, {payloads.count(None)} without one, each in the audit log; MiniStack",
    )


def test_guesses_by_many_connections_at_once_do_not_slip_by_the_limit(api: HttpApi, bob: HttpApi, prove: Prove) -> None:
    url_token = bob.push("s3cret", passphrase="right")
    paths = [f"/api/v2/pushes/{url_token}", f"/api/v2/pushes/{url_token}.json", f"/p/{url_token}.json"]

    with ThreadPoolExecutor(GUESSES) as pool:
        guesses = range(GUESSES)
        answers = pool.map(lambda n: api.request("GET", paths[n % 3], query={"passphrase": f"guess {n}"}), guesses)
        statuses = Counter(answer.status for answer in answers)

    assert statuses == {401: 5, 429: GUESSES - 5}
    assert count_entries(bob, url_token) == {"creation": 1, "failed_passphrase": 5}
    prove("all", f"Of {GUESSES} concurrent guesses five are tried", f"5 of 401, {GUESSES - 5} of 429; MiniStack")


def test_a_double_press_on_the_last_view_shows_the_payload_and_counts_once(
    api: HttpApi, bob: HttpApi, effort: int, prove: Prove
) -> None:
    presses = 20 * effort
    url_tokens = [bob.push("s3cret", expire_after_views=1) for _ in range(presses)]

    with ThreadPoolExecutor(2) as pool:
        answers = [
            list(pool.map(lambda key, pushed=url_token: api.retrieve(pushed, key=key), [f"{KEY}-{number}"] * 2))
            for number, url_token in enumerate(url_tokens)
        ]

    assert [first.json["payload"] for first, _ in answers] == ["s3cret"] * presses
    assert all(first.text == second.text for first, second in answers)
    assert [count_entries(bob, url_token) for url_token in url_tokens] == [{"creation": 1, "view": 1}] * presses
    figures = f"{presses} pushes of one view, {2 * presses} payloads, {presses} audit entries; MiniStack"
    prove("1-3", "Two concurrent retrieves with one key both get the last view, and it counts once", figures)


def test_of_sixty_answers_at_once_an_ask_takes_exactly_its_number(asker: HttpApi, prove: Prove) -> None:
    asked = test_asks.ask(asker, answers=20).json
    # A source may send five answers an hour.
    senders = [test_asks.sender(replace(asker, source=f"127.0.1.{number // 4 + 1}"), asked) for number in range(60)]

    with ThreadPoolExecutor(60) as pool:
        pages = list(pool.map(lambda number: test_asks.send(senders[number], f"answer {number}"), range(60)))

    taken = {f"answer {number}" for number, page in enumerate(pages) if page.status == 200}
    opened = [asker.retrieve(url_token).json["payload"] for url_token in test_asks.answers(asker, asked, 20)]
    assert Counter(page.status for page in pages) == {200: 20, 410: 40}
    assert set(opened) == taken
    assert test_asks.listed(asker, asked)["answers_remaining"] == 0
    prove(
        "1",
        "An ask that accepts 20 answers takes exactly 20 of 60 concurrent ones",
        "20 accepted, 40 rejected because the ask is over; MiniStack",
    )


def at_once(api: HttpApi, url_token: str) -> list[Answer]:
    with ThreadPoolExecutor(NUMBER) as pool:
        return list(pool.map(lambda _: api.retrieve(url_token), range(NUMBER)))


def count_entries(bob: HttpApi, url_token: str) -> dict[str, int]:
    """Count the entries of each kind on all pages of the audit log."""
    kinds: list[str] = []
    page = 1
    while logs := bob.audit(url_token, page=page).json["logs"]:
        kinds += [entry["kind"] for entry in logs]
        page += 1
    return {kind: kinds.count(kind) for kind in kinds}
