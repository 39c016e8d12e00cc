"""The MCP server's client, unmodified, against the deployed stack: it uses the `.json` paths only."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from pwpush_mcp.client import PwpushClient, PwpushError
from pwpush_mcp.config import Config

from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Issue

Json = dict[str, Any]


@pytest.fixture(scope="module")
def client(base_url: str, issue: Issue) -> PwpushClient:
    return PwpushClient(Config(base_url, issue("mcp@example.com"), max_retries=0))


def test_the_instance_is_recognised(client: PwpushClient) -> None:
    version = asyncio.run(client.version())

    assert version["detected_api_version"] == "v2"
    assert version["api_version"] == "2.1"


@pytest.mark.parametrize(
    ("kind", "payload"),
    [("text", "pässword 🔑"), ("url", "https://example.com/?a=1&b=2#c"), ("qr", "WIFI:T:WPA;S:net;;")],
)
def test_a_created_push_is_retrieved_unchanged(client: PwpushClient, api: HttpApi, kind: str, payload: str) -> None:
    created = create(client, payload, kind=kind, passphrase="open & sesame")

    retrieved = api.retrieve(created["url_token"], "open & sesame").json

    assert (retrieved["kind"], retrieved["payload"]) == (kind, payload)


@pytest.mark.parametrize(
    ("duration", "lifetime"),
    [
        ("15m", timedelta(minutes=15)),
        ("12h", timedelta(hours=12)),
        ("1d", timedelta(days=1)),
        ("1w", timedelta(weeks=1)),
        ("3mo", timedelta(days=90)),
    ],
)
def test_a_push_lives_as_long_as_its_duration_says(client: PwpushClient, duration: str, lifetime: timedelta) -> None:
    created = create(client, duration=duration)

    assert moment(created["expires_at"]) - moment(created["created_at"]) == lifetime
    assert created["expire_after_days"] == max(1, lifetime.days)


def test_a_preview_gives_the_link_and_counts_no_view(client: PwpushClient) -> None:
    created = create(client, views=1)

    preview = asyncio.run(client.preview_push(created["url_token"]))

    assert preview == {"url": created["html_url"]}
    assert active(client)[created["url_token"]]["views_remaining"] == 1


def test_an_expired_push_moves_from_one_list_to_the_other(client: PwpushClient) -> None:
    url_token = create(client, name="a name")["url_token"]
    was_active = url_token in active(client)

    expired = asyncio.run(client.expire_push(url_token))

    assert (was_active, expired["deleted"]) == (True, True)
    assert url_token not in active(client)
    assert asyncio.run(client.list_pushes("expired"))[0]["name"] == "a name"


def test_the_audit_log_names_the_actor_of_each_event(client: PwpushClient, api: HttpApi) -> None:
    url_token = create(client)["url_token"]
    api.retrieve(url_token)

    logs = asyncio.run(client.push_audit(url_token))["logs"]

    assert [entry["kind"] for entry in logs] == ["creation", "view"]
    assert logs[0]["user_agent"].startswith("pwpush-mcp/")


def test_without_a_token_pushes_can_be_made_but_not_listed(base_url: str) -> None:
    anonymous = PwpushClient(Config(base_url, None))

    created = create(anonymous)

    assert created["url_token"]
    with pytest.raises(PwpushError, match="requires authentication"):
        asyncio.run(anonymous.list_pushes("active"))


def test_a_bad_token_is_refused(base_url: str) -> None:
    stranger = PwpushClient(Config(base_url, "no-such-token"))

    with pytest.raises(PwpushError, match="401"):
        asyncio.run(stranger.list_pushes("active"))


def create(
    client: PwpushClient,
    payload: str = "s3cret",
    *,
    kind: str = "text",
    duration: str = "1d",
    views: int = 5,
    passphrase: str | None = None,
    name: str | None = None,
) -> Json:
    made: Json = asyncio.run(
        client.create_push(
            payload=payload,
            kind=kind,
            duration=duration,
            expire_after_views=views,
            passphrase=passphrase,
            name=name,
            note=None,
            deletable_by_viewer=True,
            retrieval_step=True,
        )
    )
    return made


def active(client: PwpushClient) -> dict[str, Json]:
    """Return the first page of the active pushes, by url_token."""
    return {one["url_token"]: one for one in asyncio.run(client.list_pushes("active"))}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
