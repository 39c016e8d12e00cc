"""The cost of the endpoints' writes on AWS (tests/meters/write_units.py), for any content of the push."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from functions import schedule_removal
from shared.aws import new_pushes, tokens
from shared.domain import digests, owners, seal
from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.limits import MAX_GUESSES
from shared.domain.push import Push
from tests.conftest import Configure, Issue
from tests.contract.test_removal import stream
from tests.drivers.client import KEY, OTHER_KEY, START, Api, Context
from tests.engines import resources
from tests.meters import write_units
from tests.shared.service import test_answers

OWNER = "account:12345678-1234-1234-1234-123456789012"
VERSION = "v" * 64  # of the instance key; AWS documents 32 to 64 characters
ENTERS = {"Pushes/index/by_owner": 1, "Pushes/index/active_by_creation": 1}
LEAVES = {"Pushes/index/by_owner": 2, "Pushes/index/active_by_creation": 1}  # moves in one, leaves the other
LONG_NOTE = {"name": "n" * 255, "note": "ü" * 10_000}


@pytest.fixture
def owner(issue: Issue) -> Api:
    tokens.record_account_check(owners.locator(OWNER), now=START)  # the account was checked and is active
    return Api(token=issue(OWNER))


@pytest.mark.parametrize("fields", [{}, {"note": "n" * 10_000}, LONG_NOTE, {"passphrase": "p"}])
def test_a_view_costs_four_units_for_any_content(owner: Api, fields: dict[str, str]) -> None:
    url_token = owner.push("x" * 7_000, **fields)

    with write_units.billed() as bill:
        answer = owner.retrieve(url_token, fields.get("passphrase"))

    assert answer.json["payload"] == "x" * 7_000
    assert bill.units == {"Pushes": 2, "AuditEntries": 2}


@pytest.mark.parametrize(("header", "entry"), [("a" * 255, 2), ("😀" * 255, 6)])
def test_a_view_costs_four_units_and_at_most_eight_with_long_headers(api: Api, header: str, entry: int) -> None:
    url_token = api.push()
    api.headers = {"user-agent": header, "referer": header}
    api.ip = "2001:0db8:1234:5678:1234:5678:1234:5678"

    with write_units.billed() as bill:
        api.retrieve(url_token)

    assert bill.units == {"Pushes": 2, "AuditEntries": entry}


def test_the_last_view_also_costs_the_secret_and_the_owner_s_indexes(owner: Api) -> None:
    url_token = owner.push(expire_after_views=1, **LONG_NOTE)

    with write_units.billed() as bill:
        owner.retrieve(url_token)

    assert bill.units == {"Pushes": 2, **LEAVES, "AuditEntries": 2, "Secrets": 2}


def test_a_create_costs_six_units_and_the_owner_s_indexes(api: Api, owner: Api) -> None:
    for caller, indexes in ((api, {}), (owner, ENTERS)):
        with write_units.billed() as bill:
            caller.push()

        assert bill.units == {"Pushes": 2, "Secrets": 2, "AuditEntries": 2, **indexes}


def test_an_owned_kilobyte_costs_ten_units_four_a_view_eleven_the_last(owner: Api) -> None:
    totals = []
    with write_units.billed() as bill:
        url_token = owner.push("x" * 1_024, expire_after_views=2)
    for _ in range(2):
        totals.append(bill.total)
        with write_units.billed() as bill:
            owner.retrieve(url_token)

    assert [*totals, bill.total] == [10, 4, 11]


def test_a_mailing_costs_two_quotas_two_for_each_address_and_its_entry(bob: Api, configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")

    with write_units.billed() as created:
        url_token = bob.push(notify_emails_to="a@example.com,b@example.com")
    with write_units.billed() as later:
        bob.post(f"/api/v2/pushes/{url_token}/notify_emails", {"notify_emails_to": "a@example.com"})

    assert created.units == {"Pushes": 2, "Secrets": 2, "AuditEntries": 4, "Quotas": 6, **ENTERS}
    assert later.units == {"Pushes": 2, "AuditEntries": 2, "Quotas": 4}


def test_a_push_that_ended_by_age_costs_three_units_to_leave_the_index(owner: Api) -> None:
    push_id = digests.digest(owner.push(**LONG_NOTE))

    with write_units.billed() as bill:
        schedule_removal.handler(stream(push_id), Context())

    assert bill.units == {"Pushes": 2, "Pushes/index/active_by_creation": 1}


def test_a_long_label_costs_once_at_the_create(owner: Api) -> None:
    with write_units.billed() as bill:
        owner.push(note="n" * 10_000)

    assert bill.units["Pushes"] == 2 + 2 * 10


def test_an_answer_costs_a_push_a_quota_and_its_ask(aws: None) -> None:
    opened = test_answers.stored(OWNER, message="x" * 500)
    tokens.record_account_check(owners.locator(OWNER), now=START)

    with write_units.billed() as bill:
        test_answers.answer(opened, key=None)

    made = {"Pushes": 2, "Secrets": 2, "AuditEntries": 2, **ENTERS}
    assert bill.units == made | {"Asks": 2, "Quotas": 1}


@pytest.mark.parametrize("length", [0, 3_500, 3_556, 3_557, 100_000])
def test_a_secret_has_four_kilobytes_at_most(owner: Api, length: int) -> None:
    with write_units.billed() as bill:
        owner.push("x" * length or "x", passphrase="p")

    assert bill.largest["Secrets"] <= 4 * 1024
    assert bill.units["Secrets"] <= 8


@pytest.mark.parametrize(("name", "objects"), [("語" * 83, 2), ('"' * 254, 2), ("a", 1)])
def test_ten_files_with_the_longest_names_cost_no_more(owner: Api, name: str, objects: int) -> None:
    names = [f"{number}{name}" for number in range(10)]
    assert all(len(name.encode()) <= 255 for name in names)
    declared = {"content_type": f"application/{'x' * 100}; charset={'u' * 40}", "size": 2**30 // 2}
    listed = [{"filename": name, **declared} for name in names]

    with write_units.billed() as bill:
        answer = owner.create("x" * 3_500, files=listed)

    assert answer.status == 201
    assert resources.stored()["Bucket"] == objects  # the payload, and the list if it is long
    assert bill.largest["Secrets"] <= 4 * 1024


@pytest.mark.parametrize("fields", [{}, LONG_NOTE, {"passphrase": "p"}])
@pytest.mark.parametrize(("length", "secret"), [(1_024, 4), (2_500, 6), (3_556, 8)])
def test_a_view_with_a_key_costs_six_units_and_the_last_one_more(
    owner: Api, fields: dict[str, str], length: int, secret: int
) -> None:
    url_token = owner.push("x" * length, expire_after_views=2, **fields)

    with write_units.billed() as first:
        owner.retrieve(url_token, fields.get("passphrase"), key=KEY)
    with write_units.billed() as last:
        owner.retrieve(url_token, fields.get("passphrase"), key=OTHER_KEY)

    assert first.units == {"Pushes": 2, "AuditEntries": 2, "Secrets": 2}
    # The lease, and the secret without its plain wrapping.
    assert last.units == {"Pushes": 2, "AuditEntries": 2, "Secrets": 2 + secret, **LEAVES}


def test_an_answer_that_is_given_again_costs_nothing(owner: Api) -> None:
    url_token = owner.push(expire_after_views=1)
    owner.retrieve(url_token, key=KEY)

    with write_units.billed() as bill:
        owner.retrieve(url_token, key=KEY)

    assert bill.units == {}


@pytest.mark.parametrize(
    ("label", "networks", "key_id"),
    [(512, None, None), (512 - 4 - 20 * 17, b"x" * 20 * 17, None), (512 - 7 - 4 - 20 * 17, b"x" * 20 * 17, b"x" * 4)],
)
def test_a_push_with_everything_at_its_longest_has_one_kilobyte_at_most(
    owner: Api, label: int, networks: bytes | None, key_id: bytes | None
) -> None:
    push = longest()._replace(label=b"x" * label, networks=networks, sealed_key_id=key_id, key_version=VERSION)
    push = push._replace(guesses=[guess(number) for number in range(5)])
    entry = AuditEntry(AuditKind.CREATION, "", "", "", START)

    with write_units.billed() as bill:
        new_pushes.create(push, seal.SealedSecret(VERSION, b"", b"", b""), [entry])

    assert len(push.guesses) == MAX_GUESSES
    assert bill.units["Pushes"] == 2
    assert 900 < bill.largest["Pushes"] <= 1024


@pytest.mark.parametrize(
    "more", [{"networks": b"x" * 20 * 17}, {"sealed_key_id": b"x" * 4}, {"ask_id": "a" * 64}], ids=str
)
def test_a_label_that_would_be_the_kilobyte_s_last_straw_is_stored_apart(owner: Api, more: dict[str, Any]) -> None:
    with write_units.billed() as bill:
        new_pushes.create(longest()._replace(label=b"x" * 512, **more), seal.SealedSecret(VERSION, b"", b"", b""), [])

    assert bill.largest["Pushes"] < 900


def guess(number: int) -> datetime:
    return START + timedelta(milliseconds=number + 1)


def longest() -> Push:
    later = START + timedelta(days=489, milliseconds=7)
    return Push(
        id="f" * 64,
        owner=OWNER,
        kind="text",
        created_at=START + timedelta(milliseconds=1),
        updated_at=later,
        expires_at=later,
        purge_at=later,
        expire_after_days=89,
        expire_after_views=99,
        deletable_by_viewer=True,
        retrieval_step=True,
        is_protected=True,
        views=99,
        entries=12_345,
        notify_when_viewed=True,
    )
