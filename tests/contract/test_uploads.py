"""An upload form works until the first view; no recipient gets later uploads. On moto."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from functions import remove_objects
from shared.aws import reads, uploads
from shared.domain import digests
from tests.contract.test_files import bring, fetch_files, inline, objects
from tests.contract.test_removal import queue
from tests.doubles import partial_failures
from tests.drivers.client import Answer, Api, Context
from tests.engines import resources
from tests.meters import wire_tap

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _as_s3_copies() -> Iterator[None]:
    with partial_failures.copying_as_s3_does():
        yield


def push_with_upload(bob: Api, **fields: Any) -> tuple[str, Json]:
    """Return a push with a file uploaded by its form, and the form."""
    created = bob.create("", files=[{"filename": "a", "size": 3}], **fields).json
    [upload] = created["uploads"]
    bring(upload, b"abc")
    return created["url_token"], upload


def nothing_was_counted(bob: Api, url_token: str) -> bool:
    return bob.kinds(url_token) == ["creation"]


def test_after_the_first_view_the_form_changes_nothing_for_recipients(bob: Api) -> None:
    url_token, upload = push_with_upload(bob)
    first = bob.retrieve(url_token)

    bring(upload, b"xyz")

    assert fetch_files(first) == [("a", b"abc")]
    assert fetch_files(bob.retrieve(url_token)) == [("a", b"abc")]
    assert fetch_files(bob.retrieve(url_token)) == [("a", b"abc")]


def test_before_the_first_view_the_form_may_be_sent_again(bob: Api) -> None:
    url_token, upload = push_with_upload(bob)

    bring(upload, b"xyz")

    assert fetch_files(bob.retrieve(url_token)) == [("a", b"xyz")]


def test_no_form_reaches_the_place_of_a_copy(bob: Api) -> None:
    url_token, upload = push_with_upload(bob)
    bob.retrieve(url_token)
    push = reads.find(digests.digest(url_token))
    [copied] = [key for key in objects() if key.count("/") > 1]

    named = base64.b64decode(upload["fields"]["policy"]).decode()

    assert push
    assert f'{{"key": "{push.id}/{push.attempt}/files/0"}}' in named
    assert copied.startswith("files/0/")


def test_a_file_that_is_replaced_while_it_is_copied_is_not_handed_out_yet(bob: Api) -> None:
    url_token, upload = push_with_upload(bob)

    with wire_tap.before_first("CopyObject", lambda: bring(upload, b"xyz")):
        answer = bob.retrieve(url_token)

    assert answer.status == 409
    assert nothing_was_counted(bob, url_token)
    assert fetch_files(bob.retrieve(url_token)) == [("a", b"xyz")]


def test_one_of_two_first_views_decides_on_the_files_for_both(bob: Api) -> None:
    url_token, upload = push_with_upload(bob)
    other: list[Answer] = []

    def overtake() -> None:
        bring(upload, b"xyz")
        other.append(bob.retrieve(url_token))

    with wire_tap.before_first("TransactWriteItems", overtake):
        answer = bob.retrieve(url_token)

    assert fetch_files(answer) == fetch_files(other[0]) == [("a", b"xyz")]


def test_a_file_too_large_to_copy_is_handed_out_until_it_is_replaced(bob: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_COPIED", 2)
    url_token, upload = push_with_upload(bob)
    views = [fetch_files(bob.retrieve(url_token)) for _ in range(2)]

    bring(upload, b"xyz")
    refused = bob.retrieve(url_token)

    assert views == [[("a", b"abc")]] * 2
    assert refused.status == 409
    assert "was changed" in refused.json["error"]
    assert bob.kinds(url_token) == ["creation", "owner_view", "owner_view"]


def test_a_copy_that_takes_too_long_is_done_without(bob: Api) -> None:
    url_token, upload = push_with_upload(bob)

    with partial_failures.copying_as_s3_does(up_to=2):
        first = bob.retrieve(url_token)
    got = [fetch_files(view) for view in (first, bob.retrieve(url_token))]
    bring(upload, b"xyz")

    assert got == [[("a", b"abc")]] * 2
    assert bob.retrieve(url_token).status == 409


def test_no_copy_is_begun_that_the_time_for_copies_would_not_suffice_for(
    bob: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_COPY_TIME", 1.0)
    url_token, _ = push_with_upload(bob)

    assert fetch_files(bob.retrieve(url_token)) == [("a", b"abc")]
    assert objects() == ["files/0"]


@pytest.mark.parametrize(("code", "status"), [("SlowDown", 200), ("AccessDenied", 503)])
def test_a_slow_copy_is_left_out_and_a_forbidden_copy_is_an_error(bob: Api, code: str, status: int) -> None:
    url_token, _ = push_with_upload(bob)

    with wire_tap.answering("CopyObject", code):
        answer = bob.retrieve(url_token)

    assert answer.status == status
    assert status == 200 or nothing_was_counted(bob, url_token)


def test_only_the_first_view_copies_files_and_only_uploaded_ones(bob: Api) -> None:
    by_form, _ = push_with_upload(bob)
    in_request = bob.push("", files=[inline("a", b"abc")])

    with wire_tap.calls() as calls:
        for url_token in (by_form, by_form, in_request):
            assert fetch_files(bob.retrieve(url_token)) == [("a", b"abc")]

    assert [name for name, _ in calls].count("CopyObject") == 1
    assert [name for name, _ in calls].count("ListObjectsV2") == 3  # two at the first view, one at the second


def test_a_push_from_before_stamps_were_kept_is_handed_out(bob: Api) -> None:
    url_token, _ = push_with_upload(bob)
    resources.client("dynamodb").update_item(
        TableName="test-Pushes",
        Key={"id": {"S": digests.digest(url_token)}},
        UpdateExpression="SET awaits_files = :no",
        ExpressionAttributeValues={":no": {"BOOL": False}},
    )

    assert fetch_files(bob.retrieve(url_token)) == [("a", b"abc")]


def test_copies_go_with_the_rest_of_their_push(bob: Api) -> None:
    url_token, _ = push_with_upload(bob)
    bob.retrieve(url_token)
    assert len(objects()) == 2

    remove_objects.handler(queue(digests.digest(url_token)), Context())

    assert objects() == []


def test_ten_files_add_little_to_the_item(bob: Api) -> None:
    created = bob.create("", files=[{"filename": "a", "size": 1}] * 10).json
    for upload in created["uploads"]:
        bring(upload, b"x")
    before = len(repr(resources.items("Pushes")))

    bob.retrieve(created["url_token"])

    assert len(repr(resources.items("Pushes"))) - before < 400


def test_the_copy_is_served_as_the_file_was(bob: Api) -> None:
    created = bob.create("", files=[{"filename": "a.pdf", "size": 1, "content_type": "application/pdf"}]).json
    bring(created["uploads"][0], b"x")

    [file] = bob.retrieve(created["url_token"]).json["files"]
    headers = requests.get(file["url"], timeout=5).headers

    assert headers["Content-Type"] == "application/pdf"
    assert headers["Content-Disposition"].startswith("attachment;")
