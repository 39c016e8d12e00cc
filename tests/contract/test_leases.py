"""A repeated retrieve with its key gets the same response, and counts once (contract, section 11)."""

import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from functions import remove_objects, schedule_removal
from shared.domain import digests
from tests.conftest import Configure
from tests.contract.test_removal import failures, queue, scheduled, stream
from tests.doubles import conflicts, virtual_time
from tests.drivers.client import KEY, OTHER_KEY, Answer, Api, Context
from tests.engines import resources
from tests.meters import wire_tap

LARGE = "x" * 10_000  # stored in S3
CASES: list[dict[str, Any]] = [
    {"payload": "s3cret"},
    {"payload": "s3cret", "expire_after_views": 1},
    {"payload": LARGE, "expire_after_views": 1},
    {"payload": "s3cret", "passphrase": "p"},
    {"payload": "s3cret", "passphrase": "p", "expire_after_views": 1},
]


@pytest.mark.parametrize("fields", CASES)
def test_the_same_key_gets_the_same_answer_again_and_it_is_counted_once(bob: Api, fields: dict[str, Any]) -> None:
    url_token = bob.push(**fields)
    first = keyed(bob, url_token, fields)

    bob.tick(seconds=59, milliseconds=999)
    again = keyed(bob, url_token, fields)

    assert (first.status, first.json["payload"], first.json["expired"]) == (200, fields["payload"], False)
    assert again == first
    assert bob.kinds(url_token) == ["creation", "owner_view"]
    listed: list[Any] = bob.active().json + bob.expired().json
    assert [push["views_remaining"] for push in listed] == [first.json["views_remaining"]]
    assert views(url_token) == 1


@pytest.mark.parametrize("fields", CASES)
def test_after_a_minute_the_push_gives_its_current_status(bob: Api, fields: dict[str, Any]) -> None:
    url_token = bob.push(**fields)
    keyed(bob, url_token, fields)

    bob.tick(seconds=60)
    again = keyed(bob, url_token, fields)

    is_over = fields.get("expire_after_views") == 1
    assert again.json["payload"] == (None if is_over else fields["payload"])
    assert bob.kinds(url_token)[2:] == (["failed_view"] if is_over else ["owner_view"])


def test_a_view_with_the_same_key_after_a_minute_gets_another_lease(api: Api) -> None:
    url_token = api.push(expire_after_views=2)
    for _ in range(2):
        api.retrieve(url_token, key=KEY)
        api.tick(seconds=61)

    api.now -= timedelta(seconds=2)
    again = api.retrieve(url_token, key=KEY)

    assert (again.json["payload"], again.json["views_remaining"]) == ("s3cret", 0)
    assert views(url_token) == 2


@pytest.mark.parametrize("last", [None, OTHER_KEY])
@pytest.mark.parametrize("payload", ["s3cret", LARGE])
def test_an_earlier_view_is_repeated_after_another_caller_s_last_view(api: Api, last: str | None, payload: str) -> None:
    url_token = api.push(payload, expire_after_views=2)
    first = api.retrieve(url_token, key=KEY)
    api.tick(seconds=30)

    assert api.retrieve(url_token, key=last).json["views_remaining"] == 0

    api.tick(seconds=29)
    assert api.retrieve(url_token, key=KEY) == first
    assert api.retrieve(url_token).json["payload"] is None  # and that destroys nothing yet
    assert api.retrieve(url_token, key=KEY) == first
    api.tick(seconds=1)
    assert api.retrieve(url_token, key=KEY).json["payload"] is None


def test_another_key_and_the_same_key_on_another_push_are_other_requests(api: Api) -> None:
    one, two = api.push("one", expire_after_views=1), api.push("two", expire_after_views=1)
    api.retrieve(one, key=KEY)

    assert api.retrieve(one, key=OTHER_KEY).json["payload"] is None
    assert api.retrieve(two, key=KEY).json["payload"] == "two"


def test_an_owner_with_a_caller_s_key_gets_the_caller_s_response(bob: Api, api: Api) -> None:
    url_token = bob.push(expire_after_views=1)
    first = api.retrieve(url_token, key=KEY)

    assert bob.retrieve(url_token, key=KEY) == first
    assert bob.kinds(url_token) == ["creation", "view"]


def test_a_key_costs_no_round_trip_more(api: Api) -> None:
    url_token = api.push(expire_after_views=2)
    asked = []

    for key in (KEY, KEY, OTHER_KEY, KEY, OTHER_KEY):
        with wire_tap.calls() as calls:
            api.retrieve(url_token, key=key)
        asked.append([name for name, _ in calls if name != "GetSecretValue"])  # once in a process

    view, again = ["BatchGetItem", "TransactWriteItems"], ["BatchGetItem"]
    assert asked == [view, again, view, again, again]


# ---------------------------------------------------------------- passphrases


def test_the_key_without_the_passphrase_opens_nothing(bob: Api) -> None:
    url_token = bob.push(passphrase="p", expire_after_views=2)
    bob.retrieve(url_token, "p", key=KEY)

    assert bob.retrieve(url_token, key=KEY).status == 401
    assert bob.retrieve(url_token, "q", key=KEY).status == 401
    bob.retrieve(url_token, "p")
    assert [bob.retrieve(url_token, wrong, key=KEY).status for wrong in (None, "q")] == [401, 401]
    assert bob.kinds(url_token) == ["creation", *["owner_view", "failed_passphrase", "failed_passphrase"] * 2]
    assert bob.retrieve(url_token, "p", key=KEY).json["payload"] == "s3cret"


# ---------------------------------------------------------------- guesses at a lease

WRONG = "q"
GUESSES = pytest.mark.prove(
    "1-3",
    "During a lease ten repeats are tried, each wrong one counts, and no flood of guesses delays a right one",
    "moto",
)


def push_with_lease(bob: Api, views: int = 1, **fields: Any) -> tuple[str, Answer]:
    """Return a protected push and the response to the first of so many views, which has left a lease."""
    url_token = bob.push(passphrase="p", expire_after_views=views, **fields)
    return url_token, bob.retrieve(url_token, "p", key=KEY)


@GUESSES
@pytest.mark.parametrize(("guesses", "views"), [(43, 2), pytest.param(1_000, 1, marks=pytest.mark.long)])
def test_ten_guesses_in_a_row_at_a_lease_are_tried_then_none(bob: Api, guesses: int, views: int) -> None:
    url_token, _ = push_with_lease(bob, views)

    with mock.patch.object(hashlib, "scrypt", wraps=hashlib.scrypt) as tried:
        statuses = [bob.retrieve(url_token, WRONG, key=KEY).status for _ in range(guesses)]
        right = bob.retrieve(url_token, "p", key=KEY)

    assert statuses == [401] * 10 + [429] * (guesses - 10)
    assert (right.status, right.headers["retry-after"], tried.call_count) == (429, "60", 10)
    assert bob.kinds(url_token)[2:] == ["failed_passphrase"] * 10


@GUESSES
@pytest.mark.parametrize(("guesses", "views"), [(43, 1), pytest.param(1_000, 2, marks=pytest.mark.long)])
def test_ten_concurrent_guesses_at_a_lease_are_tried(bob: Api, guesses: int, views: int) -> None:
    url_token, _ = push_with_lease(bob, views)
    tasks = [lambda: bob.retrieve(url_token, WRONG, key=KEY)] * guesses

    with virtual_time.passing() as clock, conflicts.locking(clock, hold=0.005):
        answers = [answer for answer, _ in clock.run(tasks)]

    assert Counter(answer.status for answer in answers) == {401: 10, 429: guesses - 10}
    assert bob.kinds(url_token)[2:] == ["failed_passphrase"] * 10
    assert bob.retrieve(url_token, "p", key=KEY).status == 429


@GUESSES
def test_five_wrong_guesses_leave_the_right_repeat_of_the_last_view(bob: Api, api: Api) -> None:
    url_token, first = push_with_lease(bob)

    statuses = [api.retrieve(url_token, WRONG, key=KEY).status for _ in range(5)]

    assert statuses == [401] * 5
    assert bob.retrieve(url_token, "p", key=KEY) == first


@GUESSES
def test_a_flood_of_guesses_delays_no_right_repeat(bob: Api, api: Api) -> None:
    url_token, first = push_with_lease(bob, views=2)

    statuses = [api.retrieve(url_token, WRONG).status for _ in range(50)]

    assert statuses == [401] * 5 + [429] * 45
    assert api.retrieve(url_token, "p").status == 429
    assert [bob.retrieve(url_token, "p", key=KEY) for _ in range(10)] == [first] * 10


@GUESSES
@pytest.mark.parametrize(("views", "after"), [(1, (200, None)), (2, (200, "s3cret"))])
def test_the_eleventh_repeat_has_to_wait_for_the_end_of_the_lease(
    bob: Api, views: int, after: tuple[int, str | None]
) -> None:
    url_token, first = push_with_lease(bob, views)

    repeats = [bob.retrieve(url_token, "p", key=KEY) for _ in range(10)]
    bob.tick(seconds=59, milliseconds=1)
    eleventh = bob.retrieve(url_token, "p", key=KEY)
    bob.tick(milliseconds=999)
    later = bob.retrieve(url_token, "p", key=KEY)

    assert repeats == [first] * 10
    assert (eleventh.status, eleventh.headers["retry-after"]) == (429, "1")
    assert (later.status, later.json["payload"]) == after


@GUESSES
@pytest.mark.parametrize("views", [1, 2])
def test_a_missing_passphrase_at_a_lease_is_401_and_spends_nothing(bob: Api, views: int) -> None:
    url_token, first = push_with_lease(bob, views)

    statuses = [bob.retrieve(url_token, key=KEY).status for _ in range(20)]

    assert statuses == [401] * 20
    assert stored_push(url_token)["guesses_in_a_row"]["N"] == "0"
    assert [bob.retrieve(url_token, "p", key=KEY) for _ in range(10)] == [first] * 10


@GUESSES
@pytest.mark.parametrize("views", [1, 2])
def test_guesses_at_a_lease_count_towards_the_one_that_destroys_it(bob: Api, configure: Configure, views: int) -> None:
    configure(MAX_GUESSES="7")
    url_token, _ = push_with_lease(bob, views)
    push_id = digests.digest(url_token)
    for _ in range(6):
        bob.retrieve(url_token, WRONG, key=KEY)
    assert push_id in [item["id"]["S"] for item in resources.items("Secrets")]

    seventh = bob.retrieve(url_token, WRONG, key=KEY)

    assert seventh.status == 401
    assert push_id not in [item["id"]["S"] for item in resources.items("Secrets")]
    assert bob.retrieve(url_token, "p", key=KEY).json["payload"] is None
    assert bob.kinds(url_token)[2:9] == ["failed_passphrase"] * 7
    # An ended push stays as it was; a live one is ended by its guesses.
    assert stored_push(url_token)["is_deleted"]["BOOL"] is (views == 2)


@GUESSES
def test_guesses_with_several_keys_and_without_are_counted_together(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="100")
    url_token, _ = push_with_lease(bob, views=2)
    bob.retrieve(url_token, "p", key=OTHER_KEY)

    for key in (KEY, OTHER_KEY):
        for _ in range(12):
            bob.retrieve(url_token, WRONG, key=key)

    assert stored_push(url_token)["guesses_in_a_row"]["N"] == "20"


@GUESSES
def test_a_repeat_without_a_passphrase_to_give_writes_nothing(bob: Api) -> None:
    url_token = bob.push(expire_after_views=1)
    first = bob.retrieve(url_token, key=KEY)
    before = [resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")]

    assert [bob.retrieve(url_token, key=KEY) for _ in range(12)] == [first] * 12
    assert [resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")] == before


@GUESSES
def test_a_repeat_that_finds_its_lease_after_the_try_spends_one_too(bob: Api) -> None:
    url_token = bob.push(passphrase="p", expire_after_views=1)

    with wire_tap.before_first("TransactWriteItems", lambda: bob.retrieve(url_token, "p", key=KEY)):
        bob.retrieve(url_token, "p", key=KEY)

    [lease] = [item for item in resources.items("Secrets") if item["id"]["S"].startswith("lease ")]
    assert lease["repeats"]["N"] == "1"


# ---------------------------------------------------------------- files


def test_a_repeat_returns_files_only_while_their_links_are_valid(bob: Api) -> None:
    url_token = bob.push("", files=[{"filename": "a", "data": "eA=="}], expire_after_views=1)
    ends = link_end(bob.retrieve(url_token, key=KEY))

    bob.tick(minutes=4, seconds=58)
    again = bob.retrieve(url_token, key=KEY)

    assert requests.get(again.json["files"][0]["url"], timeout=10).content == b"x"
    # The link is signed at the real time, so its remaining life can only be compared in seconds.
    assert lifetime(again) == 2
    assert abs(ends - datetime.now(UTC)) < timedelta(minutes=5, seconds=5)
    bob.tick(seconds=2)
    assert bob.retrieve(url_token, key=KEY).json["files"] == []


def lifetime(answer: Answer) -> int:
    [file] = answer.json["files"]
    return int(parse_qs(urlsplit(file["url"]).query)["X-Amz-Expires"][0])


def link_end(answer: Answer) -> datetime:
    [file] = answer.json["files"]
    signed = parse_qs(urlsplit(file["url"]).query)["X-Amz-Date"][0]
    return datetime.strptime(signed, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) + timedelta(seconds=lifetime(answer))


def test_a_late_claim_of_an_earlier_last_view_shortens_no_lease(api: Api) -> None:
    url_token = api.push(expire_after_views=2)
    api.tick(seconds=8)
    first = api.retrieve(url_token, key=KEY)
    api.now -= timedelta(seconds=8)
    api.retrieve(url_token, key=OTHER_KEY)

    api.tick(seconds=61)
    api.retrieve(url_token)  # a failed view; it destroys data that no lease needs

    assert api.retrieve(url_token, key=KEY) == first


def test_a_late_claim_of_an_earlier_view_shortens_no_lease(api: Api) -> None:
    url_token, first = api.push(expire_after_views=3), list[Answer]()
    sooner, later = (Api(now=api.now + timedelta(seconds=seconds)) for seconds in (0, 20))

    with wire_tap.before_first("TransactWriteItems", lambda: first.append(later.retrieve(url_token, key=KEY))):
        sooner.retrieve(url_token, key=OTHER_KEY)
    later.tick(seconds=59)
    last = later.retrieve(url_token)

    assert last.json["views_remaining"] == 0
    assert [later.retrieve(url_token, key=KEY)] == first


def test_a_repeat_in_time_is_answered_after_a_last_view_that_was_received_later(api: Api) -> None:
    url_token = api.push(expire_after_views=2)
    first = api.retrieve(url_token, key=KEY)
    api.tick(seconds=61)
    api.retrieve(url_token)  # the lease is over, but not for what was received before

    api.now -= timedelta(seconds=2)

    assert api.retrieve(url_token, key=KEY) == first


# ---------------------------------------------------------------- the end of all leases


@pytest.mark.parametrize("views", [1, 2])
def test_an_expire_ends_them(bob: Api, views: int) -> None:
    url_token = bob.push(LARGE, expire_after_views=views)
    bob.retrieve(url_token, key=KEY)

    answer = bob.expire(url_token)

    assert (answer.status, bob.retrieve(url_token, key=KEY).json["payload"]) == (200, None)
    assert resources.items("Pushes")[0]["is_deleted"]["BOOL"] is (views == 2)  # an ended push stays as it was
    assert [item["id"]["S"][:5] for item in resources.items("Secrets")] == ["lease"]  # no key opens it any more


def test_an_expire_by_a_clock_that_is_ahead_ends_them_too(api: Api) -> None:
    url_token = api.push(expire_after_views=1)
    api.retrieve(url_token, key=KEY)
    api.tick(seconds=61)
    api.expire(url_token)

    api.now -= timedelta(seconds=2)

    assert api.retrieve(url_token, key=KEY).json["payload"] is None


def test_the_day_expiry_ends_them(api: Api) -> None:
    url_token = api.push(expire_after_duration=0)
    api.tick(minutes=14, seconds=30)
    first = api.retrieve(url_token, key=KEY)

    api.tick(seconds=29)
    assert api.retrieve(url_token, key=KEY) == first
    api.tick(seconds=1)
    assert api.retrieve(url_token, key=KEY).json["payload"] is None


def test_zero_seconds_turn_leases_off(api: Api, configure: Configure) -> None:
    configure(LEASE_SECONDS="0")
    url_token = api.push(expire_after_views=2)

    answers = [api.retrieve(url_token, key=KEY).json["payload"] for _ in range(3)]

    assert answers == ["s3cret", "s3cret", None]
    assert resources.items("Secrets") == []


# ---------------------------------------------------------------- concurrent repeats


def test_two_concurrent_claims_with_one_key_count_one_view(api: Api) -> None:
    url_token = api.push(expire_after_views=1)
    twins: list[Answer] = []

    with wire_tap.before_first("TransactWriteItems", lambda: twins.append(api.retrieve(url_token, key=KEY))):
        slower = api.retrieve(url_token, key=KEY)

    assert slower == twins[0]
    assert (slower.json["payload"], views(url_token)) == ("s3cret", 1)


@pytest.mark.parametrize("late", ["test-Pushes", "test-Secrets"])
def test_a_claim_that_comes_between_the_reads_of_its_twin_is_found(bob: Api, late: str) -> None:
    url_token = bob.push(expire_after_views=1)

    with wire_tap.between_reads(late, lambda: bob.retrieve(url_token, key=KEY)) as twins:
        slower = bob.retrieve(url_token, key=KEY)

    assert slower == twins[0]
    assert bob.kinds(url_token) == ["creation", "owner_view"]


# ---------------------------------------------------------------- keys


@pytest.mark.parametrize("key", ["", "a" * 15, "a" * 256, "a" * 15 + " ", "a" * 15 + "é", "a" * 15 + "\x7f"])
def test_an_invalid_idempotency_key_is_rejected_and_counts_nothing(api: Api, key: str) -> None:
    url_token = api.push()

    answer = api.retrieve(url_token, key=key)

    assert (answer.status, views(url_token)) == (400, 0)
    assert "Idempotency-Key" in answer.json["error"]
    assert api.create(key=key).status == 400


@pytest.mark.parametrize("key", ["a" * 16, "!" * 255, "~" * 16])
def test_a_valid_idempotency_key_is_accepted(api: Api, key: str) -> None:
    url_token = api.push(expire_after_views=1, key=key)

    assert [api.retrieve(url_token, key=key).json["payload"] for _ in range(2)] == ["s3cret"] * 2


def test_clients_of_api_v1_have_keys_too(api: Api) -> None:
    url_token = api.push(expire_after_views=1)

    answers = [api.request("GET", f"/p/{url_token}.json", headers={"idempotency-key": KEY}) for _ in range(2)]

    assert [answer.json["payload"] for answer in answers] == ["s3cret"] * 2


# ---------------------------------------------------------------- cleanup


@pytest.mark.parametrize("payload", ["s3cret", LARGE])
def test_the_last_view_removes_the_plain_wrapping_in_its_one_write(bob: Api, payload: str) -> None:
    url_token = bob.push(payload, expire_after_views=1)
    push_id = digests.digest(url_token)
    with wire_tap.calls() as calls:
        bob.retrieve(url_token, key=KEY)

    [written] = [parameters["TransactItems"] for name, parameters in calls if name == "TransactWriteItems"]
    changed = [one["Update"] for one in written if "Update" in one and one["Update"]["TableName"] == "test-Secrets"]
    assert [(one["Key"], "REMOVE" in one["UpdateExpression"]) for one in changed] == [({"id": {"S": push_id}}, True)]
    [left] = [item for item in resources.items("Secrets") if item["id"]["S"] == push_id]
    assert "wrapped_key" not in left

    assert failures(schedule_removal.handler(modified(push_id), Context())) == []
    assert scheduled() == [push_id]
    bob.tick(minutes=10)
    assert failures(remove_objects.handler(queue(push_id), Context())) == []

    assert [item["id"]["S"][:5] for item in resources.items("Secrets")] == ["lease"]
    assert resources.stored()["Bucket"] == 0
    assert failures(schedule_removal.handler(stream(push_id), Context())) == []
    assert scheduled() == ([push_id] if payload == LARGE else [])  # in case the stream record of the last view was lost


def test_objects_are_removed_although_the_last_view_s_record_was_lost(bob: Api) -> None:
    url_token = bob.push(LARGE, expire_after_views=1)
    push_id = digests.digest(url_token)
    bob.retrieve(url_token, key=KEY)
    bob.tick(minutes=10)
    bob.retrieve(url_token)  # a failed view; it destroys the secret

    schedule_removal.handler(stream(push_id), Context())

    assert scheduled() == [push_id]


def test_a_removal_that_comes_while_a_lease_lives_is_tried_later(bob: Api) -> None:
    bob.now = datetime.now(UTC)
    url_token = bob.push(LARGE, expire_after_views=1)
    first = bob.retrieve(url_token, key=KEY)

    answer = remove_objects.handler(queue(digests.digest(url_token)), Context())

    assert failures(answer) == [digests.digest(url_token)]
    assert bob.retrieve(url_token, key=KEY) == first


def test_the_removal_of_leftovers_keeps_live_pushes(bob: Api) -> None:
    url_token = bob.push()

    remove_objects.handler(queue(digests.digest(url_token)), Context())

    assert bob.retrieve(url_token).json["payload"] == "s3cret"


def test_a_lease_itself_concerns_no_stream(bob: Api) -> None:
    url_token = bob.push(expire_after_views=1)
    bob.retrieve(url_token, key=KEY)
    [lease_id] = [item["id"]["S"] for item in resources.items("Secrets") if item["id"]["S"].startswith("lease ")]

    assert failures(schedule_removal.handler(stream(lease_id), Context())) == []
    assert scheduled() == []


def test_an_expire_while_leases_live_is_scheduled_like_any(bob: Api) -> None:
    url_token = bob.push(LARGE)
    bob.retrieve(url_token, key=KEY)
    bob.expire(url_token)

    schedule_removal.handler(stream(digests.digest(url_token)), Context())

    assert scheduled() == [digests.digest(url_token)]


def modified(push_id: str) -> dict[str, Any]:
    batch = stream(push_id)
    batch["Records"][0]["eventName"] = "MODIFY"
    return batch


def keyed(caller: Api, url_token: str, fields: dict[str, Any]) -> Answer:
    return caller.retrieve(url_token, fields.get("passphrase"), key=KEY)


def views(url_token: str) -> int:
    """Return the number of counted views."""
    return int(stored_push(url_token)["views"]["N"])


def stored_push(url_token: str) -> dict[str, Any]:
    [push] = [item for item in resources.items("Pushes") if item["id"]["S"] == digests.digest(url_token)]
    return push
