"""Every public client's requests get the responses in docs/clients.md."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from infra.build import template
from tests.drivers import replay
from tests.drivers.client import Api
from tests.drivers.clients import CLIENTS, Client

PAGE = template.ROOT / "docs" / "clients.md"
REPLAYED = [client for client in CLIENTS if client.create]


@pytest.mark.parametrize("client", REPLAYED, ids=lambda client: client.name)
def test_a_client_gets_the_responses_that_it_needs(api: Api, bob: Api, client: Client) -> None:
    blanks = {"token": str(bob.token)}

    created = replay.send_recording(api, client.create, **blanks)

    assert created.status == client.status
    if created.status == 201:
        blanks["url_token"] = created.json["url_token"]
        assert bob.retrieve(blanks["url_token"]).json["payload"] == client.payload
        for request, status in client.follows:
            assert replay.send_recording(api, request, **blanks).status == status, request


def test_the_files_of_clients_arrive_under_their_names(api: Api, bob: Api) -> None:
    for client in REPLAYED:
        if b"filename" in client.create:
            created = replay.send_recording(api, client.create, token=str(bob.token))
            assert created.json["kind"] == "file"
            [file] = bob.retrieve(created.json["url_token"]).json["files"]
            assert file["filename"] in ("a.txt", "BSOD.zip"), client.name


def test_the_official_extension_takes_this_for_a_server_new_enough(api: Api) -> None:
    version = api.get("/api/v2/version").json["application_version"]

    # As its options page parses it: the leading digits of each part between dots.
    parts = [
        int(part) for part in (piece.split("+")[0].split("-")[0] for piece in version.split(".")) if part.isdigit()
    ]
    assert parts[:3] >= [2, 5, 0]


def test_no_client_sends_an_idempotency_key_as_the_page_says() -> None:
    sent = b"".join(part for client in REPLAYED for part in (client.create, *(one for one, _ in client.follows)))
    sources = [path for name in ("pwpush", "pwpush_mcp") for path in package(name).rglob("*.py")]

    assert "**No client but [ours](../infra/cli/README.md) sends an `Idempotency-Key`.**" in PAGE.read_text()
    assert b"idempotency" not in sent.lower()
    assert len(sources) > 10
    assert [path for path in sources if "idempotency" in path.read_text().lower()] == []


def package(name: str) -> Path:
    spec = find_spec(name)
    assert spec
    assert spec.origin
    return Path(spec.origin).parent


def test_a_client_that_is_run_has_its_tests() -> None:
    for client in CLIENTS:
        assert client.tried.startswith("replayed") or (template.ROOT / client.tried).exists(), client.tried


def test_the_page_lists_the_tested_clients() -> None:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]

    wanted = [f"| {one.name} | {one.version} | {one.speaks} | {one.tried} | {one.works} |" for one in CLIENTS]
    assert lines == ["| Client | Version | Speaks | Tried | What works |", *wanted]
