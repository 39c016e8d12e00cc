"""The command as a process, against the real handlers behind a socket."""

import json
import signal
from pathlib import Path

import pytest
from secret_cli import terminal
from secret_cli.failure import Exit
from secret_cli.link import parse

from tests.drivers.client import Answer
from tests.infra.cli.conftest import Secret, Service

TEXT = "-----BEGIN KEY-----\r\n\tü \u200b\U0001f512\n\n"


def link(secret: Secret, *options: str, text: str = TEXT) -> str:
    pushed = secret("push", *options, given=text)
    assert pushed.status == 0, pushed.err
    return pushed.out.decode()


def kept_keys(secret: Secret) -> list[Path]:
    return list((secret.home / ".local/state/secret-sharing").glob("*"))


def test_a_text_comes_back_byte_for_byte_and_counts_once(secret: Secret) -> None:
    at = link(secret, "--views", "1")
    assert secret("get", given=at).out == TEXT.encode()
    again = secret("get", given=at)
    assert (again.status, again.out) == (Exit.GONE, b"")
    assert kept_keys(secret) == []


def test_files_come_back_under_free_names(bob: Secret) -> None:
    (bob.home / "bericht ü.bin").write_bytes(bytes(range(256)) * 1000)
    (bob.home / "b.txt").write_bytes(b"")
    (bob.home / "c.txt").write_text("c")
    at = link(bob, "bericht ü.bin", "c.txt", "--text", text="see")
    got = bob("get", "--json", given=at)
    answer = json.loads(got.out)
    assert answer["payload"] == "see"
    assert answer["files"] == ["bericht ü (2).bin", "c (2).txt"]
    assert (bob.home / "bericht ü (2).bin").read_bytes() == (bob.home / "bericht ü.bin").read_bytes()


def test_a_lost_answer_costs_no_second_view(secret: Secret, service: Service) -> None:
    at = link(secret, "--views", "1")
    service.broken += [lambda *given: given[2], lambda *_: Answer(502, {}, "")]
    got = secret("get", given=at)
    assert (got.status, got.out) == (0, TEXT.encode())
    assert "trying again" in got.err


def test_a_killed_get_gets_the_secret_without_another_view(secret: Secret, service: Service) -> None:
    at = link(secret, "--views", "1")
    process = secret.start("get")

    def kill(_method: str, _path: str, answer: Answer) -> Answer:
        process.send_signal(signal.SIGKILL)
        return answer

    service.broken += [lambda *given: given[2], kill]
    assert process.communicate(at.encode())[0] == b""
    [kept] = kept_keys(secret)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert secret("get", given=at).out == TEXT.encode()
    assert kept_keys(secret) == []


@pytest.mark.parametrize("given", ["right", "wrong", ""])
def test_the_passphrase_comes_from_a_file_and_is_in_no_url(given: str, secret: Secret, service: Service) -> None:
    (secret.home / "pass").write_text("pässwort %41\n")
    (secret.home / "wrong").write_text("other")
    at = link(secret, "--passphrase-file", "pass", "--views", "1")
    options = {"right": ["--passphrase-file", "pass"], "wrong": ["--passphrase-file", "wrong"], "": []}[given]
    got = secret("get", *options, given=at)
    assert (got.status, got.out) == ((0, TEXT.encode()) if given == "right" else (Exit.PASSPHRASE, b""))
    assert "?" not in "".join(service.asked)


def test_the_sender_without_an_account_sees_its_state_and_ends_it(secret: Secret) -> None:
    pushed = json.loads(secret("push", "--json", given=TEXT).out)
    secret("get", given=pushed["link"])

    assert json.loads(secret("status", "--json", given=pushed["manage_url"]).out)["views_remaining"] == 4
    assert "first_viewed_at" in secret("status", given=pushed["manage_url"]).out.decode()
    assert json.loads(secret("end", "--json", given=pushed["manage_url"]).out)["expired"] is True
    assert secret("get", given=pushed["link"]).status == Exit.GONE
    assert secret("status", given=pushed["manage_url"].rsplit("/", 1)[0] + "/" + "a" * 26).status == Exit.GONE


def test_the_owner_sees_who_opened_it_and_ends_it(bob: Secret) -> None:
    at = link(bob)
    bob("get", given=at)
    assert [line.split()[1] for line in bob("status", given=at).out.decode().splitlines()] == ["creation", "owner_view"]
    assert bob("end", given=at).out == b"Ended.\n"
    assert bob("get", given=at).status == Exit.GONE


def test_an_api_token_is_not_sent_to_another_service(bob: Secret, service: Service) -> None:
    at = link(bob)
    bob.environment |= {"SECRET_BASE_URL": "https://push.example.com"}
    assert bob("get", given=at).out == TEXT.encode()
    assert bob("status", given=at).status == Exit.USAGE


def test_nothing_secret_is_in_the_arguments_or_the_environment(secret: Secret, service: Service) -> None:
    seen: list[bytes] = []
    (secret.home / "pass").write_text("the passphrase")
    at = link(secret, "--passphrase-file", "pass", text="the secret").strip()
    process = secret.start("get", "--passphrase-file", "pass")

    def look(_method: str, _path: str, answer: Answer) -> Answer:
        seen.extend(Path(f"/proc/{process.pid}/{name}").read_bytes() for name in ("cmdline", "environ"))
        return answer

    service.broken += [look, look]
    assert process.communicate(at.encode())[0] == b"the secret"
    assert len(seen) == 4
    for secret_text in ("the secret", "the passphrase", parse(at).token):
        assert secret_text.encode() not in b"".join(seen)


def test_a_configuration_that_others_can_read_is_refused(secret: Secret) -> None:
    folder = secret.home / ".config/secret-sharing"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('base_url = "https://push.example.com"')
    (folder / "config.toml").chmod(0o644)
    refused = secret("push", given=TEXT)
    assert refused.status == Exit.USAGE
    assert "chmod 600" in refused.err


def test_the_configuration_file_says_where_and_as_whom(secret: Secret, service: Service) -> None:
    del secret.environment["SECRET_BASE_URL"]
    folder = secret.home / ".config/secret-sharing"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'base_url = "{service.base_url}/"\ntoken = "{service.token}"\n')
    (folder / "config.toml").chmod(0o600)
    at = link(secret)
    assert secret("status", given=at).out.split()[1] == b"creation"


@pytest.mark.parametrize(
    ("arguments", "given", "status"),
    [
        (("push", "missing.txt"), "", 2),
        (("push",), "", Exit.REFUSED),
        (("push", "--views", "0"), "x", Exit.REFUSED),
        (("push",), b"\xff", Exit.USAGE),
        (("get",), "not a link", Exit.USAGE),
        (("get",), "http://push.example.com/p/abcdefgh", Exit.USAGE),
        (("status",), "https://push.example.com/p/abcdefgh", Exit.USAGE),
    ],
)
def test_a_refusal_has_a_status_and_one_sentence(
    arguments: tuple[str, ...], given: str | bytes, status: int, secret: Secret
) -> None:
    ended = secret(*arguments, given=given)
    assert (ended.status, ended.out) == (status, b"")
    assert ended.err


def test_an_unreachable_service_is_said_after_the_retries(secret: Secret) -> None:
    secret.environment["SECRET_BASE_URL"] = "http://127.0.0.1:9"
    ended = secret("push", given="x")
    assert ended.status == Exit.FAILED
    assert ended.err.count("trying again") == 5


def test_a_refusal_shows_the_services_sentence_and_is_not_repeated(secret: Secret, service: Service) -> None:
    ended = secret("push", "--views", "0", given="x")
    assert "expire_after_views: must be between 1 and 100" in ended.err
    assert len(service.asked) == 1


def test_429_is_repeated_after_the_time_that_the_service_says(
    secret: Secret, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    service.broken += [lambda *_: Answer(429, {"retry-after": "7"}, '{"error": "slow down"}')]
    assert secret("push", given="x").status == 0
    assert 7 <= slept[0] < 10


def test_a_wait_that_is_too_long_ends_the_command_at_once(secret: Secret, service: Service) -> None:
    service.broken += [lambda *_: Answer(429, {"retry-after": "86400"}, '{"error": "slow down"}')]
    assert secret("push", given="x").status == Exit.REFUSED
    assert len(service.asked) == 1


def test_a_terminal_gets_no_control_characters() -> None:
    assert terminal.printable("a\tb\n\x1b[2J\u202eüé") == "a\tb\n\\x1b[2J\\u202eüé"
