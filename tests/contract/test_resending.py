"""A write takes effect, its response is lost, and the SDK sends it again: it counts once.

moto ignores DynamoDB's request token, so here the audit entry's own key shows that the write was done.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

from shared.aws.connection import connection
from tests.drivers.client import KEY, Api
from tests.engines import resources

KEYS = pytest.mark.parametrize("key", [None, KEY], ids=["without a key", "with a key"])

pytestmark = pytest.mark.prove("3", "A write whose answer was lost and that is sent again counts once", "moto")


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Lose the response to the next transaction; return the bodies of all transactions sent."""
    sent: list[dict[str, Any]] = []
    send = URLLib3Session.send

    def lose_first(session: URLLib3Session, request: Any) -> Any:
        answer = send(session, request)
        if b"TransactWriteItems" in request.headers.get("X-Amz-Target", b""):
            sent.append(json.loads(request.body))
            if len(sent) == 1:
                raise ReadTimeoutError(endpoint_url=request.url)
        return answer

    monkeypatch.setattr(URLLib3Session, "send", lose_first)
    return sent


@KEYS
@pytest.mark.parametrize("views", [1, 5])
def test_a_view_counts_once(served_bob: Api, views: int, key: str | None, request: pytest.FixtureRequest) -> None:
    url_token = served_bob.push(expire_after_views=views)
    sent = request.getfixturevalue("lost")

    answer = served_bob.retrieve(url_token, key=key).json

    assert answer["payload"] == "s3cret"
    assert len(sent) == 2
    assert served_bob.kinds(url_token) == ["creation", "owner_view"]
    assert resources.items("Pushes")[0]["views"] == {"N": "1"}


def test_the_same_attempt_carries_the_same_request_token(served_bob: Api, request: pytest.FixtureRequest) -> None:
    url_token = served_bob.push()
    sent = request.getfixturevalue("lost")

    served_bob.retrieve(url_token)
    served_bob.retrieve(url_token)

    first, again, another = (body["ClientRequestToken"] for body in sent)
    assert first == again != another


@KEYS
def test_a_create_makes_one_push(served_bob: Api, key: str | None, request: pytest.FixtureRequest) -> None:
    sent = request.getfixturevalue("lost")

    url_token = served_bob.push(key=key)

    assert len(sent) == 2
    assert [len(resources.items(table)) for table in ("Pushes", "Secrets", "AuditEntries")] == [1, 1, 1]
    assert served_bob.retrieve(url_token).json["payload"] == "s3cret"


@KEYS
def test_a_create_that_arrives_again_late_brings_back_nothing(served_bob: Api, key: str | None) -> None:
    with kept() as sent:
        url_token = served_bob.push(expire_after_views=1, key=key)
    served_bob.retrieve(url_token)
    before = stored()

    send_late(sent[0])

    assert stored() == before


@pytest.mark.parametrize("views", [1, 5])
def test_a_claim_with_a_key_that_arrives_again_late_changes_nothing(served_bob: Api, views: int) -> None:
    url_token = served_bob.push(expire_after_views=views)
    with kept() as sent:
        served_bob.retrieve(url_token, key=KEY)
    served_bob.expire(url_token)
    before = stored()

    send_late(sent[0])

    assert stored() == before


@contextmanager
def kept() -> Iterator[list[dict[str, Any]]]:
    """Return the bodies of all transactions sent in this block."""
    events, sent = connection().client.meta.events, list[dict[str, Any]]()

    def keep(params: dict[str, Any], **_: Any) -> None:
        sent.append(json.loads(params["body"]))

    events.register("before-call.dynamodb.TransactWriteItems", keep)
    yield sent
    events.unregister("before-call.dynamodb.TransactWriteItems", keep)


def send_late(body: dict[str, Any]) -> None:
    """Send it as if ten minutes later, when DynamoDB has forgotten its request token."""
    with pytest.raises(ClientError, match="TransactionCanceled"):
        resources.client("dynamodb").transact_write_items(**body | {"ClientRequestToken": "another"})


def stored() -> list[list[dict[str, Any]]]:
    return [resources.items(table) for table in ("Pushes", "Secrets", "AuditEntries")]


def test_an_expire_is_recorded_once(served_bob: Api, request: pytest.FixtureRequest) -> None:
    url_token = served_bob.push()
    sent = request.getfixturevalue("lost")

    answer = served_bob.expire(url_token)

    assert len(sent) == 2
    assert answer.json["deleted"] is True
    assert served_bob.kinds(url_token) == ["creation", "expire"]


def test_a_wrong_passphrase_counts_once(served_bob: Api, request: pytest.FixtureRequest) -> None:
    url_token = served_bob.push(passphrase="right")
    sent = request.getfixturevalue("lost")

    answer = served_bob.retrieve(url_token, "wrong")

    assert len(sent) == 2
    assert answer.status == 401
    assert served_bob.kinds(url_token) == ["creation", "failed_passphrase"]
