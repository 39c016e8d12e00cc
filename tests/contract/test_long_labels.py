"""A note too long for its push's item is shown everywhere that a short one is."""

import pytest

from shared.domain import digests
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources
from tests.meters import wire_tap

NOTE = "a long note, " * 500


def test_the_lists_show_long_and_short_notes_alike(bob: Api) -> None:
    ended = bob.push(note=NOTE, name="ended")
    bob.expire(ended)
    for name, note in (("long", NOTE), ("short", "a note"), ("none", "")):
        bob.push(name=name, note=note)

    active = {push["name"]: push["note"] for push in bob.active().json}
    [expired] = bob.expired().json

    assert active == {"long": NOTE, "short": "a note", "none": ""}
    assert (expired["name"], expired["note"], expired["url_token"]) == ("ended", NOTE, ended)


def test_a_page_of_long_notes_is_shown_whole(bob: Api) -> None:
    for number in range(51):
        bob.push(name=str(number), note=NOTE)

    page, rest = bob.active().json, bob.active(page=2).json

    assert {push["name"] for push in page + rest} == {str(number) for number in range(51)}
    assert all(push["note"] == NOTE for push in page + rest)


def test_an_owner_s_record_shows_a_long_note(ann: Browser) -> None:
    ann.visit("/").submit("", **{"push[payload]": "s3cret", "push[note]": NOTE})
    push_id = next(item["id"]["S"] for item in resources.items("Pushes") if "owner" in item)

    record = ann.visit(f"/pushes/{push_id}").page

    assert NOTE in record.text
    assert ann.submit("", expire="yes").page.status == 200


@pytest.mark.parametrize(("note", "batches"), [("a note", 1), (NOTE, 2)])
def test_only_a_page_with_long_notes_costs_another_round_trip(bob: Api, note: str, batches: int) -> None:
    bob.push()
    bob.push(note=note)

    with wire_tap.calls() as calls:
        bob.active()

    of_pushes = [call for call, wanted in calls if "test-Pushes" in wanted.get("RequestItems", {})]
    assert of_pushes == ["BatchGetItem"] * batches


def test_a_separate_label_has_no_owner_is_encrypted_and_ends_with_its_push(bob: Api) -> None:
    push_id = digests.digest(bob.push(note=NOTE))

    items = {item["id"]["S"]: item for item in resources.items("Pushes")}

    label = items[f"label {push_id}"]
    assert set(label) == {"id", "label", "purge_at"}
    assert label["purge_at"] == items[push_id]["purge_at"]
    assert b"note" not in label["label"]["B"]


def test_a_label_is_no_push(bob: Api) -> None:
    push_id = digests.digest(bob.push(note=NOTE))

    assert bob.preview(f"label {push_id}").status == 404
    assert [push["note"] for push in bob.active().json] == [NOTE]


def test_a_push_without_its_label_is_not_listed(bob: Api) -> None:
    gone, other = bob.push(note=NOTE), bob.push()
    key = {"id": {"S": f"label {digests.digest(gone)}"}}

    resources.client("dynamodb").delete_item(TableName="test-Pushes", Key=key)

    assert [push["url_token"] for push in bob.active().json] == [other]
