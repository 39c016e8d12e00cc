"""Promise 4: DynamoDB removes items up to days late, and nothing depends on the time. moto never removes any."""

import pytest

from tests.drivers.client import START, Api
from tests.engines import resources

pytestmark = pytest.mark.prove("4", "No response depends on when DynamoDB's TTL deletes an item", "moto")


def test_an_expired_push_is_expired_before_its_items_are_removed(bob: Api) -> None:
    url_token = bob.push(expire_after_days=2)
    bob.tick(days=2)
    assert len(resources.items("Secrets")) == 1

    retrieved = bob.retrieve(url_token).json
    listed = bob.expired().json[0]

    assert bob.active().json == []
    for push in (retrieved, listed):
        assert push["expired"] is True
        assert push["expired_on"] == push["expires_at"] == "2026-01-03T01:00:00.000Z"
        assert push["days_remaining"] == 0
        assert push["passphrase"] is None
    assert retrieved["payload"] is None
    assert bob.preview(url_token).status == 200
    assert bob.expire(url_token).json["deleted"] is False


def test_a_delete_after_the_day_expiry_destroys_too(bob: Api) -> None:
    url_token = bob.push(expire_after_days=1)
    bob.tick(days=1)

    answer = bob.expire(url_token)

    assert (answer.status, answer.json["deleted"]) == (200, False)
    assert resources.items("Secrets") == []


def test_a_purged_push_is_gone_from_the_list_and_everywhere(bob: Api) -> None:
    url_token = bob.push(expire_after_days=1)
    bob.tick(days=401)

    assert len(resources.items("Pushes")) == 1
    assert bob.expired().json == []
    assert [bob.retrieve(url_token).status, bob.audit(url_token).status, bob.expire(url_token).status] == [404] * 3


def test_a_push_that_ended_early_is_kept_as_long_after_its_end(bob: Api) -> None:
    url_token = bob.push(expire_after_days=90, expire_after_views=1)
    bob.retrieve(url_token)

    bob.tick(days=399)
    kept = bob.audit(url_token).status
    bob.tick(days=1)

    assert (kept, bob.audit(url_token).status) == (200, 404)


def test_an_expired_api_token_is_rejected_before_its_item_is_removed(bob: Api) -> None:
    from datetime import timedelta

    from shared.identity import auth

    token = auth.issue_api_token("name:bob@example.com", "short", now=START, expires_at=START + timedelta(days=1))
    caller = Api(token=token)
    before = caller.active().status
    caller.tick(days=1)

    assert (before, caller.active().status) == (200, 401)


def test_a_clock_that_lags_does_not_bring_a_push_back(bob: Api) -> None:
    url_token = bob.push()
    bob.tick(seconds=5)
    bob.expire(url_token)
    late = Api(now=START)

    answer = late.retrieve(url_token).json

    assert answer["expired"] is True
    assert answer["payload"] is None
