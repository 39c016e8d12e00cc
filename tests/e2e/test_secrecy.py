"""No secret is in the tables, in the bucket or in the logs."""

from dataclasses import dataclass

import pytest

from infra.local.stack import Stack
from tests.drivers.http_client import HttpApi
from tests.e2e import aws, test_asks
from tests.e2e.conftest import Issue
from tests.meters.proof import Prove

pytestmark = pytest.mark.long

PAYLOAD = "a-payload-in-clear"
LARGE_PAYLOAD = PAYLOAD * 50_000
PASSPHRASE = "a-passphrase-in-clear"
NAME = "a-name-in-clear"
NOTE = "a-note-in-clear"
KEY = "an-idempotency-key-in-clear"
MESSAGE = "a-message-in-clear"


@dataclass(frozen=True)
class Lived:
    """Secrets of pushes with an eventful life and of an ask, which must be stored nowhere."""

    secrets: list[str]
    object_count: int


@pytest.fixture(scope="module")
def lived(api: HttpApi, asker: HttpApi, issue: Issue, stack: Stack) -> Lived:
    token = issue("secrecy@example.com")
    owner = api.as_owner(token)
    small = owner.push(PAYLOAD, passphrase=PASSPHRASE, name=NAME, note=NOTE, key=KEY)
    large = owner.push(LARGE_PAYLOAD, passphrase=PASSPHRASE)
    made = api.create(PAYLOAD, passphrase=PASSPHRASE, expire_after_views=1, key=KEY).json
    of_one_view, own_page = made["url_token"], made["manage_url"].removeprefix(api.base_url)
    manage_key = own_page.rpartition("/")[2]
    api.retrieve(small)
    api.retrieve(small, f"not {PASSPHRASE}")
    api.retrieve(small, PASSPHRASE)
    api.retrieve(large, PASSPHRASE)
    for url_token in (small, large, of_one_view):
        assert [api.retrieve(url_token, PASSPHRASE, key=KEY).json["payload"] is not None for _ in range(2)] == [
            True
        ] * 2
    owner.create(PAYLOAD, key=KEY)
    named = {"X-Manage-Key": manage_key, "Referer": f"{api.base_url}{own_page}", "User-Agent": f"bot {own_page}"}
    for path in (own_page, f"/de{own_page}", f"{own_page}/", f"/api/v2/pushes/{of_one_view}/status"):
        api.request("GET", path, headers=named)
    api.request("DELETE", f"/api/v2/pushes/{of_one_view}", headers=named)
    api.preview(small)
    owner.audit(small)
    owner.active()
    api.as_owner(f"{token}-not").active()
    owner.create(PAYLOAD, kind=PAYLOAD, passphrase=[PASSPHRASE])
    owner.request("GET", f"/{small}/{PAYLOAD}", query={"passphrase": PASSPHRASE})
    asked = test_asks.ask(asker, message=MESSAGE, name=NAME).json
    assert test_asks.send(test_asks.sender(api, asked), PAYLOAD).status == 200
    texts = [PAYLOAD, PASSPHRASE, NAME, NOTE, KEY, MESSAGE]
    return Lived([*texts, small, large, of_one_view, manage_key, token, asked["ask_token"]], len(aws.objects(stack)))


def test_the_tables_hold_nothing_in_clear(stack: Stack, lived: Lived, prove: Prove) -> None:
    items = aws.items(stack)
    held = repr(items)

    assert "secrecy@example.com" in held
    assert [secret for secret in lived.secrets if secret in held] == []
    prove("6", "No table holds anything in clear", f"{len(lived.secrets)} secrets in {len(items):,} items; MiniStack")


def test_the_bucket_holds_nothing_in_clear(stack: Stack, lived: Lived, prove: Prove) -> None:
    held = [key.encode() + content for key, content in aws.objects(stack).items()]

    assert any(len(content) > len(LARGE_PAYLOAD) for content in held)
    assert [secret for secret in lived.secrets if any(secret.encode() in content for content in held)] == []
    prove("6", "The bucket holds nothing in clear", f"{len(lived.secrets)} secrets in {len(held):,} objects; MiniStack")


def test_the_logs_tell_of_requests_and_of_nothing_in_them(stack: Stack, lived: Lived, prove: Prove) -> None:
    logged = aws.log_lines(stack)
    lines = "\n".join(logged)

    assert '"route":"GET /api/v2/pushes/{url_token}"' in lines
    assert '"route":"$default"' in lines
    assert [secret for secret in lived.secrets if secret in lines] == []
    prove("7", "No log holds anything secret", f"{len(lived.secrets)} secrets in {len(logged):,} lines; MiniStack")
