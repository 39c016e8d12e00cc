"""No rotation loses the instance key: a deployment labels each version, and CloudFormation always gets a response."""

import hashlib
import json
import logging
import time
import urllib.request
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions import label_instance_key
from infra.build import template
from shared.aws import clients, keys
from tests.doubles.secrets_manager import SecretsManager
from tests.drivers.client import Context
from tests.engines import resources

PINNED = "ffbaaf6d"
MIDNIGHT = datetime(2026, 1, 3, tzinfo=UTC)
ADDRESS = "https://cloudformation-custom-resource-response.example/MARKER?X-Amz-Signature=MARKER"

Use = Callable[[SecretsManager], SecretsManager]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Let the code under test use a double of Secrets Manager."""

    def use(double: SecretsManager) -> SecretsManager:
        monkeypatch.setattr(clients, "client", lambda _service, **_how: double)
        resources.renew()
        return double

    return use


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Record the responses to CloudFormation, without waiting."""
    heard: list[dict[str, Any]] = []

    def put(request: urllib.request.Request, timeout: float) -> Any:
        assert (request.full_url, request.method, request.headers["Content-type"]) == (ADDRESS, "PUT", "")
        assert isinstance(request.data, bytes)
        heard.append(json.loads(request.data))
        return nullcontext()

    monkeypatch.setattr(urllib.request, "urlopen", put)
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    return heard


def event(request_type: str) -> dict[str, str]:
    """Return a CloudFormation event."""
    about = {"RequestType": request_type, "ResponseURL": ADDRESS, "StackId": "s", "RequestId": "r"}
    return about | {"LogicalResourceId": "InstanceKeyLabels"}


def deploy(request_type: str = "Create") -> None:
    label_instance_key.handler(event(request_type), Context())


def test_the_first_key_outlives_every_rotation_once_it_is_deployed(use: Use, heard: list[dict[str, Any]]) -> None:
    double = use(SecretsManager())
    first = keys.current()

    deploy()
    for _ in range(3):
        double.generate()

    assert keys.version(first.version).material == first.material


def test_without_a_label_the_second_rotation_loses_it(use: Use) -> None:
    double = use(SecretsManager())
    first = double.current

    double.generate()
    double.generate()

    assert first not in double.kept


def test_each_version_gets_one_label_over_many_deployments(use: Use, heard: list[dict[str, Any]]) -> None:
    double = use(SecretsManager())
    double.generate("2026-11")

    deploy()
    before, calls = {version: set(labels) for version, labels in double.kept.items()}, len(double.calls)
    deploy("Update")

    assert {version: set(labels) for version, labels in double.kept.items()} == before
    assert sorted(len(labels) for labels in before.values()) == [2, 2]
    assert double.calls[calls:] == ["DescribeSecret"]


def test_the_key_is_never_read_and_a_deletion_touches_nothing(use: Use, heard: list[dict[str, Any]]) -> None:
    double = use(SecretsManager())

    deploy()
    done = list(double.calls)
    deploy("Delete")

    assert done == double.calls == ["DescribeSecret", "UpdateSecretVersionStage"]
    assert [answer["Status"] for answer in heard] == ["SUCCESS", "SUCCESS"]


def test_an_update_keeps_the_name_that_cloudformation_knows(use: Use, heard: list[dict[str, Any]]) -> None:
    use(SecretsManager())

    label_instance_key.handler(event("Update") | {"PhysicalResourceId": "given"}, Context())

    assert [answer["PhysicalResourceId"] for answer in heard] == ["given"]


def test_a_role_that_is_not_known_everywhere_yet_is_waited_for(use: Use, heard: list[dict[str, Any]]) -> None:
    double = use(SecretsManager(refusing=3))

    deploy()

    assert [answer["Status"] for answer in heard] == ["SUCCESS"]
    assert len(double.kept[double.current]) == 2


def test_cloudformation_gets_a_failure_without_any_secret(
    use: Use, heard: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    use(SecretsManager(refusing=99))

    deploy()

    [answer] = heard
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("ClientError AccessDeniedException < ")
    assert answer["PhysicalResourceId"] == answer["LogicalResourceId"] == "InstanceKeyLabels"
    assert (answer["StackId"], answer["RequestId"]) == ("s", "r")
    assert "MARKER" not in answer["Reason"] + repr([record.__dict__ for record in caplog.records])


# ---------------------------------------------------------------- the version for a day's creates


@pytest.mark.parametrize(("before", "is_new"), [(timedelta(minutes=59), False), (timedelta(minutes=61), True)])
def test_a_day_has_the_newest_version_that_all_have_known_of_before_it(
    use: Use, before: timedelta, *, is_new: bool
) -> None:
    double = use(SecretsManager())
    old, new = double.current, double.generate("2026-11", at=MIDNIGHT - before)

    days = tuple((MIDNIGHT + timedelta(days=days)).date() for days in (-1, 0, 1))
    named = [key.version for key in keys.of_days(days)]

    assert named == [old, new if is_new else old, new]


def test_a_rotation_that_failed_names_no_day_and_is_not_kept(use: Use, heard: list[dict[str, Any]]) -> None:
    double = use(SecretsManager())
    double.fail_to_rotate(at=MIDNIGHT - timedelta(days=1))

    deploy()

    assert [key.version for key in keys.of_days((MIDNIGHT.date(),))] == [double.current]
    assert [labels for labels in double.kept.values() if len(labels) == 1] == [["AWSPENDING"]]


def test_a_day_has_its_version_even_if_they_are_listed_on_several_pages(
    use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    double = use(SecretsManager())
    new = double.generate("2026-11", at=MIDNIGHT - timedelta(days=1))
    first, second = double.list_secret_version_ids()["Versions"]
    pages = {"": {"Versions": [first], "NextToken": "t"}, "t": {"Versions": [second]}}
    monkeypatch.setattr(double, "list_secret_version_ids", lambda **asked: pages[asked.get("NextToken", "")])

    [key] = keys.of_days((MIDNIGHT.date(),))

    assert key.version == new


def test_the_key_s_generator_never_changes() -> None:
    generated = template.resources("AWS::SecretsManager::Secret")["InstanceKey"]["GenerateSecretString"]

    fingerprint = hashlib.sha256(json.dumps(generated, sort_keys=True).encode()).hexdigest()[:8]

    assert fingerprint == PINNED, (
        "GenerateSecretString of the instance key was changed. CloudFormation then generates ANOTHER key at the next "
        "deployment, whatever the change is, and a second change may lose the first key with every push that it "
        "sealed. Put the property back; to rotate the key, do as the README says."
    )


def test_a_deployment_that_generates_another_key_labels_it() -> None:
    [labels] = template.resources("Custom::InstanceKeyLabels").values()
    key = template.resources("AWS::SecretsManager::Secret")["InstanceKey"]

    assert labels["Generated"] == key["GenerateSecretString"]
    assert labels["Secret"] == {"Fn::GetAtt": "InstanceKey.Id"}
