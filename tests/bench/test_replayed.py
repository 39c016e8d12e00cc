import pytest

from shared.domain import digests
from tests.bench import cold, replayed, stage, warm
from tests.drivers.client import Api, handle
from tests.engines import resources


def test_the_calls_of_a_create_make_another_push_when_they_are_made_again(api: Api) -> None:
    made = replayed.without_key(stage.create(api, "s3cret")["event"])
    push_id, other = cold.id_of(made), "f" * 64

    for operation, parameters in replayed.of_another(made, push_id, other):
        resources.client("dynamodb")._make_api_call(operation, parameters)

    assert {item["id"]["S"] for item in resources.items("Pushes")} == {push_id, other}


def test_calls_that_are_made_again_are_another_attempt(api: Api) -> None:
    url_token = api.push()
    made = replayed.without_key(stage.retrieve(api, url_token)["event"])
    _, (_, transaction) = made

    [*_, (_, again)] = replayed.of_another(made, digests.digest(url_token), "f" * 64)

    assert transaction["ClientRequestToken"] != again["ClientRequestToken"]
    assert digests.digest(url_token) not in str(again)


def test_a_pair_of_deletes_by_the_manage_key_deletes_two_pushes(api: Api) -> None:
    jobs = [stage.by_manage_key("DELETE", "/api/v2/pushes/{0}") for _ in range(3)]
    [(job, replay)] = warm._once_each(jobs)

    handle(job["event"]["routeKey"], job["event"])
    for operation, parameters in replay["calls"]:
        resources.client("dynamodb")._make_api_call(operation, parameters)

    assert [item["is_deleted"]["BOOL"] for item in resources.items("Pushes")] == [True] * 3


def test_a_pair_of_answers_answers_two_asks(aws: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_POOL_ID", "")  # to be restored
    monkeypatch.setattr(warm, "OF_ASKS", 1)
    [(job, replay)] = warm._answers(stage.asker())

    handle(job["event"]["routeKey"], job["event"])
    for operation, parameters in replay["calls"]:
        resources.client("dynamodb")._make_api_call(operation, parameters)

    assert [item["answers"]["N"] for item in resources.items("Asks")] == ["1"] * 3


def test_a_job_s_handler_returns_its_expected_status(api: Api) -> None:
    for job in (stage.create(api, "s3cret"), stage.job(api, "GET", "/nowhere", status=404)):
        assert handle(job["event"]["routeKey"], job["event"])["statusCode"] == job["status"]
