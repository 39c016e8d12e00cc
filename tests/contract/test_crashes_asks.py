"""A call to AWS fails, before or after it took effect, while an ask is answered, created, ended or listed."""

from collections.abc import Callable

import pytest

from shared.aws import asks as store
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, START, Api
from tests.drivers.failing_calls import AFTER, CALLS_OF_ASKS, each_call_of
from tests.engines import resources
from tests.functions.test_create_ask import ask, asker
from tests.functions.test_end_ask import end
from tests.meters import wire_tap
from tests.shared.service import test_answers

pytestmark = pytest.mark.prove(
    "1-3", "An answer whose call to AWS fails is counted with its push or not at all, and sent again is one", "moto"
)


def request(case: str, bob: Api) -> Callable[[], int]:
    """Return what sends a case's request to a cold function, and returns the status."""
    opened = test_answers.stored()
    resources.renew()
    if case == "answer":
        return lambda: test_answers.send(opened, 1)
    if case == "list":
        return lambda: bob.get("/api/v2/asks").status
    return lambda: end(bob, opened.terms.ask_token).status


@pytest.mark.parametrize("case", ["answer", "end", "list"])
def test_the_calls_that_are_let_fail_are_all_there_are(bob: Api, case: str) -> None:
    send = request(case, bob)

    with wire_tap.calls() as made:
        send()

    assert [name for name, _ in made] == CALLS_OF_ASKS[case]


@AFTER
@each_call_of("end", "list", calls=CALLS_OF_ASKS)
def test_an_end_or_a_list_that_fails_can_be_sent_again(bob: Api, case: str, number: int, after: bool) -> None:
    send = request(case, bob)
    with wire_tap.failing(number, after=after) as made:
        failed = send()

    repeated = send()

    [asked] = resources.items("Asks")
    assert made == CALLS_OF_ASKS[case][: number + 1]
    assert (failed, repeated, "ended_at" in asked) == (503, 200, case == "end")


@pytest.mark.long
@AFTER
@each_call_of("create", calls=CALLS_OF_ASKS)
def test_an_ask_that_is_sent_again_after_a_failure_is_one(ann: Browser, case: str, number: int, after: bool) -> None:
    api = asker(ann)
    api.get("/api/v2/asks")  # the account's status is checked now
    resources.renew()
    with wire_tap.failing(number, after=after) as made:
        failed = ask(api, key=KEY)

    first, second = ask(api, key=KEY), ask(api, key=KEY)

    assert made == CALLS_OF_ASKS[case][: number + 1]
    assert (failed.status, first.status, second) == (503, 201, first)
    assert len(resources.items("Asks")) == 1


@AFTER
@each_call_of("answer", calls=CALLS_OF_ASKS)
def test_an_answer_that_fails_is_all_there_or_not_at_all_and_sent_again_is_one(
    bob: Api, case: str, number: int, after: bool
) -> None:
    opened = test_answers.stored()
    resources.renew()
    with wire_tap.failing(number, after=after) as made:
        failed = test_answers.send(opened, 1)
    after_failure = stored()
    resources.renew()

    again = test_answers.send(opened, 1)
    after_repeat = stored()
    store.end(opened.ask, START)

    was_written = after and number == len(CALLS_OF_ASKS[case]) - 1
    assert made == CALLS_OF_ASKS[case][: number + 1]
    assert (failed, after_failure) == (503, [was_written] * 4)
    assert (again, after_repeat) == (303, [1] * 4)
    assert test_answers.send(opened, 1) == 303
    assert bob.retrieve(bob.active().json[0]["url_token"]).json["payload"] == "answer 1"


def stored() -> list[int]:
    """Return the numbers of pushes, secrets and entries, and of answers that are counted."""
    [asked] = resources.items("Asks")
    return [*(len(resources.items(name)) for name in ("Pushes", "Secrets", "AuditEntries")), int(asked["answers"]["N"])]
