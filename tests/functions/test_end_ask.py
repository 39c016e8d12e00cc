"""DELETE /api/v2/asks/{ask_token}, and GET /api/v2/asks."""

from tests.drivers.browser import Browser
from tests.drivers.client import Answer, Api
from tests.functions.test_create_ask import ask, asker
from tests.meters import wire_tap


def end(api: Api, ask_token: str, extension: str = "") -> Answer:
    return api.request("DELETE", f"/api/v2/asks/{ask_token}{extension}")


def test_an_ended_ask_is_returned_the_same_twice(ann: Browser) -> None:
    api = asker(ann)
    created = ask(api).json
    api.tick(minutes=1)
    first = end(api, created["ask_token"])
    api.tick(minutes=1)

    assert (first.status, end(api, created["ask_token"], ".json")) == (200, first)
    assert first.json == created | {"expired": True, "expired_on": "2026-01-01T01:01:00.000Z"}


def test_only_the_asker_ends_an_ask(ann: Browser, eve: Api) -> None:
    ask_token = ask(asker(ann)).json["ask_token"]

    assert end(Api(), "nosuchtoken").status == 401
    assert end(eve, "nosuchtoken").status == 404
    assert end(eve, ask_token).status == 403
    assert not asker(ann).get("/api/v2/asks").json[0]["expired"]


def test_two_ends_at_once_return_the_same(ann: Browser) -> None:
    api, others = asker(ann), list[Answer]()
    ask_token = ask(api).json["ask_token"]

    with wire_tap.before_first("TransactWriteItems", lambda: others.append(end(api, ask_token))):
        answer = end(api, ask_token)

    assert [answer] == others
    assert answer.status == 200
