"""Promise 1 and 3 with two hundred recipients at once, on the deployed stack."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.client import Answer
from tests.e2e.http_client import HttpApi
from tests.proof import Prove

NUMBER = 200


@pytest.mark.parametrize("views", [1, 7, 100])
def test_two_hundred_at_once_get_exactly_the_views_there_are(
    api: HttpApi, bob: HttpApi, views: int, prove: Prove
) -> None:
    url_token = bob.push("s3cret", expire_after_views=views)

    answers = at_once(api, url_token)

    payloads = [answer.json["payload"] for answer in answers]
    assert {answer.status for answer in answers} == {200}
    assert payloads.count("s3cret") == views
    assert payloads.count(None) == NUMBER - views
    assert audited(bob, url_token) == {"creation": 1, "view": views, "failed_view": NUMBER - views}
    prove(
        "1",
        f"Of {NUMBER} who come at once, exactly as many get the payload as the limit of {views} allows",
        f"{payloads.count('s3cret')} payloads, {payloads.count(None)} without one, each in the audit log; MiniStack",
    )


def at_once(api: HttpApi, url_token: str) -> list[Answer]:
    with ThreadPoolExecutor(NUMBER) as pool:
        return list(pool.map(lambda _: api.retrieve(url_token), range(NUMBER)))


def audited(bob: HttpApi, url_token: str) -> dict[str, int]:
    """How many entries of each kind all pages of the audit log hold."""
    kinds: list[str] = []
    page = 1
    while logs := bob.audit(url_token, page=page).json["logs"]:
        kinds += [entry["kind"] for entry in logs]
        page += 1
    return {kind: kinds.count(kind) for kind in kinds}
