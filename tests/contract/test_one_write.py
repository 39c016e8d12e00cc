"""One write decides: each use case makes exactly one, of exactly these items. Later work may never happen.

A destroyed key at the end of a request shows nothing: a call after the claim may have done it, and a killed function
never makes that call. So these tests check the calls themselves.
"""

from collections.abc import Callable
from typing import Any

import pytest

from shared.domain import digests
from shared.identity import auth
from tests.conftest import PASSWORD, Configure, People
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, OTHER_KEY, START, Api
from tests.engines import resources
from tests.meters import wire_tap

PLAIN = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete"}
MAKES = {"Put Pushes", "Put Secrets", "Put AuditEntries"}
COUNTS = ["Put AuditEntries", "Update Pushes"]
ENDS = ["Delete Secrets", *COUNTS]
LEASES = ["Put AuditEntries", "Put Secrets", "Update Pushes"]
LEASES_AND_ENDS = [*LEASES, "Update Secrets"]  # its plain wrapping; the ciphertext stays for the leases
LARGE = "x" * 400_000  # stored in S3


def writes_of(act: Callable[[], Any]) -> list[list[str]]:
    """Return the writes to DynamoDB, each with all its parts: `Delete Secrets`, `Put AuditEntries` …"""
    return [sorted(f"{verb} {table(item)}" for verb, item in write) for write in _writes(act)]


def _writes(act: Callable[[], Any]) -> list[list[tuple[str, dict[str, Any]]]]:
    with wire_tap.calls() as calls:
        act()
    transactions = [
        [pair for one in sent["TransactItems"] for pair in one.items()] if name == "TransactWriteItems" else None
        for name, sent in calls
    ]
    plain = [[(PLAIN[name], sent)] if name in PLAIN else None for name, sent in calls]
    assert not [name for name, _ in calls if name == "BatchWriteItem"]  # it has no conditions and can fail in part
    return [write for both in zip(transactions, plain, strict=True) for write in both if write]


def table(item: dict[str, Any]) -> str:
    return str(item["TableName"]).removeprefix("test-")


@pytest.mark.parametrize("fields", [{}, {"passphrase": "p"}, {"name": "n", "note": "short"}])
def test_a_create_is_one_write_of_push_secret_and_first_entry(api: Api, bob: Api, fields: dict[str, str]) -> None:
    assert writes_of(lambda: api.push(**fields)) == [sorted(MAKES)]
    assert writes_of(lambda: bob.push(**fields)) == [sorted(MAKES)]


def test_a_long_label_goes_with_the_create(bob: Api) -> None:
    assert writes_of(lambda: bob.push(note="n" * 10_000)) == [sorted([*MAKES, "Put Pushes"])]


@pytest.mark.parametrize("payload", ["s3cret", LARGE])
def test_objects_are_in_s3_before_the_create_s_one_write(bob: Api, payload: str) -> None:
    files = [{"filename": "a", "data": "YQ=="}, {"filename": "b", "size": 1}]

    with wire_tap.calls() as calls:
        bob.push(payload, files=files)

    order = [name for name, _ in calls if name in ("PutObject", "TransactWriteItems")]
    assert order == ["PutObject"] * (len(order) - 1) + ["TransactWriteItems"]
    assert len(order) > 1


@pytest.mark.parametrize("caller", ["api", "bob"])
@pytest.mark.parametrize("passphrase", [None, "p"])
def test_a_view_is_one_write_and_the_last_one_destroys_the_key(bob: Api, caller: str, passphrase: str | None) -> None:
    url_token = bob.push(expire_after_views=2, passphrase=passphrase)
    viewer = bob if caller == "bob" else Api()

    assert writes_of(lambda: viewer.retrieve(url_token, passphrase)) == [COUNTS]
    assert writes_of(lambda: viewer.retrieve(url_token, passphrase)) == [ENDS]
    assert writes_of(lambda: viewer.retrieve(url_token, passphrase)) == [COUNTS]  # a failed view


@pytest.mark.parametrize("payload", ["s3cret", LARGE])
def test_a_view_with_a_key_writes_its_lease_in_its_one_write(bob: Api, payload: str) -> None:
    url_token = bob.push(payload, expire_after_views=2)

    assert writes_of(lambda: bob.retrieve(url_token, key=KEY)) == [LEASES]
    assert writes_of(lambda: bob.retrieve(url_token, key=KEY)) == []
    assert writes_of(lambda: bob.retrieve(url_token, key=OTHER_KEY)) == [LEASES_AND_ENDS]
    assert writes_of(lambda: bob.retrieve(url_token, key=KEY)) == []


def test_a_last_view_without_a_key_removes_the_plain_wrapping(bob: Api) -> None:
    url_token = bob.push(expire_after_views=2)
    bob.retrieve(url_token, key=KEY)

    assert writes_of(lambda: bob.retrieve(url_token)) == [sorted([*COUNTS, "Update Secrets"])]


def test_a_last_view_on_the_page_destroys_the_key_by_its_one_write(api: Api) -> None:
    browser = Browser(api).visit(f"/p/{api.push(expire_after_views=1)}")

    assert writes_of(browser.submit) == [LEASES_AND_ENDS]


def test_a_delete_destroys_the_key_by_its_one_write(bob: Api) -> None:
    url_token = bob.push()

    assert writes_of(lambda: bob.expire(url_token)) == [ENDS]
    assert writes_of(lambda: bob.expire(url_token)) == []


def test_a_delete_on_each_page_destroys_the_key_by_its_one_write(ann: Browser) -> None:
    mine = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    record = f"/pushes/{digests.digest(mine.push())}"
    seen = Browser(mine).visit(f"/p/{mine.push(retrieval_step=False)}")

    ann.visit(record)

    assert writes_of(lambda: ann.submit("", expire="yes")) == [ENDS]
    assert writes_of(lambda: seen.submit(sure="yes")) == [ENDS]


def test_a_guess_is_one_write_and_the_last_one_destroys_the_key(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="3")
    url_token = bob.push(passphrase="right")

    assert [writes_of(lambda: bob.retrieve(url_token, "wrong")) for _ in range(2)] == [[COUNTS], [COUNTS]]
    assert writes_of(lambda: bob.retrieve(url_token, "wrong")) == [sorted([*ENDS, "Put AuditEntries"])]


def test_the_last_guess_destroys_the_key_also_with_a_full_log(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="1")
    url_token = bob.push(passphrase="right")
    resources.fill_log(digests.digest(url_token), 2_000)

    assert writes_of(lambda: bob.retrieve(url_token, "wrong")) == [ENDS]


def test_a_missing_passphrase_is_one_write(bob: Api) -> None:
    url_token = bob.push(passphrase="right")

    assert writes_of(lambda: bob.retrieve(url_token)) == [COUNTS]


def test_the_write_of_a_failed_view_destroys_an_expired_push_s_key(bob: Api) -> None:
    seen, full, deleted = bob.push(), bob.push(), bob.push()
    resources.fill_log(digests.digest(full), 2_000)
    bob.tick(days=7)

    assert writes_of(lambda: bob.retrieve(seen)) == [ENDS]
    assert writes_of(lambda: bob.retrieve(full)) == [["Delete Secrets"]]
    assert writes_of(lambda: bob.expire(deleted)) == [["Delete Secrets"]]


def test_every_write_is_conditional_and_on_items_of_its_push(bob: Api) -> None:
    url_token = bob.push(expire_after_views=1)

    [write] = _writes(lambda: bob.retrieve(url_token))

    keys = [item.get("Key") or item["Item"] for _, item in write]
    assert {(key.get("id") or key["push_id"])["S"] for key in keys} == {digests.digest(url_token)}
    assert all("ConditionExpression" in item for verb, item in write if verb in ("Put", "Update"))


def test_the_first_entry_of_a_create_is_written_only_once(bob: Api) -> None:
    [write] = _writes(bob.push)

    # The push's own condition is for repeats with one idempotency key.
    assert [table(item) for _, item in write if "ConditionExpression" in item] == ["AuditEntries", "Pushes"]


# ---------------------------------------------------------------- an owner's writes


def test_each_change_of_an_owner_s_api_tokens_is_one_write(ann: Browser) -> None:
    ann.visit("/users/token")
    made = writes_of(lambda: ann.submit("", name="x"))
    [token] = [item["digest"]["S"] for item in resources.items("ApiTokens") if item.get("last_four", {}).get("S")]

    assert made == [["Put ApiTokens"]]
    assert writes_of(lambda: ann.submit("", revoke=token)) == [["Update ApiTokens"]]


def test_opening_using_and_closing_a_session_are_one_write_each(ann: Browser) -> None:
    closed = writes_of(lambda: ann.visit("/pushes").submit("/users/sign_out"))
    ann.visit("/users/sign_in")

    assert closed == [["Delete ApiTokens"]]
    opened = writes_of(lambda: ann.submit("/users/sign_in", email="ann@example.com", password=PASSWORD))
    assert opened == [["Put ApiTokens"], ["Update ApiTokens"]]


def test_a_new_password_ends_all_credentials_by_one_write_first(ann: Browser, people: People) -> None:
    ann.visit("/users/password").submit(email="ann@example.com")
    code = people.code("ann@example.com")

    written = writes_of(lambda: ann.submit("/users/new_password", code=code, password=PASSWORD))

    assert written == [["Update ApiTokens"], ["Delete ApiTokens"]]
