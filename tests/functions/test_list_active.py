from collections.abc import Callable

import pytest

from tests.conftest import Configure
from tests.drivers.client import Api


def test_active_pushes_are_listed_newest_created_first(bob: Api) -> None:
    created = []
    for days in (3, 90, 1):
        created.append(bob.push(expire_after_days=days))
        bob.tick(minutes=1)

    listed = bob.active()

    assert listed.status == 200
    assert [push["url_token"] for push in listed.json] == created[::-1]


def test_an_owner_reads_the_name_and_the_note(bob: Api) -> None:
    bob.push(name="ü name", note="a\nnote", passphrase="p")
    bob.tick(seconds=1)
    bob.push()

    bare, labelled = bob.active().json

    assert (labelled["name"], labelled["note"], labelled["passphrase"]) == ("ü name", "a\nnote", "********")
    assert (bare["name"], bare["note"], bare["passphrase"]) == ("", "", "")


def test_a_listed_push_is_as_it_was_created(bob: Api) -> None:
    created = bob.create(kind="qr", expire_after_duration=0, retrieval_step=False, name="n").json

    assert bob.active().json == [created]


def test_a_list_shows_the_remaining_views_and_days(bob: Api) -> None:
    url_token = bob.push(expire_after_days=3, expire_after_views=3)
    bob.tick(days=1)
    bob.retrieve(url_token)

    listed = bob.active().json[0]

    assert (listed["days_remaining"], listed["views_remaining"]) == (2, 2)


def test_a_push_leaves_the_list_when_it_expires(bob: Api) -> None:
    viewed, expired = bob.push(expire_after_views=1), bob.push()
    bob.push(expire_after_duration=0)

    bob.retrieve(viewed)
    bob.expire(expired)
    bob.tick(minutes=15)

    assert bob.active().json == []


def test_an_owner_sees_only_their_own(bob: Api, eve: Api, api: Api) -> None:
    own = bob.push()
    eve.push()
    api.push()

    assert [push["url_token"] for push in bob.active().json] == [own]


def test_an_owner_has_one_list_for_all_api_tokens(bob: Api, issue: Callable[[str], str]) -> None:
    url_token = bob.push()

    other = bob.as_owner(issue("name:bob@example.com"))

    assert [push["url_token"] for push in other.active().json] == [url_token]


def test_an_owner_without_pushes_has_an_empty_list(bob: Api) -> None:
    answer = bob.active()

    assert (answer.status, answer.json) == (200, [])
    assert (answer.headers["x-page"], answer.headers["x-per-page"]) == ("1", "50")
    assert "link" not in answer.headers


def test_a_page_holds_fifty_pushes_and_links_to_its_neighbours(bob: Api) -> None:
    created = []
    for number in range(101):
        created.append(bob.push(expire_after_days=1 + number % 90))
        bob.tick(seconds=1)

    pages = [bob.active(page=page) for page in (1, 2, 3, 4)]

    assert [[push["url_token"] for push in page.json] for page in pages] == [
        created[:50:-1],
        created[50:0:-1],
        created[:1],
        [],
    ]
    assert [page.headers["x-page"] for page in pages] == ["1", "2", "3", "4"]
    url = "https://api.example.test/api/v2/pushes/active"
    assert pages[0].headers["link"] == f'<{url}?page=2>; rel="next"'
    assert pages[1].headers["link"] == f'<{url}?page=1>; rel="prev", <{url}?page=3>; rel="next"'
    assert pages[2].headers["link"] == f'<{url}?page=2>; rel="prev"'


def test_exactly_one_full_page_has_no_next(bob: Api) -> None:
    for _ in range(50):
        bob.push()

    answer = bob.active()

    assert len(answer.json) == 50
    assert "link" not in answer.headers


def test_a_push_that_ends_at_this_moment_is_no_reason_for_another_page(bob: Api) -> None:
    bob.push(expire_after_duration=0)
    bob.tick(minutes=1)
    for _ in range(50):
        bob.push()
    bob.tick(minutes=14)

    answer = bob.active()

    assert len(answer.json) == 50
    assert "link" not in answer.headers


@pytest.mark.parametrize("query", ["", "page=1", "page=200", "page=+2+", "page=%202%20", "other=x"])
def test_a_page_is_a_number_from_1_to_200(bob: Api, query: str) -> None:
    assert bob.request("GET", "/api/v2/pushes/active", query=query).status == 200


@pytest.mark.parametrize("query", ["page[]=1", "page%5B%5D=1", "page[0]=2", "page=1&page=1", "page=2&page[]=1"])
@pytest.mark.parametrize("path", ["/api/v2/pushes/active", "/p/expired.json"])
def test_a_list_of_pages_is_malformed(bob: Api, path: str, query: str) -> None:
    assert bob.request("GET", path, query=query).status == 400


@pytest.mark.parametrize("path", ["/api/v2/pushes/active", "/api/v2/pushes/expired"])
@pytest.mark.parametrize(
    "page", ["", "+", "0", "00", "201", "1000", "-1", "%2B1", "1.0", "1,2", "one", "0x1", "1%00", "%D9%A1", "%FF"]
)
def test_any_other_page_is_malformed(bob: Api, path: str, page: str) -> None:
    assert bob.request("GET", path, query=f"page={page}").status == 400


@pytest.mark.parametrize("path", ["/api/v2/pushes/active", "/api/v2/pushes/expired"])
def test_a_list_without_a_token_is_refused_before_its_page_is_read(api: Api, path: str) -> None:
    for caller in (api, api.as_owner("nonsense")):
        answer = caller.get(path, page=0)

        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_the_json_path_lists_too(bob: Api) -> None:
    bob.push()

    assert bob.get("/api/v2/pushes/active.json").json == bob.active().json


def test_without_anonymous_access_an_owner_still_has_a_list(bob: Api, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")

    assert bob.active().status == bob.expired().status == 200
