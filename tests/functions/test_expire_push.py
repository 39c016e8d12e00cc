import pytest

from tests.conftest import Configure
from tests.drivers.client import KEY, Answer, Api
from tests.engines import resources
from tests.functions.test_read_status import create


def test_the_owner_expires_a_push(bob: Api) -> None:
    url_token = bob.push(deletable_by_viewer=False)

    answer = bob.expire(url_token)

    assert answer.status == 200
    assert (answer.json["expired"], answer.json["deleted"]) == (True, True)
    assert bob.retrieve(url_token).json["payload"] is None


def test_a_push_expires_at_the_moment_of_the_request(bob: Api) -> None:
    url_token = bob.push(expire_after_days=3)
    bob.tick(hours=30)

    expired = bob.expire(url_token).json

    assert expired["expired_on"] == expired["expires_at"] == expired["updated_at"] == "2026-01-02T07:00:00.000Z"
    assert (expired["created_at"], expired["days_remaining"]) == ("2026-01-01T01:00:00.000Z", 2)
    assert expired["passphrase"] is None


def test_a_recipient_expires_a_push_that_allows_it(api: Api, bob: Api, eve: Api) -> None:
    for recipient in (api, eve):
        url_token = bob.push(deletable_by_viewer=True)

        assert recipient.expire(url_token).json["deleted"] is True
        assert bob.kinds(url_token) == ["creation", "expire"]


def test_a_recipient_may_not_expire_a_push_that_does_not_allow_it(api: Api, bob: Api, eve: Api) -> None:
    url_token = bob.push(deletable_by_viewer=False)

    without, with_token = api.expire(url_token), eve.expire(url_token)

    assert (without.status, without.headers["www-authenticate"]) == (401, "Bearer")
    assert with_token.status == 403
    assert without.json == with_token.json == {"error": "Only the sender may delete this."}
    assert bob.retrieve(url_token).json["payload"] == "s3cret"


def test_nobody_owns_an_anonymous_push(api: Api, bob: Api) -> None:
    url_token = api.push(deletable_by_viewer=False)

    assert [api.expire(url_token).status, bob.expire(url_token).status] == [401, 403]
    assert api.expire(api.push(deletable_by_viewer=True)).status == 200


def test_an_expired_push_stays_unchanged(bob: Api) -> None:
    url_token = bob.push(expire_after_views=1)
    bob.retrieve(url_token)
    bob.tick(hours=1)

    answer = bob.expire(url_token)

    assert answer.status == 200
    assert (answer.json["deleted"], answer.json["expired_on"]) == (False, "2026-01-01T01:00:00.000Z")
    assert bob.kinds(url_token) == ["creation", "owner_view"]


def test_a_push_expires_only_once(bob: Api) -> None:
    url_token = bob.push()
    first = bob.expire(url_token)
    bob.tick(hours=1)

    assert bob.expire(url_token) == first
    assert bob.kinds(url_token) == ["creation", "expire"]


def test_a_push_expired_by_its_days_is_not_deleted(bob: Api) -> None:
    url_token = bob.push(expire_after_days=1)
    bob.tick(days=1)

    expired = bob.expire(url_token).json

    assert (expired["expired"], expired["deleted"], expired["days_remaining"]) == (True, False, 0)


def test_a_forbidden_expire_stays_forbidden_after_the_push_expired(api: Api, bob: Api, eve: Api) -> None:
    url_token = bob.push(deletable_by_viewer=False)
    bob.expire(url_token)

    assert [api.expire(url_token).status, eve.expire(url_token).status] == [401, 403]


def test_an_expire_destroys_the_secret(bob: Api) -> None:
    url_token = bob.push()

    bob.expire(url_token)

    assert resources.stored() == {
        "Pushes": 1,
        "Secrets": 0,
        "AuditEntries": 2,
        "ApiTokens": 1,
        "Asks": 0,
        "Quotas": 0,
        "Bucket": 0,
    }


def test_no_passphrase_is_asked_to_expire_a_push(api: Api) -> None:
    assert api.expire(api.push(passphrase="p")).status == 200


def test_an_unknown_push_is_not_found(api: Api, bob: Api) -> None:
    for caller in (api, bob):
        answer = caller.expire("nosuchtoken")

        assert (answer.status, answer.json) == (404, {"error": "not-found"})


def test_a_bad_api_token_is_refused_although_none_is_needed(api: Api) -> None:
    url_token = api.push(deletable_by_viewer=True)

    assert api.as_owner("nonsense").expire(url_token).status == 401
    assert api.retrieve(url_token).json["payload"] == "s3cret"


def test_the_json_path_expires_too(bob: Api) -> None:
    url_token = bob.push()

    assert delete(bob, f"/api/v2/pushes/{url_token}.json").json["deleted"] is True


@pytest.mark.parametrize("path", ["/p/{}", "/f/{}", "/api/v2/pushes/{}/preview", "/api/v2/pushes"])
def test_nothing_expires_at_another_path(api: Api, path: str) -> None:
    url_token = api.push(deletable_by_viewer=True)

    assert delete(api, path.format(url_token)).status == 404
    assert api.retrieve(url_token).json["payload"] == "s3cret"


def test_without_anonymous_access_a_recipient_needs_a_token(api: Api, bob: Api, eve: Api, configure: Configure) -> None:
    url_token = bob.push(deletable_by_viewer=True)
    configure(ANONYMOUS_ACCESS="false")

    assert api.expire(url_token).status == 401
    assert eve.expire(url_token).status == 200


def test_the_manage_key_expires_a_push_that_no_viewer_may_expire(api: Api) -> None:
    url_token, key = create(api, deletable_by_viewer=False, passphrase="p")

    answer = delete(api, f"/api/v2/pushes/{url_token}", key)

    assert (answer.status, answer.json["deleted"], answer.json["expired"]) == (200, True, True)
    assert [item["kind"]["S"] for item in resources.items("AuditEntries")] == ["creation", "expire"]
    assert resources.items("Secrets") == []
    assert delete(api, f"/api/v2/pushes/{url_token}.json", key) == answer


def test_an_expire_by_the_manage_key_ends_the_leases_of_a_last_view(api: Api) -> None:
    url_token, key = create(api, expire_after_views=1)
    assert [api.retrieve(url_token, key=KEY).json["payload"] for _ in range(2)] == ["s3cret"] * 2

    answer = delete(api, f"/api/v2/pushes/{url_token}", key)

    assert (answer.status, answer.json["deleted"]) == (200, False)
    assert api.retrieve(url_token, key=KEY).json["payload"] is None


@pytest.mark.parametrize("wrong", ["", "a" * 26, "\u00e9"], ids=["empty", "another", "odd"])
def test_a_wrong_manage_key_ends_nothing_even_where_viewers_and_owners_may(api: Api, bob: Api, wrong: str) -> None:
    pushes = {create(api, deletable_by_viewer=True)[0]: api, bob.push(deletable_by_viewer=True): bob}

    for url_token, caller in pushes.items():
        answer = delete(caller, f"/api/v2/pushes/{url_token}", wrong)

        assert (answer.status, answer.json) == (404, {"error": "not-found"})
        assert api.retrieve(url_token).json["payload"] == "s3cret"


def test_a_token_beside_the_manage_key_is_checked_first(api: Api, bob: Api) -> None:
    url_token, key = create(api, deletable_by_viewer=False)
    path = f"/api/v2/pushes/{url_token}"

    assert delete(api.as_owner("nonsense"), path, key).status == 401
    assert api.retrieve(url_token).json["payload"] == "s3cret"
    assert delete(bob, path, key).status == 200


def delete(caller: Api, path: str, manage_key: str | None = None) -> Answer:
    headers = {} if manage_key is None else {"x-manage-key": manage_key}
    return caller.request("DELETE", path, headers=headers)
