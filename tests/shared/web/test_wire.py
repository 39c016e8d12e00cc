"""Details of the JSON that the endpoints' own tests do not show: every value for a given push."""

import json
from datetime import datetime, timedelta

import pytest

from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.push import Label, Listed, Push, Retrieved
from shared.web import wire
from shared.web.push_links import Links
from tests.drivers.client import START

LINKS = Links("https://push.example.com")
DAY = timedelta(days=1)
PUSH = Push(
    id="the id",
    owner="the owner",
    kind="url",
    created_at=START,
    updated_at=START + timedelta(seconds=1),
    expires_at=START + 7 * DAY,
    purge_at=START + 17 * DAY,
    expire_after_days=7,
    expire_after_views=5,
    deletable_by_viewer=False,
    retrieval_step=True,
    is_protected=True,
    label=b"the label",
    views=2,
    entries=3,
)


def test_a_push_is_shown_as_the_contract_says() -> None:
    shown = wire.expired_push(PUSH, "token", LINKS, now=START + DAY)

    assert shown == {
        "expire_after_views": 5,
        "expire_after_days": 7,
        "views_remaining": 3,
        "days_remaining": 6,
        "expired": False,
        "expired_on": None,
        "expires_at": "2026-01-08T01:00:00.000Z",
        "url_token": "token",
        "kind": "url",
        "deletable_by_viewer": False,
        "retrieval_step": True,
        "passphrase": "********",
        "created_at": "2026-01-01T01:00:00.000Z",
        "updated_at": "2026-01-01T01:00:01.000Z",
        "deleted": False,
        "html_url": "https://push.example.com/p/token/r",
        "json_url": "https://push.example.com/p/token.json",
    }


def test_an_expired_push_shows_when_it_ended_and_no_passphrase() -> None:
    for push, deleted in ((PUSH.after_end(START + DAY), False), (PUSH.after_delete(START + DAY), True)):
        shown = wire.expired_push(push, "token", LINKS, now=START + 2 * DAY)

        assert (shown["expired"], shown["deleted"], shown["passphrase"]) == (True, deleted, None)
        assert shown["expired_on"] == shown["expires_at"] == "2026-01-02T01:00:00.000Z"


def test_the_last_view_is_shown_with_its_payload_and_open() -> None:
    last = PUSH._replace(views=4).after_view(START + DAY)

    shown = wire.retrieved_push(Retrieved(last, "the payload", START + DAY), "token", LINKS)

    assert (shown["payload"], shown["files"]) == ("the payload", [])
    assert (shown["views_remaining"], shown["expired"], shown["expired_on"]) == (0, False, None)


@pytest.mark.parametrize(("is_protected", "shown"), [(True, "********"), (False, "")])
def test_a_passphrase_is_masked_and_an_absent_one_is_empty(is_protected: bool, shown: str) -> None:
    push = PUSH._replace(is_protected=is_protected)

    assert wire.expired_push(push, "token", LINKS, now=START)["passphrase"] == shown


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (START, "2026-01-01T01:00:00.000Z"),
        (START + timedelta(microseconds=1_999), "2026-01-01T01:00:00.001Z"),
        (START + timedelta(milliseconds=999), "2026-01-01T01:00:00.999Z"),
    ],
)
def test_a_time_is_shown_to_the_millisecond(moment: datetime, shown: str) -> None:
    assert wire.expired_push(PUSH._replace(created_at=moment), "token", LINKS, now=START)["created_at"] == shown


def test_an_audit_entry_shows_its_kind_as_a_plain_string() -> None:
    entry = AuditEntry(AuditKind.FAILED_PASSPHRASE, "192.0.2.1", "curl/8", "", START)

    assert json.loads(json.dumps(wire.audit_log([entry])))["logs"] == [
        {
            "kind": "failed_passphrase",
            "ip": "192.0.2.1",
            "user_agent": "curl/8",
            "referrer": "",
            "created_at": "2026-01-01T01:00:00.000Z",
            "updated_at": "2026-01-01T01:00:00.000Z",
        }
    ]


def test_the_kinds_of_audit_entries_are_the_contract_s() -> None:
    assert [str(kind) for kind in AuditKind] == [
        *("creation", "view", "owner_view", "failed_view", "failed_passphrase", "expire", "creation_email_send")
    ]


def test_nothing_internal_is_shown() -> None:
    listed = wire.listed_pushes([Listed(PUSH, Label("token", "n", "o"))], LINKS, now=START)

    shown = json.dumps([listed, wire.retrieved_push(Retrieved(PUSH, "p", START), "token", LINKS)])

    assert all(word not in shown for word in ("the id", "the owner", "the label", "entries", "guesses"))


def test_a_preview_is_the_html_url() -> None:
    for step in (True, False):
        push = PUSH._replace(retrieval_step=step)
        html_url = wire.expired_push(push, "token", LINKS, now=START)["html_url"]

        assert wire.preview(push, "token", LINKS) == {"url": html_url}
