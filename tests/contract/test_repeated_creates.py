"""A repeated create with its idempotency key makes one push, and gets its response (contract, section 11)."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests

from shared.aws import keys
from shared.domain import digests, url_tokens
from shared.runtime import settings
from tests.conftest import Configure
from tests.contract import test_files
from tests.drivers.client import KEY, OTHER_KEY, START, Answer, Api
from tests.engines import resources
from tests.functions.test_read_status import status
from tests.meters import wire_tap

LARGE = "x" * 10_000  # stored in S3
MIDNIGHT = datetime(2026, 1, 2, tzinfo=UTC)
FIELDS: list[dict[str, Any]] = [
    {},
    {"payload": LARGE, "passphrase": "p", "name": "n", "note": "o" * 3_000, "expire_after_duration": 3},
    {"payload": "", "files": [{"filename": "a", "data": "eA=="}]},
]


@pytest.fixture(params=["anonymous", "owner"])
def caller(request: pytest.FixtureRequest, api: Api, bob: Api) -> Api:
    return bob if request.param == "owner" else api


@pytest.mark.parametrize("fields", FIELDS[:2])
def test_the_same_request_makes_one_push_and_gets_the_same_answer(caller: Api, fields: dict[str, Any]) -> None:
    first = caller.create(key=KEY, **fields)

    caller.tick(hours=23, minutes=59, seconds=59)
    again = caller.create(key=KEY, **fields)

    assert first.status == 201
    assert again == first
    ids = [item["id"]["S"] for item in resources.items("Pushes")]
    assert [digests.is_digest(push_id) for push_id in ids].count(True) == 1  # a long label has its own item


def test_inline_files_are_the_first_attempt_s(bob: Api) -> None:
    first, again = (bob.create(key=KEY, **FIELDS[2]) for _ in range(2))

    assert again == first
    assert len(resources.object_keys()) == 1
    [file] = bob.retrieve(first.json["url_token"]).json["files"]
    assert requests.get(file["url"], timeout=10).content == b"x"


def test_a_repeated_create_of_a_viewed_push_returns_the_same_response(caller: Api) -> None:
    first = caller.create(key=KEY, expire_after_views=2)
    caller.retrieve(first.json["url_token"])

    again = caller.create(key=KEY, expire_after_views=2)

    assert again == first
    assert caller.retrieve(first.json["url_token"]).json["views_remaining"] == 0


def test_an_ended_push_s_repeat_is_answered_without_another_push(caller: Api) -> None:
    first = caller.create(key=KEY, expire_after_views=1)
    caller.expire(first.json["url_token"])

    assert caller.create(key=KEY, expire_after_views=1) == first
    assert caller.retrieve(first.json["url_token"]).json["payload"] is None


def test_after_a_day_the_same_request_is_another_push(caller: Api) -> None:
    first = caller.create(key=KEY)

    caller.tick(days=1)

    assert caller.create(key=KEY).json["url_token"] != first.json["url_token"]


def test_the_same_fields_in_another_form_are_the_same_body(bob: Api) -> None:
    first = bob.create("s3cret", key=KEY, expire_after_days=7)
    form = {"content-type": "application/x-www-form-urlencoded", "idempotency-key": KEY}

    again = bob.request("POST", "/api/v2/pushes", headers=form, body=b"push[payload]=s3cret&push[expire_after_days]=7")

    assert again.json["url_token"] == first.json["url_token"]


# ---------------------------------------------------------------- other keys, callers and bodies


CHANGES: list[dict[str, Any]] = [
    *({"payload": "s3cret2"}, {"passphrase": "p"}, {"expire_after_views": 4}, {"expire_after_days": 6}, {"name": "n"}),
    *({"note": "o"}, {"retrieval_step": False}, {"deletable_by_viewer": False}, {"kind": "qr"}),
    *({"expire_after_duration": 12}, {"expire_after_duration": 0}),
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_an_owner_s_key_with_another_body_is_refused(bob: Api, change: dict[str, Any]) -> None:
    bob.create(key=KEY)

    answer = bob.create(**{"payload": "s3cret", "key": KEY} | change)

    if change == {"expire_after_duration": 12}:  # which means seven days as well
        assert answer.status == 201
    else:
        assert (answer.status, list(answer.json)) == (422, ["idempotency_key"])
        assert resources.stored()["Pushes"] == 1


@pytest.mark.parametrize(
    "file", [{"filename": "b", "data": "eA=="}, {"filename": "a", "data": "eQ=="}, {"filename": "a", "size": 1}]
)
def test_other_files_are_another_body(bob: Api, file: dict[str, Any]) -> None:
    bob.create(key=KEY, files=[{"filename": "a", "data": "eA=="}])

    assert bob.create(key=KEY, files=[file]).status == 422


def test_an_anonymous_caller_s_key_with_another_body_is_another_push(api: Api) -> None:
    one, two = api.create("one", key=KEY).json, api.create("two", key=KEY).json

    assert one["url_token"] != two["url_token"]
    assert [api.retrieve(push["url_token"]).json["payload"] for push in (one, two)] == ["one", "two"]


def test_keys_are_the_caller_s_own(api: Api, bob: Api, eve: Api) -> None:
    made = [one.push(key=KEY) for one in (api, bob, eve)]

    assert len(set(made)) == 3
    assert len({*made, bob.push(key=OTHER_KEY), bob.push(), bob.push()}) == 6


def test_a_body_that_is_refused_makes_nothing_of_its_key(bob: Api) -> None:
    assert bob.create(key=KEY, expire_after_views=101).status == 422

    assert bob.create(key=KEY, expire_after_views=100).status == 201


def test_a_url_token_needs_the_instance_key_or_the_caller_s_key(bob: Api) -> None:
    url_token = bob.push(key=KEY)

    assert len(url_token) == url_tokens.LENGTH
    assert set(url_token) <= set(url_tokens.ALPHABET)
    tables = json.dumps([resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")], default=str)
    assert url_token not in tables
    assert KEY not in tables


def test_the_records_of_pushes_that_say_the_same_do_not_show_it(bob: Api) -> None:
    for key in (KEY, OTHER_KEY):
        bob.push("1234", key=key)

    one, other = [item["body_mac"] for item in resources.items("Pushes")]

    assert one != other


# ---------------------------------------------------------------- uploads


def test_a_create_with_uploads_is_continued_by_its_twin(bob: Api) -> None:
    files = [{"filename": "a", "size": 1}, {"filename": "b", "size": 1}]
    first = bob.create("", files=files, key=KEY).json
    test_files.bring(first["uploads"][0], b"x")

    again = bob.create("", files=files, key=KEY).json
    test_files.bring(again["uploads"][1], b"y")

    assert [upload["fields"]["key"] for upload in again["uploads"]] == [
        upload["fields"]["key"] for upload in first["uploads"]
    ]
    assert again["url_token"] == first["url_token"]
    assert len(bob.retrieve(first["url_token"]).json["files"]) == 2


def test_an_ended_push_takes_no_more_files(bob: Api) -> None:
    made = bob.create("", files=[{"filename": "a", "size": 1}], key=KEY).json
    bob.expire(made["url_token"])

    assert "uploads" not in bob.create("", files=[{"filename": "a", "size": 1}], key=KEY).json


def test_a_daily_quota_counts_a_repeated_request_once(bob: Api, configure: Configure) -> None:
    configure(DAILY_FILE_BYTES="10")
    files = [{"filename": "a", "size": 10}]

    assert [bob.create("", files=files, key=KEY).status for _ in range(2)] == [201, 201]


# ---------------------------------------------------------------- concurrent repeats


@pytest.mark.parametrize("fields", FIELDS)
def test_concurrent_repeats_make_one_push_with_the_winner_s_objects(bob: Api, fields: dict[str, Any]) -> None:
    twins: list[Answer] = []

    with wire_tap.before_first("TransactWriteItems", lambda: twins.append(bob.create(key=KEY, **fields))):
        slower = bob.create(key=KEY, **fields)

    assert (slower.status, slower) == (201, twins[0])
    retrieved = bob.retrieve(slower.json["url_token"], fields.get("passphrase")).json
    assert retrieved["payload"] == fields.get("payload", "s3cret")
    assert [requests.get(file["url"], timeout=10).content for file in retrieved["files"]] == [b"x"] * len(
        fields.get("files", [])
    )


def test_a_late_repeated_create_keeps_the_counted_views(bob: Api) -> None:
    def made_and_viewed() -> None:
        bob.retrieve(bob.push(key=KEY, expire_after_views=2))

    with wire_tap.before_first("TransactWriteItems", made_and_viewed):
        slower = bob.create(key=KEY, expire_after_views=2).json

    assert (slower["views_remaining"], bob.kinds(slower["url_token"])) == (2, ["creation", "owner_view"])
    assert bob.retrieve(slower["url_token"]).json["views_remaining"] == 0


def test_repeats_on_both_sides_of_midnight_make_one_push(caller: Api) -> None:
    caller.now = MIDNIGHT - timedelta(milliseconds=1)
    first = caller.create(key=KEY)
    caller.now = MIDNIGHT

    assert caller.create(key=KEY) == first


@pytest.mark.parametrize("sooner", [timedelta(milliseconds=-1), timedelta(milliseconds=1)])
def test_concurrent_repeats_around_midnight_make_one_push(caller: Api, sooner: timedelta) -> None:
    twin = caller.as_owner(caller.token)
    twin.now, caller.now = MIDNIGHT + sooner, MIDNIGHT - sooner
    twins: list[Answer] = []

    with wire_tap.before_first("TransactWriteItems", lambda: twins.append(twin.create(key=KEY))):
        slower = caller.create(key=KEY)

    assert slower == twins[0]
    assert resources.stored()["Pushes"] == 1


# ---------------------------------------------------------------- the instance key


def test_a_rotated_instance_key_still_answers_for_its_day(caller: Api) -> None:
    first = caller.create(key=KEY)

    rotate()

    assert caller.create(key=KEY) == first
    assert caller.retrieve(caller.push()).status == 200
    [of_the_day] = keys.of_days((START.date(),))
    assert keys.current().version != of_the_day.version


def test_the_sender_s_own_link_survives_a_rotation_and_is_checked_without_the_instance_key(api: Api) -> None:
    first = api.create(key=KEY).json["manage_url"]
    rotate()

    assert api.create(key=KEY).json["manage_url"] == first
    resources.renew()
    with wire_tap.calls() as calls:
        assert status(api, *first.split("/")[-2:]).status == 200
    assert [name for name, _ in calls] == ["BatchGetItem"]


def test_a_day_has_the_version_that_was_the_newest_when_it_began(aws: None) -> None:
    old = keys.current().version
    rotate()
    today = datetime.now(UTC).date()

    named = keys.of_days(tuple(today + timedelta(days=days) for days in (-1, 0, 2)))
    versions = {days: key.version for days, key in zip((-1, 0, 2), named, strict=True)}

    assert versions == {-1: old, 0: old, 2: keys.current().version}


def rotate() -> None:
    """Give the installation another instance key, as a cold process sees it."""
    arn = settings.current().instance_key_arn
    resources.client("secretsmanager").put_secret_value(SecretId=arn, SecretString="another" * 9)
    resources.renew()


def test_the_first_create_with_a_key_reads_all_days_versions_once(bob: Api) -> None:
    resources.renew()

    with wire_tap.calls() as calls:
        bob.push(key=KEY)

    assert [name for name, _ in calls].count("ListSecretVersionIds") == 1


def test_a_create_without_a_key_reads_and_checks_nothing_more(bob: Api) -> None:
    with wire_tap.calls() as calls:
        bob.push()

    assert [name for name, _ in calls if name in ("ListSecretVersionIds", "BatchGetItem")] == ["BatchGetItem"]
    [written] = [parameters["TransactItems"] for name, parameters in calls if name == "TransactWriteItems"]
    assert not [one for one in written if "ConditionCheck" in one]
