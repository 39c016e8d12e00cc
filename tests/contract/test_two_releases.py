"""The previous release and this one serve the same tables at once: each reads the other's data.

This happens during a deployment, while a canary gets part of the traffic, and after a rollback. 1.0 has the first store
format, so until 1.1 this release is used for both.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from infra.build import template
from shared.web.cookies import SESSION
from tests.drivers import releases
from tests.drivers.client import KEY, START
from tests.drivers.releases import Release, ReleasedApi
from tests.engines import moto_server, over_http, resources

OWNER = "name:bob@example.com"
LONG = "x" * 5_000  # stored in S3
RELEASE_BEFORE = template.ROOT  # in 1.1: a checkout of 1.0
ORDERS = ["old first", "new first"] if template.ROOT != RELEASE_BEFORE else ["old first"]


class Pair(NamedTuple):
    """An owner at the release that writes first, and at the other."""

    one: ReleasedApi
    other: ReleasedApi


@pytest.fixture(scope="module")
def both() -> Iterator[dict[str, Release]]:
    """Run two releases on one server's tables."""
    with moto_server.serve() as endpoint, over_http.use({"AWS_ENDPOINT_URL": endpoint}):
        resources.build()
        with releases.running(RELEASE_BEFORE) as old, releases.running(template.ROOT) as new:
            yield {"old": old, "new": new}


@pytest.fixture(params=ORDERS)
def pair(request: pytest.FixtureRequest, both: dict[str, Release]) -> Iterator[Pair]:
    names = ["old", "new"] if request.param == "old first" else ["new", "old"]
    apis = [ReleasedApi(release=both[name]) for name in names]
    token = both[names[0]].ask("issue", START, owner=OWNER)
    yield Pair(*(api.as_owner(token) for api in apis))
    resources.empty()


@pytest.mark.parametrize("payload", ["s3cret", LONG])
def test_each_release_decrypts_the_other_s_data(pair: Pair, payload: str) -> None:
    url_token = pair.one.push(payload=payload, passphrase="p", name="n", note="m" * 600)

    answer = pair.other.retrieve(url_token, "p").json

    assert (answer["payload"], answer["expired"]) == (payload, False)


def test_views_are_counted_together_and_never_one_too_many(pair: Pair) -> None:
    url_token = pair.one.push(expire_after_views=4)

    given = [caller.retrieve(url_token).json["payload"] for caller in [pair.other, pair.one] * 3]

    assert given == ["s3cret"] * 4 + [None] * 2
    assert resources.items("Secrets") == []
    assert [api.retrieve(url_token).json["expired"] for api in pair] == [True, True]


def test_a_push_expired_at_one_release_has_ended_at_the_other(pair: Pair) -> None:
    ended, alive = pair.one.push(name="ended"), pair.one.push(name="alive")

    pair.other.expire(ended)

    for api in pair:
        api.tick(minutes=1)  # the end is dated when it is written, here by a clock that runs
        assert api.retrieve(ended).json["payload"] is None
        assert [push["name"] for push in api.active().json] == ["alive"]
        assert [push["name"] for push in api.expired().json] == ["ended"]
    assert pair.one.retrieve(alive).json["payload"] == "s3cret"


def test_an_audit_log_has_the_entries_of_both_releases(pair: Pair) -> None:
    url_token = pair.one.push(passphrase="p")
    for number, api in enumerate([pair.other, pair.one, pair.other], start=1):
        api.now = START.replace(minute=number)
        api.retrieve(url_token, "wrong" if number == 2 else "p")

    logs = [api.audit(url_token).json["logs"] for api in pair]

    kinds = ["creation", "owner_view", "failed_passphrase", "owner_view"]
    assert [[entry["kind"] for entry in log] for log in logs] == [kinds] * 2


def test_a_lost_answer_is_had_again_from_the_other(pair: Pair) -> None:
    url_token = pair.one.push(expire_after_views=1)

    first = pair.one.retrieve(url_token, key=KEY)
    again = pair.other.retrieve(url_token, key=KEY)
    without = [api.retrieve(url_token).json["payload"] for api in pair]

    assert (first.json["payload"], again.json["payload"]) == ("s3cret", "s3cret")
    assert first.json["views_remaining"] == again.json["views_remaining"] == 0
    assert without == [None, None]


def test_a_create_that_is_sent_again_to_the_other_makes_no_second_push(pair: Pair) -> None:
    tokens = [api.push(key=KEY, name="once") for api in (*pair, *pair)]

    assert len(set(tokens)) == 1
    assert len(pair.one.active().json) == 1


def test_guesses_are_counted_together(pair: Pair) -> None:
    url_token = pair.one.push(passphrase="p")

    statuses = [api.retrieve(url_token, "wrong").status for api in [pair.one, pair.other] * 3]

    assert statuses == [401] * 5 + [429]
    assert [api.retrieve(url_token, "p").status for api in pair] == [429, 429]


def test_sessions_and_api_tokens_of_one_release_work_at_the_other(pair: Pair) -> None:
    assert pair.one.release is not None
    value = pair.one.release.ask("sign in", START, owner=OWNER)
    cookie = f"{SESSION}={value}"

    pages = [api.as_owner(None).exchange("GET", "/pushes", cookies=[cookie])[0] for api in pair]
    strangers = [api.as_owner(None).get("/pushes") for api in pair]

    assert [page.status for page in pages] == [200, 200]
    assert [page.status for page in strangers] == [303, 303]
    assert [api.active().status for api in pair] == [200, 200]
    for item in resources.items("ApiTokens"):
        resources.client("dynamodb").delete_item(TableName="test-ApiTokens", Key={"digest": item["digest"]})
    assert [api.active().status for api in pair] == [401, 401]
