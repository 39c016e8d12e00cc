"""The instance key is rotated by a new version of its secret: new pushes use it, old ones keep theirs."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from shared.aws import keys
from shared.runtime import metrics
from tests.drivers.client import Api
from tests.engines import resources
from tests.meters import wire_tap


def rotate(material: str) -> str:
    """Put a new version of the instance key and return its id. New processes use it."""
    client = resources.client("secretsmanager")
    answer = client.put_secret_value(SecretId="test-InstanceKey", SecretString=material)
    resources.renew()
    return str(answer["VersionId"])


def test_old_pushes_still_open_after_a_rotation(bob: Api) -> None:
    bare, protected = bob.push(), bob.push(passphrase="p", name="the name")

    rotate("n" * 64)

    assert bob.retrieve(bare).json["payload"] == bob.retrieve(protected, "p").json["payload"] == "s3cret"
    assert sorted(push["name"] for push in bob.active().json) == ["", "the name"]


def test_new_pushes_take_the_new_key(bob: Api) -> None:
    bob.push()
    old = keys.current().version
    new = rotate("n" * 64)

    url_token = bob.push()

    assert {item["key_version"]["S"] for item in resources.items("Secrets")} == {old, new}
    assert {item["key_version"]["S"] for item in resources.items("Pushes")} == {old, new}
    assert bob.retrieve(url_token).json["payload"] == "s3cret"


class Clock:
    """Replaces the module `time` in keys.py."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, aws: None) -> Clock:
    clock = Clock()
    monkeypatch.setattr(keys, "clock", clock)
    return clock


def put(material: str) -> None:
    """Put a new version without a notice to this process."""
    resources.client("secretsmanager").put_secret_value(SecretId="test-InstanceKey", SecretString=material)


def test_a_warm_process_takes_up_a_rotation_after_five_minutes(clock: Clock) -> None:
    before = keys.current()
    put("n" * 64)

    clock.now += keys.FRESH - 1
    still = keys.current()
    clock.now += 1

    assert still is before
    assert keys.current().material == b"n" * 64
    assert keys.version(before.version) == before


def test_a_warm_process_asks_once_in_five_minutes(clock: Clock) -> None:
    keys.current()

    with wire_tap.calls() as calls:
        for _ in range(601):
            clock.now += 1
            keys.current()

    assert [operation for operation, _ in calls] == ["GetSecretValue"] * 2


def test_a_clock_that_is_set_back_has_it_ask_again(clock: Clock) -> None:
    keys.current()
    put("n" * 64)

    clock.now -= 3600

    assert keys.current().material == b"n" * 64


def test_without_secrets_manager_the_known_key_is_used_for_a_minute(clock: Clock) -> None:
    before = keys.current()
    put("n" * 64)
    clock.now += keys.FRESH

    with wire_tap.failing(0, after=False):
        during = keys.current()
    clock.now += 59
    within = keys.current()
    clock.now += 1

    assert during is within is before
    assert keys.current().material == b"n" * 64


def test_each_failed_refresh_of_the_key_is_counted_by_its_reason(clock: Clock) -> None:
    keys.current()

    with metrics.collecting() as collected:
        for fault in (
            wire_tap.answering("GetSecretValue", "AccessDeniedException"),
            wire_tap.failing(0, after=False),
            wire_tap.failing(0, after=True),
        ):
            clock.now += keys.FRESH
            with fault:
                keys.current()

    reasons = ["AccessDeniedException", "EndpointConnectionError", "ReadTimeoutError"]
    assert collected == {("KeyNotRefreshed", reason): [1.0] for reason in reasons}


def test_a_process_without_a_key_says_that_it_got_none(aws: None) -> None:
    keys.forget_current()

    with wire_tap.failing(0, after=False), pytest.raises(EndpointConnectionError):
        keys.current()


def test_only_a_refresh_of_the_key_is_one_short_try(clock: Clock) -> None:
    asked = []

    def watch(client: Any, call: Callable[[], Any], _operation: str, _parameters: dict[str, Any]) -> Any:
        asked.append((client.meta.config.retries["total_max_attempts"], client.meta.config.read_timeout))
        return call()

    with wire_tap.around(watch):
        keys.current()
        clock.now += keys.FRESH
        keys.current()

    assert asked == [(3, 2), (1, 1)]


def test_an_old_version_is_not_the_current_one(aws: None) -> None:
    old = keys.current()
    rotate("n" * 64)

    assert keys.current().material == b"n" * 64
    assert keys.version(old.version).material == old.material == b"k" * 64


def test_a_rotation_does_not_help_with_a_passphrase(bob: Api) -> None:
    url_token = bob.push(passphrase="p")

    rotate("n" * 64)

    assert [bob.retrieve(url_token, given).status for given in (None, "q", "p")] == [401, 401, 200]
