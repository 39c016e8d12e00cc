"""Promise 1 and 3 under concurrency, on moto behind its single-threaded server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import engine, moto_server
from tests.client import START, Answer, Api


@pytest.fixture
def bob(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A caller with an API token, on an engine that takes one request at a time."""
    from shared import auth

    with moto_server.serve() as endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        engine.forget()
        engine.build()
        yield Api(token=auth.issue_api_token("bob@example.com", "test", now=START))
    engine.forget()


def at_once(number: int, api: Api, url_token: str, passphrase: str | None = None) -> list[Answer]:
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(lambda _: api.retrieve(url_token, passphrase), range(number)))


@pytest.mark.parametrize("views", [1, 7, 100])
def test_two_hundred_at_once_get_exactly_the_views_there_are(bob: Api, views: int) -> None:
    url_token = bob.push(expire_after_views=views)

    answers = at_once(200, Api(now=bob.now), url_token)

    assert {answer.status for answer in answers} == {200}
    served = [answer.json for answer in answers if answer.json["payload"] is not None]
    assert len(served) == views
    assert sum(kinds(bob, url_token).count(kind) for kind in ("view", "owner_view")) == views


def kinds(bob: Api, url_token: str) -> list[str]:
    pages = [bob.audit(url_token, page=page).json["logs"] for page in range(1, 7)]
    return [entry["kind"] for page in pages for entry in page]
