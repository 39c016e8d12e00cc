"""Promises 6 and 7: neither the data alone nor a log line reveals anything."""

import json
import logging
from base64 import b32encode, b64encode
from binascii import hexlify
from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest

from shared.aws import asks, keys, reads
from shared.domain import cipher, digests, manage_key, seal
from shared.domain.ask import open_ask
from tests.drivers.browser import Browser
from tests.drivers.client import START, Answer, Api
from tests.engines import resources
from tests.functions import test_create_ask
from tests.meters import emf
from tests.shared.service import test_answers

pytestmark = pytest.mark.prove(
    "5-7", "An end destroys what opens a push; neither the data, nor a log, nor an error reveals anything", "moto"
)

PAYLOAD = "MARKER-payload-" + "x" * 40
LARGE = PAYLOAD + "y" * 400_000
FILE = {"filename": "MARKER-file.txt", "content_type": "text/x-marker", "data": "QllURVMtT0YtVEhFLUZJTEU="}
BYTES = "BYTES-OF-THE-FILE"
KEY = "MARKER-idempotency-key"
MANAGE = "x-manage-key"
SECRETS = {"passphrase": "MARKER-passphrase", "name": "MARKER-name", "note": "MARKER-note"}
TABLES = ("Pushes", "Secrets", "AuditEntries", "ApiTokens", "Asks", "Quotas")


def live(bob: Api, eve: Api) -> tuple[list[str], list[Answer]]:
    """Run pushes through all events; return their url_tokens and manage keys, and every error on the way."""
    anonymous = Api(now=bob.now)
    tokens = [bob.push(PAYLOAD, **SECRETS), bob.push(LARGE, **SECRETS)]
    tokens += [bob.push(PAYLOAD, **SECRETS, files=[FILE], key=KEY)]
    own_links = [anonymous.create(PAYLOAD, key=key, **SECRETS).json["manage_url"] for key in (None, KEY)]
    tokens += [link.split("/")[-2] for link in own_links]
    manage_keys = [link.split("/")[-1] for link in own_links]
    errors_of_keys = [bob.create(PAYLOAD, key=KEY), bob.create(PAYLOAD, key=f"{KEY} "), bob.retrieve("t", key="MARKER")]
    errors_of_files = [bob.create("", files=[FILE | {"data": "MARKER"}]), bob.create("", files=[FILE | {"size": 1}])]
    errors = [
        *errors_of_files,
        *errors_of_keys,
        anonymous.create(PAYLOAD, **SECRETS, kind="MARKER-kind", expire_after_days="MARKER-days"),
    ]
    for url_token in tokens:
        link = f"https://push.example.com/p/{url_token}/r?passphrase={SECRETS['passphrase']}"
        Api(now=bob.now, headers={"referer": link, "user-agent": f"bot {link[:60]}"}).retrieve(url_token)
        headers = {"x-passphrase": "MARKER%2Dheader"}
        errors.append(bob.request("GET", f"/api/v2/pushes/{url_token}", query="passphrase=MARKER", headers=headers))
        errors.append(anonymous.request("GET", f"/p/{url_token}.json", headers={"x-passphrase": "MARKER%"}))
        errors += [bob.retrieve(url_token), eve.audit(url_token), anonymous.audit(url_token)]
        errors += [eve.get(f"/api/v2/pushes/{url_token}/audit", page="0"), bob.get(f"/MARKER/{url_token}")]
        errors += [bob.retrieve(url_token, "MARKER-wrong") for _ in range(6)]
        bob.tick(minutes=2)
        again = [bob.retrieve(url_token, SECRETS["passphrase"], key=KEY) for _ in range(2)]
        assert [answer.json["views_remaining"] for answer in again] == [4, 4]
    errors += [bob.as_owner("MARKER-token").retrieve(tokens[0]), bob.audit(tokens[0], page="MARKER-page")]
    bob.expire(tokens[0])
    errors += manage(bob, own_links)
    tokens += ask(bob, errors)
    return [*tokens, *manage_keys], [answer for answer in errors if answer.status >= 400]


def ask(bob: Api, errors: list[Answer]) -> list[str]:
    """Ask for a secret and send it from the page; return the tokens of the ask and of its answer."""
    opened = test_answers.stored(name="MARKER-ask", message="MARKER-message")
    path = f"/a/{opened.terms.ask_token}"
    sender = Browser(Api(now=START, headers={"referer": f"https://push.example.com{path}"})).visit(path)
    sender.submit("", **{"push[payload]": PAYLOAD})
    assert sender.at.endswith("/thanks")
    errors += [sender.visit(path).page, bob.post("/api/v2/asks", {"ask": {"message": "MARKER", "answers": "MARKER"}})]
    errors.append(bob.request("DELETE", "/api/v2/asks/MARKER"))
    [answer] = [push for push in Api(now=START, token=bob.token).active().json if push["name"] == "MARKER-ask"]
    return [opened.terms.ask_token, answer["url_token"]]


def manage(bob: Api, own_links: list[str]) -> list[Answer]:
    """Use the anonymous senders' own links in every way, from pages whose address they are."""
    errors = []
    for own_link in own_links:
        path, url_token, key = urlsplit(own_link).path, *own_link.split("/")[-2:]
        sender = Api(now=bob.now, headers={"referer": own_link, "user-agent": f"bot {own_link}"})
        for tried in (key, f"{key}x", "MARKER"):
            errors.append(sender.request("GET", f"/api/v2/pushes/{url_token}/status", headers={MANAGE: tried}))
            errors.append(sender.get(f"/m/{url_token}/{tried}"))
        errors += [sender.retrieve(url_token), sender.get(f"/de{path}"), sender.get(f"{path}/MARKER")]
        page = Browser(sender).visit(path)
        page.submit(f"/p/{url_token}/expire", sure="yes")
        errors.append(sender.request("DELETE", f"/api/v2/pushes/{url_token}", headers={MANAGE: key}))
    return errors


def test_no_item_and_no_object_holds_anything_in_clear(bob: Api, eve: Api) -> None:
    url_tokens, _ = live(bob, eve)

    stored = repr({table: resources.items(table) for table in TABLES})
    assert BYTES not in stored
    assert "text/x-marker" not in stored
    s3 = resources.client("s3")
    for listed in s3.list_objects_v2(Bucket="test-bucket")["Contents"]:
        stored += listed["Key"] + repr(s3.get_object(Bucket="test-bucket", Key=listed["Key"])["Body"].read())

    assert "MARKER" not in stored
    assert not [secret for secret in [*url_tokens, bob.token, eve.token] if secret and secret in stored]


def test_without_the_instance_key_only_counts_and_times_of_an_ask_are_readable(ann: Browser) -> None:
    fields = {"message": "MARKER-message", "name": "MARKER-name", "answers": 2}
    asked = test_create_ask.ask(test_create_ask.asker(ann), KEY, **fields).json
    sender = Browser(Api(now=ann.api.now)).visit(f"/a/{asked['ask_token']}")
    sender.submit("", **{"push[payload]": PAYLOAD})

    [item] = resources.items("Asks")
    texts = {name for name, value in item.items() if "S" in value}
    sealed = {name for name, value in item.items() if "B" in value}
    # A session has the address of who signed in.
    stored = b" ".join(values_of([table for table in TABLES if table != "ApiTokens"]))
    found = asks.find(item["id"]["S"])
    assert found
    assert (texts, sealed) == ({"id", "owner", "key_version"}, {"label", "body_mac"})
    for secret in ("MARKER", "ann@example.com", asked["ask_token"]):
        assert not [spell for spell in (bytes, b32encode, b64encode, hexlify) if spell(secret.encode()) in stored]
    assert open_ask(found, keys.current()).terms.message == "MARKER-message"
    with pytest.raises(cipher.CannotOpen):
        open_ask(found, keys.current()._replace(material=bytes(32)))


def values_of(tables: Sequence[str]) -> list[bytes]:
    """Return every stored value of these tables, as bytes."""
    values = [
        value for table in tables for item in resources.items(table) for one in item.values() for value in one.values()
    ]
    return [value if isinstance(value, bytes) else str(value).encode() for value in values]


def test_nothing_that_is_stored_passes_as_a_manage_key(bob: Api, eve: Api) -> None:
    """A thief of the tables cannot use a sender's own link, not even for a push whose link they have."""
    url_tokens, _ = live(bob, eve)
    pushes = [push for token in url_tokens if (push := reads.find(digests.digest(token))) and push.owner is None]
    stored = values_of(TABLES)

    spelt = {spell(value).rstrip(b"=").lower() for value in stored for spell in (bytes, b32encode, b64encode, hexlify)}

    assert len(pushes) == 2
    assert len(spelt) > 100
    assert not [key for key in spelt for push in pushes if manage_key.opens(key.decode("latin-1"), push)]


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG], ids=["as deployed", "with every library at debug"])
def test_no_log_line_and_no_metric_holds_anything_secret(
    bob: Api, eve: Api, level: int, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(level)

    url_tokens, _ = live(bob, eve)

    logged = "".join(f"{record.getMessage()} {record.__dict__} {emf.as_printed(record)}" for record in caplog.records)
    printed = capsys.readouterr().out
    assert emf.values(printed, "Refused", reason="PassphraseRefused")
    logged += printed
    assert "POST /api/v2/pushes" in logged
    assert "MARKER" not in logged
    assert BYTES not in logged
    assert not [secret for secret in [*url_tokens, bob.token, eve.token] if secret and secret in logged]


def test_no_error_body_quotes_the_request(bob: Api, eve: Api) -> None:
    url_tokens, errors = live(bob, eve)

    bodies = "".join(answer.text for answer in errors)
    assert {answer.status for answer in errors} == {400, 401, 403, 404, 410, 422, 429}
    assert "MARKER" not in bodies
    assert not [secret for secret in [*url_tokens, bob.token, eve.token] if secret and secret in bodies]


def test_a_failure_logs_where_it_happened_but_not_its_message(
    bob: Api, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url_token = bob.push(PAYLOAD)
    monkeypatch.setattr(seal, "open_payload", lambda *_: 1 / int("MARKER-message"))

    answer = bob.retrieve(url_token)

    line = emf.requests(capsys.readouterr().out)[-1]
    assert answer.status == 503
    assert line["level"] == "ERROR"
    assert line["failure"][0].startswith("ValueError < ")
    assert "MARKER" not in json.dumps(line)


@pytest.mark.parametrize("how", ["last view", "expire", "first touch after the day expiry"])
def test_the_end_of_a_push_destroys_all_that_opens_it(bob: Api, how: str) -> None:
    url_token = bob.push(PAYLOAD, expire_after_views=1, expire_after_days=1)
    assert len(resources.items("Secrets")) == 1

    if how == "expire":
        bob.expire(url_token)
    if how == "first touch after the day expiry":
        bob.tick(days=1)
    bob.retrieve(url_token)

    assert resources.items("Secrets") == []


def test_a_full_audit_log_does_not_keep_an_expired_secret(bob: Api) -> None:
    url_token = bob.push(PAYLOAD, expire_after_days=1)
    resources.client("dynamodb").update_item(
        TableName="test-Pushes",
        Key={"id": resources.items("Pushes")[0]["id"]},
        UpdateExpression="SET entries = :full",
        ExpressionAttributeValues={":full": {"N": "2000"}},
    )
    bob.tick(days=1)

    answer = bob.retrieve(url_token).json

    assert answer["payload"] is None
    assert resources.items("Secrets") == []
