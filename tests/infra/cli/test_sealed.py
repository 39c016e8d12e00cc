"""Sealed pushes from command to command, through the real handlers."""

import json
from urllib.parse import urldefrag

import pytest
from secret_cli import seal
from secret_cli.failure import Exit

from tests.drivers.client import Api
from tests.engines import resources
from tests.infra.cli.conftest import Secret

TEXT = "first\r\nsecond \U0001f512\n"


def pushed(secret: Secret, *options: str, text: str = TEXT) -> str:
    done = secret("push", "--seal", *options, given=text)
    assert done.status == 0, done.err
    return done.out.decode().strip()


def views() -> list[str]:
    return [item["views"]["N"] for item in resources.items("Pushes")]


def test_a_sealed_text_comes_back_byte_for_byte(secret: Secret) -> None:
    link = pushed(secret)
    assert "#k=" in link
    assert secret("get", given=link).out == TEXT.encode()


def test_sealed_files_come_back_with_their_names_which_the_service_never_saw(bob: Secret) -> None:
    content = bytes(range(256)) * 600  # three chunks
    (bob.home / "payroll.pdf").write_bytes(content)
    (bob.home / "empty.txt").write_bytes(b"")
    link = pushed(bob, "payroll.pdf", "empty.txt", "--text", text="see these")
    (bob.home / "out").mkdir()

    got = json.loads(bob("get", "--json", "--output", "out", given=link).out)

    assert got["payload"] == "see these"
    assert (bob.home / "out/payroll.pdf").read_bytes() == content
    assert (bob.home / "out/empty.txt").read_bytes() == b""
    assert "payroll" not in str([resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")])


@pytest.mark.parametrize("fragment", ["", "k=abc", seal.Key.new().fragment], ids=["missing", "cut", "another"])
def test_a_link_without_its_key_uses_no_view(fragment: str, secret: Secret) -> None:
    got = secret("get", given=f"{urldefrag(pushed(secret)).url}#{fragment}")

    assert (got.status, got.out) == (Exit.INCOMPLETE_LINK, b"")
    assert "No view was used" in got.err
    assert views() == ["0"]


def test_what_a_mail_program_appended_to_the_link_does_no_harm(secret: Secret) -> None:
    assert secret("get", given=f"{pushed(secret)}>.").out == TEXT.encode()


def test_an_older_client_gets_the_sealed_text_as_it_is(secret: Secret) -> None:
    link, fragment = urldefrag(pushed(secret))
    payload = Api().retrieve(link.split("/")[4]).json["payload"]

    key = seal.Key.from_fragment(fragment)
    assert key
    assert seal.open_payload(key, payload) == (TEXT, [])


def test_a_passphrase_guards_a_sealed_push_too(secret: Secret) -> None:
    (secret.home / "pass").write_text("open sesame")
    link = pushed(secret, "--passphrase-file", "pass")

    assert secret("get", given=link).status == Exit.PASSPHRASE
    assert secret("get", "--passphrase-file", "pass", given=link).out == TEXT.encode()


def test_the_key_is_in_no_argument_of_a_request(secret: Secret) -> None:
    link = pushed(secret)
    key = urldefrag(link).fragment.removeprefix("k=")
    secret("get", given=link)

    assert key not in str([resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")])
