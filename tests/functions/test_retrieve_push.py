from datetime import timedelta

import pytest

from shared.domain import digests
from tests.conftest import Configure
from tests.drivers.client import Api
from tests.engines import resources


def test_a_push_gives_its_payload_exactly(api: Api) -> None:
    url_token = api.push(" ü😀\r\n\t\u202e ")

    answer = api.retrieve(url_token)

    assert answer.status == 200
    assert answer.json["payload"] == " ü😀\r\n\t\u202e "


def test_every_retrieval_counts_one_view(api: Api) -> None:
    url_token = api.push(expire_after_views=3)

    remaining = [api.retrieve(url_token).json["views_remaining"] for _ in range(3)]

    assert remaining == [2, 1, 0]


def test_the_last_view_gives_the_payload_and_is_not_yet_expired(api: Api) -> None:
    url_token = api.push(expire_after_views=1)

    last = api.retrieve(url_token).json

    assert last["payload"] == "s3cret"
    assert last["views_remaining"] == 0
    assert last["expired"] is False


def test_after_the_last_view_the_push_is_expired(api: Api) -> None:
    url_token = api.push(expire_after_views=1, passphrase="p")
    api.retrieve(url_token, "p")

    gone = api.retrieve(url_token)

    assert gone.status == 200
    assert gone.json["expired"] is True
    assert gone.json["payload"] is None
    assert gone.json["files"] == []
    assert gone.json["passphrase"] is None


def test_the_owner_is_counted_too(bob: Api) -> None:
    url_token = bob.push(expire_after_views=1)

    bob.retrieve(url_token)

    assert bob.retrieve(url_token).json["expired"] is True
    assert bob.kinds(url_token) == ["creation", "owner_view", "failed_view"]


def test_a_push_is_expired_from_the_very_millisecond(api: Api) -> None:
    url_token = api.push(expire_after_days=1)
    api.tick(days=1, milliseconds=-1)
    before = api.retrieve(url_token).json

    api.tick(milliseconds=1)
    after = api.retrieve(url_token).json

    assert (before["expired"], before["payload"]) == (False, "s3cret")
    assert (after["expired"], after["payload"]) == (True, None)


def test_a_short_duration_is_exact(api: Api) -> None:
    created = api.create(expire_after_duration=0).json

    api.tick(minutes=15)

    assert created["expire_after_days"] == 1
    assert created["expires_at"] == "2026-01-01T01:15:00.000Z"
    assert api.retrieve(created["url_token"]).json["expired"] is True


def test_a_missing_or_wrong_passphrase_is_refused_and_costs_no_view(bob: Api) -> None:
    url_token = bob.push(passphrase="open sesame", expire_after_views=1)

    refused = [bob.retrieve(url_token), bob.retrieve(url_token, ""), bob.retrieve(url_token, "open")]

    assert [answer.status for answer in refused] == [401] * 3
    assert refused[0].json["status"] == "unauthorized"
    assert bob.retrieve(url_token, "open sesame").json["payload"] == "s3cret"
    assert bob.kinds(url_token) == ["creation", *["failed_passphrase"] * 3, "owner_view"]


def test_a_passphrase_may_hold_anything(api: Api) -> None:
    passphrase = "a+b&c=d %20#ü😀,\x01"
    url_token = api.push(passphrase=passphrase)

    assert api.retrieve(url_token, passphrase).json["payload"] == "s3cret"


def test_five_wrong_passphrases_in_a_minute_close_the_push_to_all(api: Api) -> None:
    url_token = api.push(passphrase="right")
    for _ in range(5):
        assert api.retrieve(url_token, "wrong").status == 401
        api.tick(seconds=10)

    closed = [api.retrieve(url_token, "wrong"), api.retrieve(url_token, "right"), api.retrieve(url_token)]

    assert [answer.status for answer in closed] == [429] * 3
    assert closed[0].headers["retry-after"] == "10"


def test_the_push_opens_again_after_retry_after(api: Api) -> None:
    url_token = api.push(passphrase="right")
    for _ in range(5):
        api.retrieve(url_token, "wrong")
    wait = int(api.retrieve(url_token, "right").headers["retry-after"])

    api.tick(seconds=wait)

    assert wait == 60
    assert api.retrieve(url_token, "right").status == 200


def test_a_missing_passphrase_is_no_guess(api: Api) -> None:
    url_token = api.push(passphrase="right")

    for _ in range(6):
        assert api.retrieve(url_token).status == 401

    assert api.retrieve(url_token, "right").status == 200


def test_a_right_passphrase_resets_the_count_of_guesses(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="3")
    url_token = bob.push(passphrase="right")

    for _ in range(2):
        guess(bob, url_token, 2)
        assert bob.retrieve(url_token, "right").json["payload"] == "s3cret"

    guess(bob, url_token, 3)
    assert bob.retrieve(url_token, "right").json["deleted"] is True


def set_guesses(url_token: str, number: int) -> None:
    resources.set_number(digests.digest(url_token), "guesses_in_a_row", number)


def guess(api: Api, url_token: str, times: int) -> None:
    """Guess wrongly so many times, with pauses for the limit of five a minute."""
    for _ in range(times):
        assert api.retrieve(url_token, "wrong").status == 401
        api.tick(seconds=15)


def test_the_hundredth_wrong_passphrase_in_a_row_ends_the_push(bob: Api) -> None:
    url_token = bob.push(passphrase="right")
    set_guesses(url_token, 98)

    guess(bob, url_token, 1)
    still_there = bob.retrieve(url_token, "right").json["payload"]
    guess(bob, url_token, 1)
    set_guesses(url_token, 99)
    guess(bob, url_token, 1)

    gone = bob.retrieve(url_token, "right").json
    assert still_there == "s3cret"
    assert (gone["payload"], gone["expired"], gone["deleted"]) == (None, True, True)
    assert resources.items("Secrets") == []
    assert all_kinds(bob, url_token)[-3:] == ["failed_passphrase", "expire", "failed_view"]


def test_a_push_that_ends_by_guesses_says_so_in_a_full_log_too(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="1")
    url_token = bob.push(passphrase="right")
    resources.fill_log(digests.digest(url_token), 2000)

    guess(bob, url_token, 1)

    assert kinds(bob, url_token, page=41) == ["expire"]
    assert bob.retrieve(url_token, "right").json["deleted"] is True


def test_the_end_by_guesses_can_be_switched_off(bob: Api, configure: Configure) -> None:
    configure(MAX_GUESSES="0")
    url_token = bob.push(passphrase="right")

    set_guesses(url_token, 99)
    guess(bob, url_token, 2)

    assert bob.retrieve(url_token, "right").json["payload"] == "s3cret"


def test_missing_passphrases_fill_at_most_half_of_the_audit_log(bob: Api, api: Api) -> None:
    url_token = bob.push(passphrase="right")
    resources.fill_log(digests.digest(url_token), 999)

    missing = [api.retrieve(url_token).status for _ in range(3)]
    wrong = api.retrieve(url_token, "wrong").status

    assert [*missing, wrong] == [401] * 4
    assert kinds(bob, url_token, page=20) == ["failed_passphrase"]  # the thousandth, of the first missing passphrase
    assert kinds(bob, url_token, page=21) == ["failed_passphrase"]  # of the wrong one


def kinds(bob: Api, url_token: str, *, page: int) -> list[str]:
    return [entry["kind"] for entry in bob.audit(url_token, page=page).json["logs"]]


def all_kinds(bob: Api, url_token: str) -> list[str]:
    return [entry["kind"] for page in range(1, 6) for entry in bob.audit(url_token, page=page).json["logs"]]


def test_an_expired_push_requires_no_passphrase(api: Api) -> None:
    url_token = api.push(passphrase="right", expire_after_days=1)
    for _ in range(5):
        api.retrieve(url_token, "wrong")
    api.tick(days=1)

    assert api.retrieve(url_token, "wrong").status == 200


def test_an_unknown_push_is_not_found(api: Api) -> None:
    answer = api.retrieve("nosuchtoken")

    assert answer.status == 404
    assert answer.json == {"error": "not-found"}


def test_a_purged_push_is_not_found_even_if_its_item_still_lies_there(api: Api) -> None:
    url_token = api.push(expire_after_days=1)

    api.tick(days=2)

    assert api.retrieve(url_token).status == 404
    assert api.preview(url_token).status == 404
    assert api.expire(url_token).status == 404


def test_a_bad_api_token_is_refused_although_none_is_needed(api: Api) -> None:
    url_token = api.push()

    answer = api.as_owner("nonsense").retrieve(url_token)

    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert api.retrieve(url_token).json["views_remaining"] == 4


def test_every_json_path_serves_the_payload(api: Api) -> None:
    url_token = api.push()
    paths = [f"/api/v2/pushes/{url_token}.json", f"/p/{url_token}.json", f"/p/{url_token}/r.json"]

    assert [api.get(path).json["payload"] for path in paths] == ["s3cret"] * 3


def test_only_get_counts(api: Api) -> None:
    url_token = api.push()

    assert api.request("HEAD", f"/api/v2/pushes/{url_token}").status == 200
    for method in ("OPTIONS", "PUT", "PATCH", "POST"):
        assert api.request(method, f"/api/v2/pushes/{url_token}").status == 404

    assert api.retrieve(url_token).json["views_remaining"] == 4


def test_a_large_payload_of_any_characters_arrives(api: Api) -> None:
    for character in ("a", "ü", "😀", '"', "\x01", "\\"):
        payload = character * 1_048_576

        assert api.retrieve(api.push(payload)).json["payload"] == payload


def test_updated_at_moves_with_a_view(api: Api) -> None:
    url_token = api.push()
    api.tick(hours=1)

    answer = api.retrieve(url_token).json

    assert answer["created_at"] == "2026-01-01T01:00:00.000Z"
    assert answer["updated_at"] == "2026-01-01T02:00:00.000Z"


def test_days_remaining_counts_whole_days_since_creation(api: Api) -> None:
    url_token = api.push(expire_after_days=3)

    seen = []
    for _ in range(3):
        seen.append(api.retrieve(url_token).json["days_remaining"])
        api.now += timedelta(hours=23, minutes=59)

    assert seen == [3, 3, 2]


@pytest.mark.parametrize("token", [None, "nonsense"])
def test_a_token_is_required_before_a_query_is_read(api: Api, configure: Configure, token: str | None) -> None:
    configure(ANONYMOUS_ACCESS="false")
    caller = api.as_owner(token) if token else api

    assert caller.request("GET", "/api/v2/pushes/x", query="passphrase=%ff").status == 401
