import pytest

from shared.domain import digests
from tests.conftest import Configure
from tests.drivers.client import Api
from tests.engines import resources
from tests.meters import wire_tap


def test_the_audit_log_lists_events_oldest_first(bob: Api, api: Api) -> None:
    url_token = bob.push(passphrase="p", deletable_by_viewer=True)
    api.retrieve(url_token, "wrong")
    api.retrieve(url_token, "p")
    bob.retrieve(url_token, "p")
    api.expire(url_token)
    api.retrieve(url_token, "p")

    assert bob.kinds(url_token) == ["creation", "failed_passphrase", "view", "owner_view", "expire", "failed_view"]


def test_an_entry_tells_when_and_from_where(bob: Api, eve: Api) -> None:
    url_token = bob.push()
    eve.tick(minutes=1.5)
    eve.ip = "2001:db8::7"
    eve.headers = {"User-Agent": "curl/8", "Referer": "https://example.com/", "X-Forwarded-For": "203.0.113.9"}
    eve.retrieve(url_token)

    assert bob.audit(url_token).json["logs"][1] == {
        "kind": "view",
        "ip": "2001:db8::7",
        "user_agent": "curl/8",
        "referrer": "https://example.com/",
        "created_at": "2026-01-01T01:01:30.000Z",
        "updated_at": "2026-01-01T01:01:30.000Z",
    }


def test_missing_request_headers_are_empty(bob: Api) -> None:
    entry = bob.audit(bob.push()).json["logs"][0]

    assert (entry["user_agent"], entry["referrer"]) == ("", "")


@pytest.mark.parametrize("sent", ["a " * 128, "😀" * 300, "a " * 4_000])
def test_user_agent_and_referrer_are_cut_to_255_characters(bob: Api, sent: str) -> None:
    bob.headers = {"User-Agent": sent, "Referer": sent}

    entry = bob.audit(bob.push()).json["logs"][0]

    assert entry["user_agent"] == entry["referrer"] == sent[:255]


def test_a_page_is_read_alone(bob: Api) -> None:
    url_token = bob.push(expire_after_views=100)
    for _ in range(100):
        bob.retrieve(url_token)

    with wire_tap.calls() as calls:
        second = bob.audit(url_token, page=2)

    assert (len(second.json["logs"]), 'rel="next"' in second.headers["link"]) == (50, True)
    queries = [parameters for name, parameters in calls if name == "Query"]
    assert [query["ExpressionAttributeValues"][":1"] for query in queries] == [{"S": "p0002-"}]


def test_a_page_holds_fifty_entries(bob: Api) -> None:
    url_token = bob.push(expire_after_views=100)
    for _ in range(50):
        bob.retrieve(url_token)

    first, second, third = (bob.audit(url_token, page=page) for page in (1, 2, 3))

    assert [len(page.json["logs"]) for page in (first, second, third)] == [50, 1, 0]
    assert first.json["logs"][0]["kind"] == "creation"
    assert (first.headers["x-page"], first.headers["x-per-page"]) == ("1", "50")
    url = f"https://api.example.test/api/v2/pushes/{url_token}/audit"
    assert first.headers["link"] == f'<{url}?page=2>; rel="next"'
    assert second.headers["link"] == f'<{url}?page=1>; rel="prev"'


def test_entries_of_one_moment_keep_their_order(bob: Api) -> None:
    url_token = bob.push(passphrase="p", expire_after_views=20)

    for number in range(20):
        bob.retrieve(url_token, "p" if number % 2 else "")

    assert bob.kinds(url_token) == ["creation", *["failed_passphrase", "owner_view"] * 10]


def test_the_log_of_an_expired_push_stays(bob: Api) -> None:
    url_token = bob.push(expire_after_days=1)

    bob.tick(days=1 + 399)

    assert bob.kinds(url_token) == ["creation"]


def test_a_log_without_a_token_is_refused_before_anything_else(api: Api) -> None:
    for url_token in (api.push(), "nosuchtoken"):
        for caller in (api, api.as_owner("nonsense")):
            answer = caller.audit(url_token, page=0)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_an_unknown_push_is_not_found_before_other_checks(bob: Api) -> None:
    answer = bob.audit("nosuchtoken", page=0)

    assert (answer.status, answer.json) == (404, {"error": "not-found"})


def test_only_the_owner_reads_the_log(api: Api, bob: Api, eve: Api) -> None:
    owned, anonymous = bob.push(), api.push()

    assert eve.audit(owned, page=0).status == 403
    assert eve.audit(anonymous).status == 403
    assert bob.audit(owned).status == 200


@pytest.mark.parametrize("page", ["0", "201", "-1", "1.0", "one", "", " ", "1 1", "+1", "1e1", "\u0661", "9" * 5_000])
def test_a_page_out_of_range_is_malformed_last(bob: Api, page: str) -> None:
    assert bob.audit(bob.push(), page=page).status == 400


def test_the_json_path_gives_the_log_too(bob: Api) -> None:
    url_token = bob.push()

    assert bob.get(f"/api/v2/pushes/{url_token}/audit.json").json == bob.audit(url_token).json


def test_without_anonymous_access_the_owner_still_reads_the_log(bob: Api, api: Api, configure: Configure) -> None:
    url_token = bob.push()
    configure(ANONYMOUS_ACCESS="false")

    assert [bob.audit(url_token).status, api.audit(url_token).status] == [200, 401]


def test_a_log_of_two_thousand_entries_takes_no_more_failures(bob: Api) -> None:
    url_token = bob.push(passphrase="p")
    resources.fill_log(digests.digest(url_token), 1_999)
    bob.retrieve(url_token, "wrong")

    for passphrase in (None, "wrong"):
        assert bob.retrieve(url_token, passphrase).status == 401

    assert kinds(bob, url_token, page=1) == ["creation"]
    assert kinds(bob, url_token, page=40) == ["failed_passphrase"]


def test_wrong_passphrases_count_past_the_end_of_the_log(bob: Api) -> None:
    url_token = bob.push(passphrase="p")
    resources.fill_log(digests.digest(url_token), 2_000)

    statuses = [bob.retrieve(url_token, "wrong").status for _ in range(6)]

    assert statuses == [401] * 5 + [429]


def test_views_and_the_expire_are_recorded_past_the_end_of_the_log(bob: Api) -> None:
    url_token = bob.push()
    resources.fill_log(digests.digest(url_token), 2_000)

    bob.retrieve(url_token)
    bob.expire(url_token)
    bob.retrieve(url_token)

    assert kinds(bob, url_token, page=1) == ["creation"]
    assert kinds(bob, url_token, page=41) == ["owner_view", "expire"]


def test_a_full_log_keeps_no_secret_alive(bob: Api) -> None:
    url_token = bob.push(expire_after_days=1)
    resources.fill_log(digests.digest(url_token), 2_000)
    bob.tick(days=1)

    answer = bob.retrieve(url_token)

    assert (answer.json["expired"], answer.json["payload"]) == (True, None)
    assert resources.items("Secrets") == []


def test_an_expired_push_is_destroyed_by_its_next_request(bob: Api) -> None:
    url_token = bob.push(expire_after_days=1)
    bob.tick(days=1)

    bob.retrieve(url_token)

    assert resources.items("Secrets") == []
    assert bob.kinds(url_token) == ["creation", "failed_view"]


def kinds(owner: Api, url_token: str, *, page: int) -> list[str]:
    return [entry["kind"] for entry in owner.audit(url_token, page=page).json["logs"]]
