"""Concurrent requests for one push; conflicting transactions cancel each other as on AWS (see conflicts.py).

The time is virtual, so claims about milliseconds hold on any machine.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from unittest import mock

import pytest

from shared.aws.attributes import milliseconds
from tests.conftest import Configure
from tests.doubles import conflicts, virtual_time
from tests.doubles.virtual_time import VirtualTime
from tests.drivers import client
from tests.drivers.client import KEY, Answer, Api, Context
from tests.engines import resources
from tests.functions import test_end_ask
from tests.meters.proof import Prove
from tests.shared.service import test_answers

FUNCTION = Context(milliseconds=20_000)  # the template's timeout
HOLDS = pytest.mark.parametrize("hold", [0.015, pytest.param(0.005, marks=pytest.mark.only_prove)])
Outcome = tuple[Answer, float]


@pytest.fixture
def clock() -> Iterator[VirtualTime]:
    with virtual_time.passing() as clock, mock.patch.object(client, "handle", partial(client.handle, context=FUNCTION)):
        yield clock


def retrieve_at_once(
    clock: VirtualTime, api: Api, url_token: str, passphrases: list[str | None], hold: float
) -> tuple[list[Outcome], dict[str, int]]:
    """Return each caller's response and when it came, and the numbers of completed and cancelled transactions."""
    tasks = [lambda passphrase=passphrase: api.retrieve(url_token, passphrase) for passphrase in passphrases]
    with conflicts.locking(clock, hold=hold) as counted:
        outcomes = clock.run(tasks)
    assert counted["cancelled"], "no transaction was in another's way"
    return outcomes, counted


@HOLDS
def test_a_hundred_at_once_are_all_answered_within_three_times_their_locks(
    bob: Api, clock: VirtualTime, hold: float, prove: Prove
) -> None:
    url_token = bob.push(expire_after_views=100)

    outcomes, counted = retrieve_at_once(clock, bob, url_token, [None] * 100, hold)

    assert [answer.json["payload"] for answer, _ in outcomes] == ["s3cret"] * 100
    last = max(moment for _, moment in outcomes)
    assert last <= 3 * 100 * hold
    prove(
        "1-3",
        f"100 concurrent retrieves are all answered within three times their locks ({hold * 1000:.0f} ms each)",
        f"100 of 100, the last after {last:.2f} s of {100 * hold:.1f} s of locks, {counted['cancelled']} cancelled",
    )


@HOLDS
def test_a_hundred_at_once_get_no_view_too_many(bob: Api, clock: VirtualTime, hold: float) -> None:
    url_token = bob.push(expire_after_views=7)

    outcomes, _ = retrieve_at_once(clock, bob, url_token, [None] * 100, hold)

    assert {answer.status for answer, _ in outcomes} == {200}
    assert sum(answer.json["payload"] is not None for answer, _ in outcomes) == 7
    assert Counter(kinds(bob, url_token))["owner_view"] == 7


@HOLDS
@pytest.mark.parametrize("number", [21, pytest.param(60, marks=pytest.mark.only_prove)])
def test_of_all_answers_at_once_an_ask_takes_twenty(
    bob: Api, clock: VirtualTime, hold: float, number: int, prove: Prove
) -> None:
    opened = test_answers.stored(answers=20)

    with conflicts.locking(clock, hold=hold) as counted:
        outcomes = clock.run([partial(test_answers.send, opened, sender) for sender in range(number)])

    last = max(moment for _, moment in outcomes)
    assert counted["cancelled"]
    assert Counter(status for status, _ in outcomes) == {303: 20, 410: number - 20}
    assert test_answers.counted(opened) == len(bob.active().json) == 20
    prove(
        "1-3",
        f"Transactions that meet cancel each other: {number} answers at once to an ask for 20 ({hold * 1000:.0f} ms)",
        f"20 accepted, {number - 20} rejected because the ask is over; the last response after {last:.2f} s; "
        f"{counted['cancelled']} transactions cancelled",
    )


@HOLDS
def test_sixty_guesses_at_once_are_answered_within_three_lock_times(
    bob: Api, clock: VirtualTime, hold: float, prove: Prove
) -> None:
    url_token = bob.push(passphrase="right")

    outcomes, _ = retrieve_at_once(clock, bob, url_token, ["wrong"] * 60, hold)

    last = max(moment for _, moment in outcomes)
    assert Counter(answer.status for answer, _ in outcomes) == {401: 5, 429: 55}
    assert Counter(kinds(bob, url_token))["failed_passphrase"] == 5
    assert last <= 3 * 60 * hold
    figures = f"5 counted, 55 refused, the last after {last:.2f} s"
    claim = "Of 60 concurrent guesses five are tried, all answered within three times their locks"
    prove("1-3", f"{claim} ({hold * 1000:.0f} ms each)", figures)


@pytest.mark.long
@pytest.mark.parametrize(
    "hold", [0.025, *(pytest.param(hold, marks=pytest.mark.only_prove) for hold in (0.005, 0.015))]
)
def test_two_hundred_at_once_all_get_a_final_response(bob: Api, clock: VirtualTime, hold: float, prove: Prove) -> None:
    url_token = bob.push(expire_after_views=100)

    outcomes, counted = retrieve_at_once(clock, bob, url_token, [None] * 200, hold)

    assert {answer.status for answer, _ in outcomes} == {200}
    assert sum(answer.json.get("payload") is not None for answer, _ in outcomes) == 100
    assert max(moment for _, moment in outcomes) < FUNCTION.milliseconds / 1000
    claim = "200 concurrent retrieves of 100 views all get a final response, and 100 of them the payload"
    prove("1-3", f"{claim} (locks of {hold * 1000:.0f} ms)", f"0 answered 503, {counted['cancelled']} cancelled")


@pytest.mark.long
def test_two_hundred_within_a_second_all_get_a_final_response(bob: Api, clock: VirtualTime) -> None:
    jitter = random.Random(1)
    url_token = bob.push(expire_after_views=100)
    tasks = [
        request_at(clock, jitter.uniform(0, 1), bob, lambda caller: caller.retrieve(url_token)) for _ in range(200)
    ]

    with conflicts.locking(clock, hold=0.025):
        outcomes = clock.run(tasks)

    assert {answer.status for answer, _ in outcomes} == {200}
    assert sum(answer.json["payload"] is not None for answer, _ in outcomes) == 100


@pytest.mark.parametrize("seed", range(12))
def test_no_view_is_dated_after_the_end_of_a_delete_among_twelve_retrieves(
    bob: Api, clock: VirtualTime, seed: int
) -> None:
    jitter = random.Random(seed)
    url_token = bob.push(expire_after_views=100)
    tasks = [
        request_at(clock, jitter.uniform(0, 0.1), bob, lambda caller: caller.retrieve(url_token)) for _ in range(12)
    ]
    tasks.append(request_at(clock, jitter.uniform(0, 0.1), bob, lambda caller: caller.expire(url_token)))

    with conflicts.locking(clock, hold=0.015):
        [*_, (deleted, _)] = clock.run(tasks)

    entries = bob.audit(url_token).json["logs"]
    end = deleted.json["expired_on"]
    assert {entry["created_at"] for entry in entries if entry["kind"] == "expire"} == {end}
    assert [entry for entry in entries if entry["kind"] == "owner_view" and entry["created_at"] > end] == []
    assert [entry for entry in entries if entry["kind"] == "failed_view" and entry["created_at"] < end] == []


@pytest.mark.parametrize("end", ["delete", "last view", "hundredth guess"])
def test_all_that_an_end_writes_is_dated_when_it_is_written(
    bob: Api, clock: VirtualTime, configure: Configure, end: str
) -> None:
    configure(MAX_GUESSES="1")
    url_token = bob.push(passphrase="p", expire_after_views=1)

    with conflicts.locking(clock, hold=0.015, round_trip=0.003):
        if end == "delete":
            answer = bob.expire(url_token)
        else:
            answer = bob.retrieve(url_token, "p" if end == "last view" else "q", key=KEY)

    [push] = resources.items("Pushes")
    moments = {push["updated_at"]["N"], push["expires_at"]["N"], *(guess["N"] for guess in push["guesses"]["L"])}
    moments |= {item["created_at"]["N"] for item in resources.items("AuditEntries") if item["kind"]["S"] != "creation"}
    moments |= {item["claimed_at"]["N"] for item in resources.items("Secrets") if "claimed_at" in item}
    [moment] = moments
    assert answer.status == (401 if end == "hundredth guess" else 200)
    # The read takes three milliseconds or more after the receipt.
    assert 3 <= int(moment) - milliseconds(bob.now) < 15


def test_an_end_that_is_written_after_the_time_limit_is_dated_at_the_limit(bob: Api, clock: VirtualTime) -> None:
    url_token = bob.push(expire_after_duration=0, expire_after_views=1)
    limit = bob.now + timedelta(minutes=15)
    bob.now = limit - timedelta(milliseconds=1)

    with conflicts.locking(clock, hold=0.015):
        answer = bob.retrieve(url_token)

    assert answer.json["payload"] == "s3cret"  # it was received in time
    assert {item["expires_at"]["N"] for item in resources.items("Pushes")} == {str(milliseconds(limit))}


def test_an_ask_that_reaches_its_time_limit_during_its_end_is_returned_as_over(bob: Api, clock: VirtualTime) -> None:
    opened = test_answers.stored()
    bob.now = opened.ask.expires_at - timedelta(milliseconds=1)

    with conflicts.locking(clock, hold=0.015):
        answer = test_end_ask.end(bob, opened.terms.ask_token)

    assert (answer.status, answer.json["expired_on"]) == (200, "2026-01-08T01:00:00.000Z")


def test_an_expire_among_a_hundred_retrieves_ends_the_push_once(bob: Api, clock: VirtualTime) -> None:
    url_token = bob.push(expire_after_views=100)
    tasks = [lambda: bob.retrieve(url_token)] * 60 + [lambda: bob.expire(url_token)] * 5

    with conflicts.locking(clock, hold=0.015) as counted:
        outcomes = clock.run(tasks)

    assert counted["cancelled"]
    assert {answer.status for answer, _ in outcomes} == {200}
    assert Counter(kinds(bob, url_token))["expire"] == 1


@HOLDS
@pytest.mark.parametrize(
    "views", [pytest.param(1, marks=pytest.mark.long), 7, pytest.param(50, marks=pytest.mark.only_prove)]
)
def test_a_hundred_at_once_each_repeated_share_the_views_by_key(
    bob: Api, clock: VirtualTime, views: int, hold: float, prove: Prove
) -> None:
    url_token = bob.push(expire_after_views=views)
    keys = [f"the-key-of-client-{number}" for number in range(50)] * 2
    tasks = [lambda key=key: bob.retrieve(url_token, key=key) for key in keys]

    with conflicts.locking(clock, hold=hold) as counted:
        outcomes = clock.run(tasks)

    answers = [answer for answer, _ in outcomes]
    served = {key for key, answer in zip(keys, answers, strict=True) if answer.json["payload"] == "s3cret"}
    assert counted["cancelled"]
    assert {answer.status for answer in answers} == {200}
    assert answers[:50] == answers[50:]
    assert len(served) == views == Counter(kinds(bob, url_token))["owner_view"]
    figures = f"{views} of 50 keys served, both twins of each, {views} audit entries; {counted['cancelled']} cancelled"
    claim = f"Of 50 keys that two concurrent retrieves have each, {views} get the limit of {views} views, twice each"
    prove("1-3", f"{claim} (locks of {hold * 1000:.0f} ms)", figures)


@HOLDS
@pytest.mark.parametrize("views", [1, 5])
def test_a_hundred_at_once_with_one_key_share_one_view(bob: Api, clock: VirtualTime, views: int, hold: float) -> None:
    url_token = bob.push(expire_after_views=views)

    with conflicts.locking(clock, hold=hold) as counted:
        outcomes = clock.run([lambda: bob.retrieve(url_token, key=KEY)] * 100)

    assert counted["cancelled"]
    shown = {(answer.status, answer.json["payload"], answer.json["views_remaining"]) for answer, _ in outcomes}
    assert shown == {(200, "s3cret", views - 1)}
    assert kinds(bob, url_token) == ["creation", "owner_view"]


@pytest.mark.parametrize("files", [[], [{"filename": "a", "data": "YQ=="}]], ids=["", "files"])
def test_a_hundred_creates_with_one_key_at_once_make_one_push(
    bob: Api, clock: VirtualTime, files: list[dict[str, str]]
) -> None:
    with conflicts.locking(clock, hold=0.015) as counted:
        outcomes = clock.run([lambda: bob.create(files=files, key=KEY)] * 100)

    [url_token] = {answer.json["url_token"] for answer, _ in outcomes}
    assert counted["cancelled"]
    assert {answer.status for answer, _ in outcomes} == {201}
    assert kinds(bob, url_token) == ["creation"]
    assert len(bob.active().json) == 1
    assert len(bob.retrieve(url_token).json["files"]) == len(files)


def request_at(clock: VirtualTime, seconds: float, caller: Api, act: Callable[[Api], Answer]) -> Callable[[], Answer]:
    """Return a task that starts after so many seconds, with a request that the gateway receives then."""

    def run() -> Answer:
        clock.sleep(seconds)
        passed = timedelta(milliseconds=round(clock.monotonic() * 1000))
        return act(Api(now=caller.now + passed, token=caller.token))

    return run


def kinds(bob: Api, url_token: str) -> list[str]:
    pages = [bob.audit(url_token, page=page).json["logs"] for page in range(1, 7)]
    return [entry["kind"] for page in pages for entry in page]
