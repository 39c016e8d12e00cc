"""One command rotates the instance key; old pushes open, new ones use the new key, the old key's data is counted."""

import pytest

from infra.operator import installation, rotate_key
from shared.aws import clients, keys
from tests.doubles.secrets_manager import SecretsManager
from tests.drivers.client import START, Api
from tests.engines import resources
from tests.meters import wire_tap
from tests.shared.service import test_answers


def materials() -> set[str]:
    """Return every version of the key in plain text."""
    client = resources.client("secretsmanager")
    versions = client.list_secret_version_ids(SecretId="test-InstanceKey", IncludeDeprecated=True)["Versions"]
    ids = [version["VersionId"] for version in versions]
    return {client.get_secret_value(SecretId="test-InstanceKey", VersionId=one)["SecretString"] for one in ids}


def test_old_pushes_open_after_two_rotations_and_new_ones_take_the_new_key(bob: Api) -> None:
    opened = []
    for number in range(3):
        opened.append((bob.push(payload=f"of {number}", name="n"), bob.push(payload=f"of {number}", passphrase="p")))
        rotate_key.rotate()
        resources.renew()

    answers = [(bob.retrieve(bare).json, bob.retrieve(protected, "p").json) for bare, protected in opened]

    assert [(a["payload"], b["payload"]) for a, b in answers] == [(f"of {number}",) * 2 for number in range(3)]
    assert len({item["key_version"]["S"] for item in resources.items("Pushes")}) == 3
    assert len(bob.active().json + bob.expired().json) == 6


def test_the_data_of_each_version_is_counted(bob: Api, api: Api) -> None:
    bob.push(name="n")
    rotate_key.rotate()
    resources.renew()
    viewed = [bob.push(expire_after_views=1, name="n"), api.push()]
    bob.retrieve(viewed[0])

    old, new = rotate_key.count()

    assert (old.is_current, old.pushes, old.labels) == (False, 1, 1)
    assert (new.is_current, new.pushes, new.labels) == (True, 1, 1)
    assert new.version_id == keys.current().version


def test_a_new_version_has_a_label_of_its_own_from_the_first_moment(monkeypatch: pytest.MonkeyPatch, aws: None) -> None:
    double = SecretsManager()
    first = double.current
    monkeypatch.setattr(clients, "client", lambda _service, **_how: double)

    made = [rotate_key.rotate() for _ in range(3)]

    assert set(double.kept) == {first, *made}
    assert double.current == made[-1]
    assert "GetSecretValue" not in double.calls


def test_a_repeated_rotation_makes_one_version(aws: None) -> None:
    with wire_tap.calls() as calls:
        version = rotate_key.rotate()

    [put] = [parameters for operation, parameters in calls if operation == "PutSecretValue"]
    assert put["ClientRequestToken"] == version
    assert len(put["SecretString"]) == 64


@pytest.mark.parametrize("command", ["rotate", "count"])
def test_no_key_is_printed_or_read(
    bob: Api, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bob.push()
    monkeypatch.setattr(installation, "connect", lambda _options: None)

    with wire_tap.calls() as calls:
        rotate_key.main([command])

    printed = "".join(capsys.readouterr())
    assert keys.current().version in printed
    assert not [key for key in materials() if key in printed]
    assert "GetSecretValue" not in [operation for operation, _ in calls]


def test_asks_are_counted_by_version_and_end_with_it(bob: Api) -> None:
    old = test_answers.stored()
    rotate_key.rotate()
    resources.renew()
    new = test_answers.stored()

    assert [version.labels for version in rotate_key.count()] == [1, 1]
    assert len(bob.get("/api/v2/asks").json) == 2
    rotate_key.end(old.ask.key_version, now=START)
    assert test_answers.send(new, 1) == 303
    assert test_answers.send(old, 2) == 410


def test_only_pushes_of_the_earlier_version_end(bob: Api, api: Api) -> None:
    old = [bob.push(name="n"), api.push(passphrase="p"), bob.push(expire_after_views=1)]
    bob.retrieve(old[2], key="0123456789abcdef")  # ended, but kept for a repeat with this key
    earlier = keys.current().version
    rotate_key.rotate()
    resources.renew()
    new = bob.push()

    ended, again = (rotate_key.end(earlier, now=bob.now) for _ in range(2))

    assert (ended, again) == (2, 0)
    answers = [bob.retrieve(old[0]), bob.retrieve(old[1], "p"), bob.retrieve(old[2], key="0123456789abcdef")]
    assert [(answer.json["expired"], answer.json["payload"]) for answer in answers] == [(True, None)] * 3
    assert bob.retrieve(new).json["payload"] == "s3cret"
    [entry] = [entry for entry in bob.audit(old[0]).json["logs"] if entry["kind"] == "expire"]
    assert entry["user_agent"] == "rotate_key"
    assert [push["name"] for push in bob.expired().json if push["url_token"] == old[0]] == ["n"]
    assert [version.pushes for version in rotate_key.count()] == [0, 1]


@pytest.mark.parametrize("which", ["current", "unknown"])
def test_the_current_version_and_one_that_is_not_there_end_nothing(bob: Api, which: str) -> None:
    url_token = bob.push()
    version = keys.current().version if which == "current" else "no-such-version"

    with pytest.raises(SystemExit, match="Nothing was done"):
        rotate_key.end(version, now=bob.now)

    assert bob.retrieve(url_token).json["payload"] == "s3cret"


@pytest.mark.parametrize("arguments", [["end"], ["count", "v"], ["rotate", "v"]])
def test_a_version_is_for_end_alone(arguments: list[str]) -> None:
    with wire_tap.calls() as calls, pytest.raises(SystemExit, match="2"):
        rotate_key.main(arguments)

    assert calls == []
