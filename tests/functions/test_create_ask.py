"""POST /api/v2/asks."""

from typing import Any

import pytest

from shared.identity import auth
from tests.conftest import Configure, People
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, OTHER_KEY, START, Answer, Api
from tests.engines import resources
from tests.meters import wire_tap

WIRE = {"ask_token", "html_url", "name", "message", "answers", "answers_remaining", "files", "max_bytes", "expired"}
WIRE |= {"created_at", "expires_at", "expired_on", "push"}
PUSH = {"expire_after_days": 7, "expire_after_views": 5, "deletable_by_viewer": True, "retrieval_step": True}


def asker(ann: Browser) -> Api:
    """Return the API of a person with an account."""
    return Api(now=ann.api.now, token=auth.issue_api_token(ann.owner, "test", now=START))


def ask(api: Api, key: str | None = None, **fields: Any) -> Answer:
    """Create an ask."""
    return api.post("/api/v2/asks", {"ask": {"message": "The password, please", **fields}}, key=key)


def test_an_ask_has_its_link_and_the_default_limits(ann: Browser) -> None:
    with wire_tap.calls() as calls:
        answer = ask(asker(ann), name="Shop")

    assert (answer.status, answer.json.keys()) == (201, WIRE)
    assert "test-Asks" not in str([sent for name, sent in calls if name == "BatchGetItem"])  # without a key, no repeat
    assert answer.json["html_url"].endswith(f"/a/{answer.json['ask_token']}")
    shown = {name: answer.json[name] for name in WIRE - {"ask_token", "html_url"}}
    assert shown == {
        "name": "Shop",
        "message": "The password, please",
        "answers": 1,
        "answers_remaining": 1,
        "files": False,
        "max_bytes": 25 * 2**20,
        "expired": False,
        "expired_on": None,
        "push": PUSH,
        "created_at": "2026-01-01T01:00:00.000Z",
        "expires_at": "2026-01-08T01:00:00.000Z",
    }


def test_the_limits_of_an_ask_and_of_its_answers_are_chosen(ann: Browser) -> None:
    push = {"expire_after_duration": "1", "expire_after_views": 1, "deletable_by_viewer": False, "retrieval_step": 0}

    answer = ask(asker(ann), answers=20, files=True, max_bytes=str(2**30), expire_after_days=90, push=push)

    assert (answer.json["answers"], answer.json["files"], answer.json["max_bytes"]) == (20, True, 2**30)
    assert answer.json["push"] == push | {"expire_after_duration": 1, "retrieval_step": False}


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"message": " "}, {"message"}),
        ({"message": "x" * 2_001, "name": "n" * 256}, {"message", "name"}),
        (
            {"answers": 21, "max_bytes": 2**30 + 1, "expire_after_days": 91},
            {"answers", "max_bytes", "expire_after_days"},
        ),
        ({"max_bytes": "10000000000"}, {"max_bytes"}),
        ({"files": "maybe", "expire_after_days": 91}, {"files", "expire_after_days"}),
        ({"message": 5, "notify_when_answered": "x"}, {"message", "notify_when_answered"}),
        ({"push": []}, {"push"}),
        ({"push": {"passphrase": "x"}}, {"push"}),
        ({"push": {"expire_after_duration": "x", "expire_after_views": 101}}, {"push"}),
    ],
)
def test_every_invalid_field_is_named_and_nothing_is_stored(
    ann: Browser, fields: dict[str, Any], refused: set[str]
) -> None:
    answer = ask(asker(ann), **fields)

    assert (answer.status, answer.json.keys()) == (422, refused)
    assert len(answer.json.get("message", [""])) == 1
    assert resources.items("Asks") == []


def test_files_are_refused_where_the_installation_takes_none(ann: Browser, configure: Configure) -> None:
    configure(FILE_ATTACHMENTS="false")

    assert ask(asker(ann), files=True).json == {"files": ["are not available here"]}


@pytest.mark.parametrize("body", [{}, {"ask": {}}, {"ask": "x"}, {"push": {"message": "x"}}])
def test_a_body_without_an_ask_is_400(bob: Api, body: dict[str, Any]) -> None:
    assert bob.post("/api/v2/asks", body).status == 400


def test_an_ask_needs_an_account_with_a_confirmed_address(ann: Browser, bob: Api, people: People) -> None:
    api = asker(ann)
    assert ask(Api()).status == 401
    assert ask(bob).status == 403

    client = resources.client("cognito-idp")
    unverified = {"UserAttributes": [{"Name": "email_verified", "Value": "false"}]}
    client.admin_update_user_attributes(UserPoolId=people.pool_id, Username="ann@example.com", **unverified)

    assert ask(api).status == 403
    assert resources.items("Asks") == []


def test_a_repeat_with_its_key_is_the_same_ask(ann: Browser) -> None:
    api = asker(ann)
    first = ask(api, key=KEY, answers=2)
    ask_token = first.json["ask_token"]
    Browser().visit(f"/a/{ask_token}").submit("", **{"push[payload]": "s3cret"})
    api.request("DELETE", f"/api/v2/asks/{ask_token}")
    api.tick(hours=23)

    assert ask(api, key=KEY, answers=2) == first
    assert ask(api, key=OTHER_KEY, answers=2).json["ask_token"] != ask_token
    assert ask(api, key=KEY, name="other").json.keys() == {"idempotency_key"}
    api.tick(hours=2)
    assert ask(api, key=KEY).json["ask_token"] != ask_token


@pytest.mark.parametrize("second", [59, 60], ids=["on one day", "at midnight"])
def test_two_creates_at_once_with_one_key_are_one_ask(ann: Browser, second: int) -> None:
    api, others = asker(ann), list[Answer]()
    api.tick(hours=22, minutes=59, seconds=59)
    other = Api(now=api.now, token=api.token)
    other.tick(seconds=second - 59)

    with wire_tap.before_first("TransactWriteItems", lambda: others.append(ask(other, key=KEY))):
        answer = ask(api, key=KEY)

    assert [answer] == others
    assert answer.status == 201
    assert len(resources.items("Asks")) == 1
