"""The state of an anonymous push, for the sender who has its manage key (contract, section 14)."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conftest import Configure
from tests.drivers.client import KEY, Answer, Api
from tests.engines import resources
from tests.meters import wire_tap

BY_MANAGE_KEY = pytest.mark.prove(
    "API", "The manage key shows a push's state and, on its page, deletes the push; no other key does", "moto"
)
pytestmark = BY_MANAGE_KEY


def create(api: Api, **fields: Any) -> tuple[str, str]:
    """Create an anonymous push; return its url_token and its manage key."""
    url = api.create(**fields).json["manage_url"]
    _, url_token, key = urlsplit(url).path[1:].split("/")
    return url_token, key


def status(caller: Api, url_token: str, key: str | None, end: str = "", method: str = "GET") -> Answer:
    headers = {} if key is None else {"x-manage-key": key}
    return caller.request(method, f"/api/v2/pushes/{url_token}/status{end}", headers=headers)


def test_the_status_of_a_new_push(api: Api) -> None:
    answer = status(api, *create(api, expire_after_views=3, passphrase="p", name="n", note="o"))

    assert answer.status == 200
    assert answer.json == {
        "expired": False,
        "ended_by": None,
        "views_remaining": 3,
        "expire_after_views": 3,
        "first_viewed_at": None,
        "last_viewed_at": None,
        "created_at": "2026-01-01T01:00:00.000Z",
        "expires_at": "2026-01-08T01:00:00.000Z",
        "expired_on": None,
    }


def test_the_status_has_the_moments_of_the_first_and_the_last_view(api: Api) -> None:
    url_token, key = create(api, expire_after_views=3)
    for _ in range(3):
        api.tick(minutes=1)
        api.retrieve(url_token)

    seen = status(api, url_token, key).json

    assert (seen["first_viewed_at"], seen["last_viewed_at"]) == ("2026-01-01T01:01:00.000Z", "2026-01-01T01:03:00.000Z")
    assert (seen["expired"], seen["ended_by"], seen["views_remaining"]) == (True, "last_view", 0)
    assert seen["expired_on"] == seen["expires_at"] == seen["last_viewed_at"]


def test_the_first_view_is_the_one_that_was_written_first(api: Api) -> None:
    url_token, key = create(api)
    slower = Api(now=api.now + timedelta(minutes=1))

    with wire_tap.before_first("TransactWriteItems", lambda: api.retrieve(url_token)):
        assert slower.retrieve(url_token).json["views_remaining"] == 4

    assert status(api, url_token, key).json["first_viewed_at"] == "2026-01-01T01:00:00.000Z"


def test_the_moments_of_views_are_kept_on_anonymous_pushes_only(api: Api, bob: Api) -> None:
    for caller in (api, bob):
        caller.retrieve(caller.push())

    moments = {"owner" in item: "first_viewed_at" in item and "last_viewed_at" in item for item in pushes()}
    assert moments == {True: False, False: True}


def pushes() -> list[dict[str, Any]]:
    return resources.items("Pushes")


def test_the_status_says_how_a_push_ended(api: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="1")
    deleted, guessed, aged = create(api), create(api, passphrase="p"), create(api, expire_after_days=1)
    api.tick(hours=24, seconds=-1)
    api.expire(deleted[0])
    api.retrieve(guessed[0], "wrong")
    api.tick(seconds=1)

    assert [status(api, *one).json["ended_by"] for one in (deleted, guessed, aged)] == ["deleted", "guesses", "time"]


@pytest.mark.parametrize("wrong", [None, "", "a" * 26, "\u00e9\udc80"], ids=["none", "empty", "another", "odd"])
def test_without_its_manage_key_a_push_has_no_status(api: Api, wrong: str | None) -> None:
    url_token, key = create(api)

    for answer in (status(api, url_token, wrong), status(api, "nosuchtoken", key), status(api, create(api)[0], key)):
        assert (answer.status, answer.json) == (404, {"error": "not-found"})


def test_an_owned_push_has_no_manage_key_and_no_status(bob: Api) -> None:
    created = bob.create().json

    assert "manage_url" not in created
    assert [status(bob, created["url_token"], key).status for key in (None, "", "a" * 26)] == [404] * 3


def test_a_status_ends_nothing_and_leaves_no_trace(api: Api) -> None:
    url_token, key = create(api, expire_after_views=1, expire_after_days=1)
    before = {table: resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")}

    assert status(api, url_token, key).json["expired"] is False
    api.tick(days=1)
    assert status(api, url_token, key).json["expired"] is True

    assert {table: resources.items(table) for table in before} == before


def test_the_json_path_and_head_answer_alike(api: Api) -> None:
    url_token, key = create(api)

    got = status(api, url_token, key)
    assert status(api, url_token, key, ".json") == got
    for end in ("", ".json"):
        head = status(api, url_token, key, end, "HEAD")
        assert (head.status, head.headers, head.text) == (200, got.headers, "")
        assert status(api, url_token, "wrong", end, "HEAD").status == 404


def test_the_status_works_as_long_as_the_record_is_kept(api: Api) -> None:
    url_token, key = create(api, expire_after_days=1)

    api.tick(days=2, seconds=-1)
    assert status(api, url_token, key).status == 200
    api.tick(seconds=1)
    assert status(api, url_token, key).status == 404


def test_a_token_beside_the_key_is_checked_first(api: Api, bob: Api) -> None:
    url_token, key = create(api)

    assert status(api.as_owner("nonsense"), url_token, key).status == 401
    assert status(bob, url_token, key).status == 200


def test_without_anonymous_access_the_status_needs_a_token_as_well(api: Api, bob: Api, configure: Configure) -> None:
    url_token, key = create(api)
    configure(ANONYMOUS_ACCESS="false")

    assert [status(caller, url_token, key).status for caller in (api, bob)] == [401, 200]


def test_the_manage_url_is_the_base_url_with_token_and_key(api: Api, configure: Configure) -> None:
    configure(BASE_URL="https://push.example.com")

    created = api.create(retrieval_step=True).json

    token = created["url_token"]
    assert re.fullmatch(rf"https://push\.example\.com/m/{token}/[a-z2-7]{{26}}", created["manage_url"])


def test_each_create_without_an_idempotency_key_has_a_key_of_its_own(api: Api) -> None:
    assert len({create(api)[1] for _ in range(5)}) == 5


def test_a_repeated_create_answers_the_same_manage_url(api: Api) -> None:
    first = api.create(key=KEY).json

    assert api.create(key=KEY).json == first
    assert status(api, *create(api, key=KEY)).status == 200


def test_the_forms_of_api_v1_answer_a_manage_url_too(api: Api) -> None:
    assert "/m/" in api.post("/p.json", {"password": {"payload": "x"}}).json["manage_url"]
