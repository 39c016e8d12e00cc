"""One write decides: details of the store that the endpoints' own tests do not show."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from pynamodb.exceptions import DeleteError

from shared.aws import backoff, claims, reads, store, tokens
from shared.aws.connection import connection
from shared.domain import digests, owners
from shared.domain.audit import AuditEntry, AuditKind
from shared.domain.limits import MAX_AUDIT_ENTRIES, MAX_MISSING_ENTRIES
from shared.domain.push import Push
from shared.domain.token import Credential
from tests.doubles import virtual_time
from tests.drivers.client import KEY, START, Answer, Api
from tests.engines import resources
from tests.meters import wire_tap

SECOND = timedelta(seconds=1)


def read_push(url_token: str) -> Push:
    """Return the push as one caller has read it, while others may write to it."""
    found = reads.find(digests.digest(url_token))
    assert found is not None
    return found


def entry(kind: AuditKind, at: datetime = START) -> AuditEntry:
    return AuditEntry(kind, "192.0.2.1", "", "", at)


def claim(push: Push, at: datetime = START) -> bool:
    return claims.claim(push, entry(AuditKind.VIEW, at), now=START)


def expire(push: Push, at: datetime = START) -> bool:
    return store.expire(push, entry(AuditKind.EXPIRE, at), now=START)


def last_guess(push: Push) -> bool:
    return store.record_guess(push, None, entry(AuditKind.EXPIRE), now=START)


def wrong_passphrase(push: Push) -> bool:
    return store.record_guess(push, entry(AuditKind.FAILED_PASSPHRASE), None, now=START)


def missing_passphrase(push: Push) -> bool:
    return store.record_missing_passphrase(push, entry(AuditKind.FAILED_PASSPHRASE), now=START)


@pytest.mark.parametrize("write", [claim, expire, wrong_passphrase, missing_passphrase])
@pytest.mark.parametrize("first", [claim, expire])
def test_nothing_is_written_to_a_push_that_somebody_else_has_ended(
    bob: Api, first: Callable[[Push], bool], write: Callable[[Push], bool]
) -> None:
    url_token = bob.push(expire_after_views=1)
    push = read_push(url_token)
    assert first(push)
    kinds = bob.kinds(url_token)

    assert write(push) is False

    assert bob.kinds(url_token) == kinds


@pytest.mark.parametrize("write", [claim, expire, wrong_passphrase, missing_passphrase])
def test_a_request_served_after_a_delete_writes_nothing(bob: Api, write: Callable[[Push], bool]) -> None:
    url_token = bob.push()
    claim(read_push(url_token), START + 2 * SECOND)
    push = read_push(url_token)
    assert expire(push, START + 2 * SECOND)

    # By its receipt the push is alive, and nothing later was written than the version it has read.
    late = write(push) if write not in (claim, expire) else write(push, START + 2 * SECOND)

    assert late is False


@pytest.mark.parametrize("write", [claim, expire, last_guess])
def test_a_view_or_end_dated_before_the_last_write_is_decided_again(bob: Api, write: Callable[[Push], bool]) -> None:
    url_token = bob.push(passphrase="p", expire_after_views=3)
    push = read_push(url_token)
    claim(push, START + SECOND)

    assert write(push) is False
    assert seen_again(push).updated_at == START + SECOND


def test_stored_attribute_names_stay_the_same(bob: Api) -> None:
    url_token = bob.push(key=KEY, passphrase="p", files=[{"filename": "a", "data": ""}])
    bob.retrieve(url_token, "p", key=KEY)

    secrets = sorted(resources.items("Secrets"), key=lambda item: str(item["id"]))
    names = {table: set(resources.items(table)[0]) for table in ("Pushes", "AuditEntries", "ApiTokens")}
    names |= {"Secrets": set(secrets[0]), "Leases": set(secrets[1])}

    life = {"created_at", "updated_at", "expires_at", "purge_at", "expire_after_days", "expire_after_views"}
    counts = {"views", "entries", "guesses", "guesses_in_a_row"}
    flags = {"deletable_by_viewer", "retrieval_step", "is_protected", "is_deleted", "has_objects", "awaits_files"}
    assert names == {
        "Pushes": {"id", "owner", "kind", "label", "key_version", "attempt", "leased_until", "body_mac", "active_since"}
        | counts
        | life
        | flags,
        "Secrets": {"id", "key_version", "wrapped_key", "payload", "files", "salt", "cost", "lease_salt", "expires_at"},
        "Leases": {"id", "wrapped_key", "claimed_at", "until", "views", "push_expires_at", "repeats", "expires_at"},
        "AuditEntries": {"push_id", "at", "kind", "ip", "user_agent", "referrer", "created_at", "purge_at"}
        | {"owner", "views_left"},
        "ApiTokens": {"digest", "owner", "name", "last_four", "created_at", "is_session"},
    }


@pytest.mark.parametrize("write", [expire, wrong_passphrase, missing_passphrase])
def test_a_request_served_after_the_last_view_writes_nothing(bob: Api, write: Callable[[Push], bool]) -> None:
    push = read_push(bob.push(expire_after_views=1))

    assert claims.claim(push, entry(AuditKind.VIEW), now=START + SECOND) is True

    assert write(push) is False


def test_unread_items_of_a_batch_are_requested_again(bob: Api) -> None:
    url_token = bob.push()

    answer, asked = call_throttled(lambda: bob.retrieve(url_token), times=2)

    assert (answer.json["payload"], asked) == ("s3cret", 4)


def test_a_batch_left_unread_again_and_again_fails(bob: Api) -> None:
    url_token = bob.push()

    with virtual_time.passing() as clock:
        answer, _ = call_throttled(lambda: bob.retrieve(url_token), times=999)

    assert (answer.status, answer.headers["retry-after"]) == (503, "2")
    assert clock.monotonic() <= backoff.PATIENCE


def listed(owner: str) -> list[Credential]:
    return tokens.list_credentials(owner, owners.locator(owner))[0]


def test_an_owner_s_api_tokens_are_listed_oldest_first(bob: Api, eve: Api, issue: Callable[[str], str]) -> None:
    issue("name:bob@example.com")
    before = {token.digest for token in listed("name:bob@example.com")}

    tokens.remove(digests.digest(str(bob.token)))

    left = listed("name:bob@example.com")
    assert len(before) == 2
    assert {token.digest for token in left} == before - {digests.digest(str(bob.token))}
    assert [token.owner for token in listed("name:eve@example.com")] == ["name:eve@example.com"]


def test_many_api_tokens_are_read_a_hundred_at_a_time(bob: Api, issue: Callable[[str], str]) -> None:
    for _ in range(100):
        issue("name:bob@example.com")

    with wire_tap.calls() as calls:
        tokens = listed("name:bob@example.com")

    keys = [len(sent["RequestItems"]["test-ApiTokens"]["Keys"]) for name, sent in calls if name == "BatchGetItem"]
    assert len(tokens) == 101
    assert [operation for operation, _ in calls] == ["Query", "BatchGetItem", "BatchGetItem"]
    assert keys == [100, 3]  # the owner's record is in each


def test_the_first_view_s_file_stamps_stay_for_later_views(bob: Api) -> None:
    push_id = digests.digest(bob.push("", files=[{"filename": "a", "size": 1}]))

    for stamps in (["first"], ["later"]):
        store.record_arrival(push_id, stamps)

    push = reads.find(push_id)
    assert push
    assert (push.arrival, push.awaits_files) == (["first"], False)


def test_a_push_of_no_id_is_not_found(aws: None) -> None:
    assert reads.find("nothing") is None
    assert reads.load("nothing", "lease nothing") == (None, None, None)


def test_reading_no_pushes_costs_no_round_trip(aws: None) -> None:
    with wire_tap.calls() as calls:
        found = reads.find_all([]), reads.long_labels([])

    assert (found, calls) == (([], {}), [])


def test_a_guess_is_not_recorded_past_the_last_entry_that_the_log_holds(bob: Api) -> None:
    push = read_push(bob.push(passphrase="p"))._replace(entries=MAX_AUDIT_ENTRIES - 1)
    resources.fill_log(push.id, MAX_AUDIT_ENTRIES)

    assert wrong_passphrase(push) is False
    assert seen_again(push).entries == MAX_AUDIT_ENTRIES
    assert store.record_guess(seen_again(push), None, None, now=START) is True
    assert seen_again(push).guesses == [START]


def test_missing_passphrases_fill_at_most_half_of_the_log(bob: Api) -> None:
    push = read_push(bob.push(passphrase="p"))._replace(entries=MAX_MISSING_ENTRIES - 1)
    resources.fill_log(push.id, MAX_MISSING_ENTRIES)

    assert missing_passphrase(push) is False
    assert seen_again(push).entries == MAX_MISSING_ENTRIES


def test_a_failed_view_is_not_recorded_in_a_full_log(bob: Api) -> None:
    push = read_push(bob.push())._replace(entries=MAX_AUDIT_ENTRIES - 1)
    resources.fill_log(push.id, MAX_AUDIT_ENTRIES)

    assert store.record_failed_view(push, entry(AuditKind.FAILED_VIEW), destroy=True) is False
    assert seen_again(push).entries == MAX_AUDIT_ENTRIES


def test_a_concurrent_right_passphrase_resets_the_count_of_guesses(bob: Api) -> None:
    push = read_push(bob.push(passphrase="p"))
    wrong_passphrase(push)
    seen_once = seen_again(push)
    claim(seen_once)

    assert wrong_passphrase(seen_once) is False
    assert wrong_passphrase(seen_again(push)) is True
    assert seen_again(push).guesses_in_a_row == 1


@pytest.mark.parametrize("recorded", [True, False])
def test_a_resent_guess_counts_once_despite_another_write(bob: Api, recorded: bool) -> None:
    push = read_push(bob.push(passphrase="p"))

    with wire_tap.cancelling("TransactionConflict", after=True):
        failure = entry(AuditKind.FAILED_PASSPHRASE) if recorded else None
        done = store.record_guess(push, failure, None, now=START)

    # An engine without request tokens cannot tell that a write without an entry was done.
    assert done or not recorded
    assert seen_again(push).guesses == [START]


def test_a_secret_is_destroyed_though_a_transaction_holds_it_for_a_moment(bob: Api) -> None:
    push = read_push(bob.push())

    with wire_tap.answering("DeleteItem", "TransactionConflictException", times=2):
        store.destroy(push.id)

    assert resources.items("Secrets") == []


def test_a_secret_locked_for_long_is_not_reported_as_destroyed(bob: Api) -> None:
    push = read_push(bob.push())

    held_for_long = wire_tap.answering("DeleteItem", "TransactionConflictException")
    with virtual_time.passing(), held_for_long, pytest.raises(DeleteError):
        store.destroy(push.id)


def seen_again(push: Push) -> Push:
    found = reads.find(push.id)
    assert found is not None
    return found


def call_throttled(call: Callable[[], Answer], *, times: int) -> tuple[Answer, int]:
    """Call while DynamoDB leaves the first batches unread; return the result and the number of reads."""
    asked = 0

    def leave_unread(params: dict[str, Any], **_: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked > times:
            return None
        wanted = json.loads(params["body"])["RequestItems"]
        return _Http(), {"Responses": {}, "UnprocessedKeys": wanted}

    events = connection().client.meta.events
    events.register("before-call.dynamodb.BatchGetItem", leave_unread)
    try:
        return call(), asked
    finally:
        events.unregister("before-call.dynamodb.BatchGetItem", leave_unread)


class _Http:
    status_code = 200
