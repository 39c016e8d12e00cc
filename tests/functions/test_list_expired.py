from tests.drivers.client import Api
from tests.meters import wire_tap


def test_expired_pushes_are_listed_most_recently_expired_first(bob: Api) -> None:
    viewed, expired, short, long = bob.push(expire_after_views=1), bob.push(), *pushes_of_days(bob, 1, 2)
    bob.tick(hours=1)
    bob.expire(expired)
    bob.tick(hours=1)
    bob.retrieve(viewed)
    bob.tick(days=2)

    listed = bob.expired()

    assert listed.status == 200
    assert [push["url_token"] for push in listed.json] == [long, short, viewed, expired]


def test_a_listed_push_tells_how_and_when_it_ended(bob: Api) -> None:
    viewed, expired, outlived = bob.push(expire_after_views=1), bob.push(), bob.push(expire_after_duration=3)
    bob.retrieve(viewed)
    bob.expire(expired)
    bob.tick(hours=1)

    listed = {push["url_token"]: push for push in bob.expired().json}

    assert {push["expired"] for push in listed.values()} == {True}
    assert [listed[one]["deleted"] for one in (viewed, expired, outlived)] == [False, True, False]
    assert listed[viewed]["expired_on"] == listed[expired]["expired_on"] == "2026-01-01T01:00:00.000Z"
    assert listed[outlived]["expired_on"] == listed[outlived]["expires_at"] == "2026-01-01T02:00:00.000Z"


def test_an_expired_push_keeps_its_label_and_shows_no_passphrase(bob: Api) -> None:
    bob.expire(bob.push(name="a name", note="a note", passphrase="p"))

    listed = bob.expired().json[0]

    assert (listed["name"], listed["note"], listed["passphrase"]) == ("a name", "a note", None)
    assert "payload" not in listed


def test_active_pushes_are_not_listed(bob: Api) -> None:
    bob.push(expire_after_duration=0)

    bob.tick(minutes=15, milliseconds=-1)
    before = bob.expired().json
    bob.tick(milliseconds=1)

    assert (before, len(bob.expired().json)) == ([], 1)


def test_every_push_is_in_one_of_the_two_lists(bob: Api) -> None:
    for days in (1, 2, 3):
        bob.push(expire_after_days=days)

    counts = []
    for _ in range(4):
        counts.append((len(bob.active().json), len(bob.expired().json)))
        bob.tick(days=1)

    assert counts == [(3, 0), (2, 1), (1, 2), (0, 3)]


def test_an_owner_sees_only_their_own(bob: Api, eve: Api, api: Api) -> None:
    own, others, anonymous = bob.push(), eve.push(), api.push()
    for url_token in (own, others, anonymous):
        api.expire(url_token)

    assert [push["url_token"] for push in bob.expired().json] == [own]


def test_a_purged_push_is_not_listed_even_if_its_item_still_lies_there(bob: Api) -> None:
    bob.push(expire_after_days=1)

    bob.tick(days=1 + 400, milliseconds=-1)
    before = bob.expired().json
    bob.tick(milliseconds=1)

    assert (len(before), bob.expired().json) == (1, [])


def test_a_push_is_listed_up_to_the_last_second_of_its_record(bob: Api) -> None:
    bob.tick(milliseconds=500)
    bob.push(expire_after_days=1)

    bob.tick(days=1 + 400, milliseconds=499)
    before = bob.expired().json
    bob.tick(milliseconds=1)

    assert (len(before), bob.expired().json) == (1, [])


def test_the_page_after_a_full_one_is_full_and_reads_no_more(bob: Api) -> None:
    for _ in range(101):
        bob.push(expire_after_duration=0)
    bob.tick(hours=1)

    with wire_tap.calls() as calls:
        second = bob.expired(page=2)

    assert (len(second.json), 'rel="next"' in second.headers["link"]) == (50, True)
    queries = [parameters for name, parameters in calls if name == "Query"]
    assert [(query.get("Select"), query["Limit"]) for query in queries] == [("COUNT", 50), (None, 51)]


def test_a_page_holds_fifty_pushes_and_links_to_its_neighbours(bob: Api) -> None:
    expired = [bob.push() for _ in range(51)]
    for url_token in expired:
        bob.tick(seconds=1)
        bob.expire(url_token)

    first, second, third = (bob.expired(page=page) for page in (1, 2, 3))

    assert [push["url_token"] for push in first.json] == expired[:0:-1]
    assert [push["url_token"] for push in second.json] == expired[:1]
    assert third.json == []
    url = "https://api.example.test/api/v2/pushes/expired"
    assert first.headers["link"] == f'<{url}?page=2>; rel="next"'
    assert second.headers["link"] == f'<{url}?page=1>; rel="prev"'


def test_the_json_path_lists_too(bob: Api) -> None:
    bob.expire(bob.push())

    assert bob.get("/api/v2/pushes/expired.json").json == bob.expired().json


def pushes_of_days(owner: Api, *days: int) -> list[str]:
    return [owner.push(expire_after_days=number) for number in days]
