"""The instance key is rotated by a new version of its secret: new pushes take it, old ones keep theirs."""

from shared.aws import keys
from tests import engine
from tests.client import Api


def rotate(material: str) -> str:
    """Put a new version of the instance key; its id. Processes started from here on see it."""
    client = engine.client("secretsmanager")
    answer = client.put_secret_value(SecretId="test-InstanceKey", SecretString=material)
    engine.renew()
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

    assert {item["key_version"]["S"] for item in engine.items("Secrets")} == {old, new}
    assert {item["key_version"]["S"] for item in engine.items("Pushes")} == {old, new}
    assert bob.retrieve(url_token).json["payload"] == "s3cret"


def test_a_process_keeps_the_key_it_started_with(aws: None) -> None:
    before = keys.current()
    engine.client("secretsmanager").put_secret_value(SecretId="test-InstanceKey", SecretString="n" * 64)

    assert keys.current() is before
    assert keys.version(before.version) == before


def test_an_old_version_is_not_the_current_one(aws: None) -> None:
    old = keys.current()
    rotate("n" * 64)

    assert keys.current().material == b"n" * 64
    assert keys.version(old.version).material == old.material == b"k" * 64


def test_a_rotation_does_not_help_with_a_passphrase(bob: Api) -> None:
    url_token = bob.push(passphrase="p")

    rotate("n" * 64)

    assert [bob.retrieve(url_token, given).status for given in (None, "q", "p")] == [401, 401, 200]
