"""One write counts a view: details that the endpoints' own tests do not show."""

import json
from typing import Any

from shared.aws import claims, reads
from shared.aws.connection import connection
from shared.domain.audit import AuditKind
from tests.drivers.client import KEY, Api
from tests.engines import resources
from tests.shared.aws.test_store import SECOND, claim, entry, read_push, seen_again, wrong_passphrase


def test_a_last_view_is_claimed_once(bob: Api) -> None:
    push = read_push(bob.push(expire_after_views=1))

    assert [claim(push) for _ in range(3)] == [True, False, False]


def test_concurrent_views_are_claimed_unless_one_is_the_last(bob: Api) -> None:
    push = read_push(bob.push(expire_after_views=3))

    assert [claim(push) for _ in range(3)] == [True, True, False]


def test_a_last_view_destroys_the_secret_in_the_same_write(bob: Api) -> None:
    push = read_push(bob.push(expire_after_views=1))

    claim(push)

    assert reads.load(push.id)[1] is None
    assert resources.items("Secrets") == []


def test_a_protected_view_is_not_claimed_past_a_concurrent_guess(bob: Api) -> None:
    push = read_push(bob.push(passphrase="p"))
    wrong_passphrase(push)

    assert [claim(push), wrong_passphrase(push)] == [False, False]
    assert claim(seen_again(push)) is True


def test_a_push_past_its_end_takes_no_view(bob: Api) -> None:
    push = read_push(bob.push(expire_after_duration=0))

    assert claims.claim(push, entry(AuditKind.VIEW), now=push.expires_at) is False
    assert claims.claim(push, entry(AuditKind.VIEW), now=push.expires_at - SECOND) is True


def test_a_lease_is_kept_for_a_day_after_its_end(bob: Api) -> None:
    bob.retrieve(bob.push(), key=KEY)

    [lease] = [item for item in resources.items("Secrets") if item["id"]["S"].startswith("lease ")]
    assert int(lease["expires_at"]["N"]) - int(lease["until"]["N"]) // 1000 == 24 * 60 * 60


def test_a_write_sent_twice_takes_effect_once_and_counts_as_done(bob: Api) -> None:
    push = read_push(bob.push(expire_after_views=1))
    sent: list[dict[str, Any]] = []

    def twice(model: Any, params: dict[str, Any], **_: Any) -> None:
        # The SDK's behaviour after a lost response: the write takes effect, and is sent again.
        if not sent:
            sent.append(params)
            resources.client("dynamodb").transact_write_items(**json.loads(params["body"]))

    connection().client.meta.events.register("before-call.dynamodb.TransactWriteItems", twice)
    try:
        assert claim(push) is True
    finally:
        connection().client.meta.events.unregister("before-call.dynamodb.TransactWriteItems", twice)

    assert len(sent) == 1
    assert (seen_again(push).views, seen_again(push).entries) == (1, 2)
