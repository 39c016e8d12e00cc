"""Every read for a decision or a display is consistent; stale_reads.py shows the consequences otherwise."""

import re
from collections.abc import Iterator

import pytest

from functions import schedule_removal
from shared.aws import reads, tokens
from shared.domain import digests, owners
from shared.identity import auth
from tests.conftest import PASSWORD, Configure, People
from tests.contract import test_files, test_removal
from tests.doubles import stale_reads
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api, Context

OWNER = "name:bob@example.com"


@pytest.fixture(autouse=True)
def _stale(aws: None) -> Iterator[None]:
    """Make every eventually consistent read stale; after each test, there was none."""
    with stale_reads.answered() as counted:
        yield
    assert counted["stale"] == 0
    assert counted["consistent"]


def test_each_view_sees_the_one_before_it(bob: Api) -> None:
    url_token = bob.push(expire_after_views=3)

    answers = [bob.retrieve(url_token).json for _ in range(4)]

    assert [answer["views_remaining"] for answer in answers] == [2, 1, 0, 0]
    assert [answer["payload"] for answer in answers] == ["s3cret"] * 3 + [None]


def test_an_expired_push_is_expired_for_all_next_requests(bob: Api) -> None:
    url_token, other = bob.push(), bob.push()
    bob.expire(url_token)

    assert bob.retrieve(url_token).json["deleted"] is True
    assert bob.expire(url_token).json["deleted"] is True
    assert [push["url_token"] for push in bob.active().json] == [other]
    assert [push["url_token"] for push in bob.expired().json] == [url_token]
    assert reads.load(digests.digest(url_token))[1] is None


def test_a_push_is_visible_to_the_next_request(bob: Api) -> None:
    url_token = bob.push(name="n")

    assert bob.preview(url_token).status == 200
    assert bob.kinds(url_token) == ["creation"]
    assert bob.active().json[0]["name"] == "n"


def test_a_list_shows_the_views_that_there_were(bob: Api) -> None:
    url_token = bob.push(note="n" * 10_000)
    bob.retrieve(url_token)

    [listed] = bob.active().json

    assert (listed["views_remaining"], len(listed["note"])) == (4, 10_000)


def test_the_audit_log_has_the_last_entry(bob: Api) -> None:
    url_token = bob.push(passphrase="right")
    bob.retrieve(url_token)
    bob.retrieve(url_token, "wrong")
    bob.retrieve(url_token, "right")
    bob.expire(url_token)

    kinds = ["creation", "failed_passphrase", "failed_passphrase", "owner_view", "expire"]
    assert bob.kinds(url_token) == kinds


def test_guesses_are_counted_from_the_one_before(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="4")
    counted, ended = bob.push(passphrase="right"), bob.push(passphrase="right")

    for _ in range(3):
        bob.retrieve(counted, "wrong")
    bob.retrieve(counted, "right")
    statuses = [bob.retrieve(ended, "wrong").status for _ in range(5)]

    found = reads.find(digests.digest(counted))
    assert found is not None
    assert found.guesses_in_a_row == 0
    assert statuses == [401] * 4 + [200]
    assert bob.retrieve(ended, "right").json["deleted"] is True


def test_the_first_view_reads_where_it_has_put_the_files(bob: Api) -> None:
    created = bob.create("", files=[{"filename": "a", "size": 1}]).json
    test_files.bring(created["uploads"][0], b"a")

    [first] = bob.retrieve(created["url_token"]).json["files"]
    [second] = bob.retrieve(created["url_token"]).json["files"]

    places = [link["url"].partition("?")[0] for link in (first, second)]
    assert places[0] == places[1]
    assert re.search(r"/files/0/\w+$", places[0])


def test_an_api_token_works_at_once_and_is_revoked_at_once(bob: Api) -> None:
    token = auth.issue_api_token(OWNER, "x", now=START)
    caller = bob.as_owner(token)

    assert caller.active().status == 200
    assert len(auth.list_api_tokens(OWNER, now=START)) == 2
    auth.revoke_api_token(OWNER, digests.digest(token))
    assert caller.active().status == 401


def test_an_end_of_all_tokens_counts_at_once(bob: Api) -> None:
    auth.end_all_credentials(OWNER, now=bob.now.replace(year=2027))

    assert bob.active().status == 401
    assert tokens.account_status(owners.locator(OWNER)).ended_at is not None


def test_a_session_is_open_and_closed_at_once(people: People) -> None:
    browser = Browser()
    browser.visit("/users/sign_up").submit("/users/sign_up", email="ann@example.com")
    browser.submit("/users/confirm", code=people.code("ann@example.com"), password=PASSWORD)
    session = browser.session

    assert browser.visit("/pushes").at == "/pushes"
    browser.submit("/users/sign_out")
    assert auth.find_session(session, now=START) is None


def test_the_removal_finds_the_objects_of_a_push(bob: Api) -> None:
    url_token = bob.push("x" * 400_000)
    bob.expire(url_token)

    event = test_removal.stream(digests.digest(url_token))
    assert schedule_removal.handler(event, Context()) == {"batchItemFailures": []}
