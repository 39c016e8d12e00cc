"""The export of an owner's pushes and audit logs as JSON."""

import json
from typing import Any

import pytest

from shared.domain import digests
from shared.domain.limits import MAX_EXPORTED_ENTRIES, PAGE_SIZE
from tests.conftest import Issue
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.engines import resources


@pytest.fixture
def ann_api(ann: Browser, issue: Issue) -> Api:
    """Return the same owner's API."""
    return Api(token=issue(ann.owner))


def exported(ann: Browser, path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(ann.visit(path).page.text)
    return content


def test_the_export_has_settings_and_audit_logs_but_nothing_that_opens_a_push(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push("the payload", name="Für Bob", note="a note", passphrase="the passphrase")
    ann_api.retrieve(url_token, "wrong")

    [push] = exported(ann, "/pushes/active.json")["pushes"]

    assert (push["id"], push["name"], push["note"]) == (digests.digest(url_token), "Für Bob", "a note")
    assert [entry["kind"] for entry in push["logs"]] == ["creation", "failed_passphrase"]
    assert (push["expire_after_views"], push["ended_by"]) == (5, None)
    assert not [text for text in (url_token, "the payload", "the passphrase", "*") if text in ann.page.text]


def test_the_export_is_saved_as_a_file_and_kept_in_no_cache(ann: Browser, ann_api: Api) -> None:
    ann_api.push()

    headers = ann.visit("/pushes/active.json").page.headers

    assert headers["content-disposition"] == 'attachment; filename="pushes-active-1.json"'
    assert (headers["cache-control"], headers["content-type"]) == ("no-store", "application/json; charset=utf-8")


def test_each_list_is_a_file_of_its_own(ann: Browser, ann_api: Api) -> None:
    ann_api.push(name="Lively")
    ann_api.expire(ann_api.push(name="Over"))

    files = [exported(ann, f"/pushes/{name}.json")["pushes"] for name in ("active", "expired")]

    assert [[(push["name"], push["ended_by"]) for push in one] for one in files] == [
        [("Lively", None)],
        [("Over", "deleted")],
    ]


def test_a_long_audit_log_is_whole(ann: Browser, ann_api: Api) -> None:
    url_token = ann_api.push(passphrase="p")
    for _ in range(PAGE_SIZE):
        ann_api.retrieve(url_token)

    [push] = exported(ann, "/pushes/active.json")["pushes"]

    assert [entry["kind"] for entry in push["logs"]] == ["creation", *["failed_passphrase"] * PAGE_SIZE]


def test_logs_that_have_no_room_in_one_file_are_in_the_pushes_own(ann: Browser, ann_api: Api) -> None:
    for _ in range(2):
        resources.fill_log(digests.digest(ann_api.push()), MAX_EXPORTED_ENTRIES // 2 + 1)

    first, second = exported(ann, "/pushes/active.json")["pushes"]
    [own] = exported(ann, f"/pushes/{second['id']}.json")["pushes"]

    assert [len(one["logs"] or []) for one in (first, second, own)] == [1, 0, 1]


@pytest.mark.parametrize("name", ["nosuch.json", f"{'0' * 64}.json", ".json"])
def test_an_unknown_export_is_not_found(ann: Browser, name: str) -> None:
    assert ann.visit(f"/pushes/{name}").page.status == 404


def test_another_owners_push_is_not_exported(ann: Browser, bob: Api) -> None:
    assert ann.visit(f"/pushes/{digests.digest(bob.push())}.json").page.status == 404


def test_an_export_needs_a_session(api: Api) -> None:
    assert Browser(api).visit("/pushes/active.json").at == "/users/sign_in"


def test_the_account_page_leads_to_the_export(ann: Browser) -> None:
    page = ann.visit("/users/account").page.text

    assert all(f'href="/pushes/{name}.json"' in page for name in ("active", "expired"))
