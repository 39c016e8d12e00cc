"""A call to AWS fails, before or after it took effect: promises 1, 2 and 3 hold all the same."""

import pytest

from tests import engine, wire_tap
from tests.client import Answer, Api

VIEWS = 3
LARGE = "x" * 400_000  # goes to S3
AFTER = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
PAYLOAD = pytest.mark.parametrize("payload", ["s3cret", LARGE], ids=["item", "object"])
FILES = [{"filename": "a", "data": "YQ=="}, {"filename": "b", "size": 1}]


def is_unavailable(answer: Answer) -> bool:
    return answer.status == 503 and "retry-after" in answer.headers and set(answer.json) == {"error"}


def serve_all(api: Api, url_token: str) -> int:
    """Retrieve until there is nothing more, and count the payloads."""
    return sum(api.retrieve(url_token).json["payload"] is not None for _ in range(VIEWS + 2))


@AFTER
@PAYLOAD
@pytest.mark.parametrize("number", range(4))
def test_a_retrieve_that_fails_costs_no_view_before_the_claim_and_one_after(
    bob: Api, payload: str, number: int, after: bool
) -> None:
    url_token = bob.push(payload, expire_after_views=VIEWS)
    engine.forget()
    with wire_tap.failing(number, after=after) as made:
        answer = bob.retrieve(url_token)

    served = (answer.status == 200) + serve_all(bob, url_token)

    was_claimed = after and made[number : number + 1] == ["TransactWriteItems"]
    assert answer.status == 200 or is_unavailable(answer)
    assert served == VIEWS - was_claimed
    assert bob.kinds(url_token).count("owner_view") == VIEWS


@AFTER
@pytest.mark.parametrize("number", range(3))
def test_a_failed_last_view_is_served_once_or_never(bob: Api, number: int, after: bool) -> None:
    url_token = bob.push(expire_after_views=1)
    with wire_tap.failing(number, after=after):
        answer = bob.retrieve(url_token)

    payloads = [answer.json.get("payload"), bob.retrieve(url_token).json["payload"]]

    assert payloads.count("s3cret") <= 1
    assert bob.kinds(url_token).count("owner_view") == 1
    assert engine.items("Secrets") == []


@AFTER
@PAYLOAD
@pytest.mark.parametrize("number", range(4))
def test_a_create_that_fails_leaves_all_of_a_push_or_nothing(bob: Api, payload: str, number: int, after: bool) -> None:
    engine.forget()
    with wire_tap.failing(number, after=after):
        answer = bob.create(payload)

    stored = [len(engine.items(table)) for table in ("Pushes", "Secrets", "AuditEntries")]

    assert answer.status == 201 or is_unavailable(answer)
    assert stored in ([0, 0, 0], [1, 1, 1])
    assert answer.status != 201 or stored == [1, 1, 1]


@AFTER
@pytest.mark.parametrize("number", range(3))
def test_an_expire_that_fails_can_be_sent_again(bob: Api, number: int, after: bool) -> None:
    url_token = bob.push()
    with wire_tap.failing(number, after=after):
        first = bob.expire(url_token)

    second = bob.expire(url_token)

    assert first.status == 200 or is_unavailable(first)
    assert second.json["expired"] is True
    assert second.json["deleted"] is True
    assert bob.kinds(url_token) == ["creation", "expire"]


@AFTER
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("endpoint", ["preview", "audit"])
def test_a_read_that_fails_says_so(bob: Api, endpoint: str, number: int, after: bool) -> None:
    url_token = bob.push()

    with wire_tap.failing(number, after=after) as made:
        answer = getattr(bob, endpoint)(url_token)

    assert is_unavailable(answer) if number < len(made) else answer.status == 200


@AFTER
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("endpoint", ["active", "expired"])
def test_a_list_that_fails_says_so(bob: Api, endpoint: str, number: int, after: bool) -> None:
    bob.push()
    engine.forget()

    with wire_tap.failing(number, after=after) as made:
        answer = getattr(bob, endpoint)()

    assert is_unavailable(answer) if number < len(made) else answer.status == 200


@AFTER
@pytest.mark.parametrize("number", range(6))
def test_a_create_with_files_that_fails_leaves_no_push(bob: Api, number: int, after: bool) -> None:
    engine.forget()
    with wire_tap.failing(number, after=after) as made:
        answer = bob.create(LARGE, files=FILES)

    was_written = after and made[number : number + 1] == ["TransactWriteItems"]
    assert is_unavailable(answer) if number < len(made) else answer.status == 201
    assert len(engine.items("Pushes")) == (was_written or answer.status == 201)


@AFTER
@pytest.mark.parametrize("number", range(6))
def test_a_retrieve_of_files_that_fails_costs_no_view_before_the_claim(bob: Api, number: int, after: bool) -> None:
    created = bob.create(LARGE, files=FILES, expire_after_views=VIEWS).json
    engine.client("s3").put_object(Bucket="test-bucket", Key=created["uploads"][0]["fields"]["key"], Body=b"b")
    engine.forget()
    with wire_tap.failing(number, after=after) as made:
        answer = bob.retrieve(created["url_token"])

    served = (answer.status == 200) + serve_all(bob, created["url_token"])

    was_claimed = after and made[number : number + 1] == ["TransactWriteItems"]
    assert is_unavailable(answer) if number < len(made) else answer.status == 200
    assert served == VIEWS - was_claimed
    assert bob.kinds(created["url_token"]).count("owner_view") == VIEWS
