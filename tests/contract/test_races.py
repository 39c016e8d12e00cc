"""Promises 1 and 3 under concurrency, on moto behind its single-threaded server.

test_conflicts.py has the same, with two hundred, in virtual time and with conflicts as on AWS.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.drivers.client import KEY, Answer, Api
from tests.meters.proof import Prove
from tests.shared.service import test_answers

pytestmark = pytest.mark.prove(
    "1",
    "Of concurrent retrieves exactly as many get the payload as there are views; of concurrent guesses five are tried",
    "moto",
)


def at_once(number: int, api: Api, url_token: str, key: str | None = None) -> list[Answer]:
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(lambda _: api.retrieve(url_token, key=key), range(number)))


@pytest.mark.only_prove
@pytest.mark.parametrize("views", [1, 7, 30])
def test_sixty_at_once_get_exactly_the_views_there_are(served_bob: Api, views: int) -> None:
    url_token = served_bob.push(expire_after_views=views)

    answers = at_once(60, Api(now=served_bob.now), url_token)

    assert {answer.status for answer in answers} == {200}
    served = [answer.json for answer in answers if answer.json["payload"] is not None]
    assert len(served) == views
    assert sum(answer["views_remaining"] == 0 for answer in served) == 1
    assert sum(kinds(served_bob, url_token).count(kind) for kind in ("view", "owner_view")) == views


def test_files_are_handed_out_as_often_as_there_are_views(served_bob: Api) -> None:
    url_token = served_bob.push("", files=[{"filename": "a", "data": "YQ=="}], expire_after_views=7)

    answers = at_once(60, served_bob, url_token)

    assert {answer.status for answer in answers} == {200}
    assert sum(len(answer.json["files"]) for answer in answers) == 7
    assert kinds(served_bob, url_token).count("owner_view") == 7


@pytest.mark.only_prove
@pytest.mark.parametrize("guesses", [40])
def test_guesses_at_once_do_not_slip_by_the_limit(served_bob: Api, guesses: int) -> None:
    url_token = served_bob.push(passphrase="right")
    attempts = ["wrong"] * guesses

    with ThreadPoolExecutor(guesses) as pool:
        statuses = [answer.status for answer in pool.map(lambda guess: served_bob.retrieve(url_token, guess), attempts)]

    assert statuses.count(401) == 5
    assert statuses.count(429) == guesses - 5
    assert kinds(served_bob, url_token).count("failed_passphrase") == 5


@pytest.mark.parametrize("views", [1, 5])
def test_impatient_presses_all_give_the_payload_and_count_one_view(served_bob: Api, views: int) -> None:
    for number in range(5):
        url_token = served_bob.push(expire_after_views=views)

        answers = at_once(8, served_bob, url_token, key=f"{KEY}-{number}")

        assert answers == answers[:1] * 8
        assert (answers[0].json["payload"], answers[0].json["views_remaining"]) == ("s3cret", views - 1)
        assert kinds(served_bob, url_token) == ["creation", "owner_view"]


def test_one_create_sent_twice_at_once_makes_one_push(served_bob: Api) -> None:
    for number in range(10):
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda key: served_bob.create(key=key), [f"{KEY}-{number}"] * 2))

        assert answers[0] == answers[1]
        assert kinds(served_bob, answers[0].json["url_token"]) == ["creation"]
    assert len(served_bob.active().json) == 10


@pytest.mark.only_prove
@pytest.mark.parametrize("views", [1, 7, 20])
def test_thirty_keys_sent_twice_share_the_views_by_key(served_bob: Api, views: int) -> None:
    url_token = served_bob.push(expire_after_views=views)
    keys = [f"{KEY}-{number}" for number in range(30)] * 2

    with ThreadPoolExecutor(60) as pool:
        answers = list(pool.map(lambda key: served_bob.retrieve(url_token, key=key), keys))

    assert {answer.status for answer in answers} == {200}
    assert answers[:30] == answers[30:]
    assert sum(answer.json["payload"] is not None for answer in answers[:30]) == views
    assert kinds(served_bob, url_token).count("owner_view") == views


@pytest.mark.only_prove
def test_an_expire_among_retrieves_ends_the_push_once(served_bob: Api) -> None:
    url_token = served_bob.push(expire_after_views=100)

    with ThreadPoolExecutor(40) as pool:
        views = [pool.submit(served_bob.retrieve, url_token) for _ in range(30)]
        expires = [pool.submit(served_bob.expire, url_token) for _ in range(10)]

    served = [view.result() for view in views if view.result().json.get("payload") is not None]
    recorded = kinds(served_bob, url_token)
    assert {answer.result().status for answer in [*views, *expires]} == {200}
    assert recorded.count("owner_view") == len(served)
    assert recorded.count("expire") == 1


@pytest.mark.only_prove
def test_of_sixty_answers_at_once_an_ask_takes_exactly_its_number(served_bob: Api, prove: Prove) -> None:
    opened = test_answers.stored(answers=20)

    with ThreadPoolExecutor(60) as pool:
        statuses = Counter(pool.map(lambda number: test_answers.send(opened, number), range(60)))

    assert statuses == {303: 20, 410: 40}
    assert test_answers.counted(opened) == len(served_bob.active().json) == 20
    prove(
        "1",
        "An ask that accepts 20 answers takes exactly 20 of 60 concurrent ones",
        "20 accepted, 40 rejected because the ask is over; moto",
    )


@pytest.mark.only_prove
def test_a_double_press_on_the_last_answer_is_one_answer_and_thanked_twice(served_bob: Api) -> None:
    for number in range(10):
        opened = test_answers.stored()

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(lambda same: test_answers.send(*same), [(opened, number)] * 2)) == [303, 303]

        assert test_answers.counted(opened) == 1
    assert len(served_bob.active().json) == 10


def kinds(bob: Api, url_token: str) -> list[str]:
    pages = [bob.audit(url_token, page=page).json["logs"] for page in range(1, 7)]
    return [entry["kind"] for page in pages for entry in page]
