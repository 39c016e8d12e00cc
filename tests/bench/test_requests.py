from typing import Any

import pytest

from tests.bench import requests


def test_a_step_gets_the_response_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def scenario() -> requests.Steps:
        first = yield "first", lambda: 1
        yield "second", lambda: first + 1

    answers = []

    def observe(_step: requests.Taken, ask: requests.Ask) -> Any:
        answers.append(ask())
        return answers[-1]

    monkeypatch.setattr(requests, "_scenario", scenario)

    assert [step.name for step in requests._round(observe)] == ["first", "second"]
    assert answers == [1, 2]


def test_a_stop_iteration_in_a_step_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def scenario() -> requests.Steps:
        yield "stops", lambda: next(iter([]))

    monkeypatch.setattr(requests, "_scenario", scenario)

    with pytest.raises(StopIteration):
        requests._round(lambda _step, ask: ask())


def test_every_step_of_the_scenario_is_counted_on_the_wire(aws: None) -> None:
    read, written = requests._round(requests._read), requests._round(requests._written)

    by_name = {one.name: one for one in read}
    assert [one.name for one in read] == [one.name for one in written]
    assert all(one.requests and one.sent for one in read)
    assert (by_name["version"].calls, by_name["preview"].calls, by_name["view"].calls) == (0, 1, 2)
    exchange = [one.requests for one in read if one.name.startswith("browser")]
    assert sum(exchange) == 7
