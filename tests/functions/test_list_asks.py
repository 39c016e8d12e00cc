"""GET /api/v2/asks."""

from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.functions.test_create_ask import ask, asker
from tests.functions.test_end_ask import end


def test_the_owner_s_asks_are_listed_newest_first(ann: Browser, bob: Api) -> None:
    api = asker(ann)
    created = []
    for _ in range(51):
        api.tick(seconds=1)
        created.append(ask(api).json)

    first = api.get("/api/v2/asks")
    assert first.json == created[:0:-1]
    assert 'rel="next"' in first.headers["link"]
    assert api.get("/api/v2/asks.json", page=2).json == created[:1]
    assert bob.get("/api/v2/asks").json == []
    assert Api().get("/api/v2/asks").status == 401


def test_an_ask_that_is_over_is_listed_until_it_is_purged(ann: Browser) -> None:
    api = asker(ann)
    created = ask(api).json
    api.tick(days=7)

    assert api.get("/api/v2/asks").json == [created | {"expired": True, "expired_on": created["expires_at"]}]
    api.tick(days=400)
    assert api.get("/api/v2/asks").json == []
    assert end(api, created["ask_token"]).status == 404
