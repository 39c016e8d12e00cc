"""Protections that a client asks for are honoured or refused (contract, sections 3 and 13)."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

import functions.pages  # noqa: F401 (registers the pages' directory)
from shared.domain import digests, networks
from shared.domain.limits import MAX_AUDIT_ENTRIES
from shared.identity import auth
from shared.web import mail_text
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, START, Api
from tests.engines import resources
from tests.meters import wire_tap, write_units
from tests.shared.domain.test_push import PUSH

pytestmark = pytest.mark.prove(
    "API", "A push for some networks opens from nowhere else, and a refusal destroys nothing", "moto"
)

OFFICE: dict[str, Any] = {"allowed_ips": ["192.0.2.0/24", "2001:db8::/32"]}
REFUSED = "This can be opened only from networks that its sender chose, and yours is none of them."


def elsewhere(api: Api) -> Api:
    away = api.as_owner(api.token)
    away.ip = "198.51.100.7"
    return away


@pytest.fixture
def stranger(api: Api) -> Api:
    return elsewhere(api)


# ---------------------------------------------------------------- asking for it


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (["192.0.2.9/24", "2001:DB8::/32"], ["192.0.2.0/24", "2001:db8::/32"]),
        ("192.0.2.1, ::ffff:198.51.100.7", ["192.0.2.1", "198.51.100.7"]),
        ("192.0.2.1", ["192.0.2.1"]),
    ],
)
def test_allowed_ips_come_back_in_canonical_form_from_create_and_lists(bob: Api, given: Any, stored: list[str]) -> None:
    created = bob.create(allowed_ips=given).json

    assert created["allowed_ips"] == stored
    assert bob.active().json[0]["allowed_ips"] == stored
    bob.expire(created["url_token"])
    assert bob.expired().json[0]["allowed_ips"] == stored


@pytest.mark.parametrize("nothing", [None, False, "", " ", []])
def test_allowed_ips_of_nothing_ask_for_nothing(bob: Api, stranger: Api, nothing: Any) -> None:
    created = bob.create(allowed_ips=nothing).json

    assert "allowed_ips" not in created
    assert "allowed_ips" not in bob.active().json[0]
    assert stranger.retrieve(created["url_token"]).json["payload"] == "s3cret"


@pytest.mark.parametrize(
    "wrong",
    [True, 1, {"a": 1}, "office", "false", ["192.0.2.1", ""], [None], [["192.0.2.1"]], "fe80::1%1", ["192.0.2.1"] * 21],
)
def test_allowed_ips_that_cannot_be_honoured_are_refused(api: Api, wrong: Any) -> None:
    answer = api.create(allowed_ips=wrong)

    assert answer.status == 422
    assert answer.json == {"allowed_ips": ["must be 1 to 20 IP addresses or ranges, such as 192.0.2.0/24"]}
    assert resources.stored()["Pushes"] == 0


def test_twenty_networks_are_taken(api: Api) -> None:
    assert len(api.create(allowed_ips=[f"2001:db8:{number}::/48" for number in range(20)]).json["allowed_ips"]) == 20


@pytest.mark.parametrize("name", ["allowed_countries", "authenticated_recipients"])
def test_a_protection_that_is_not_here_is_refused(api: Api, name: str) -> None:
    for value in (True, "1", "DE", ["DE"], {"a": 1}, [""]):
        answer = api.create(**{name: value})
        assert (answer.status, answer.json) == (422, {name: ["is not available"]})
    nothing: list[Any] = [None, False, 0, "", " ", "off", "No", [], {}]
    for value in nothing:
        created = api.create(**{name: value})
        assert created.status == 201
        assert "ignored" not in created.json


def test_forms_and_api_v1_ask_for_networks_too(api: Api, bob: Api, stranger: Api) -> None:
    text = "push[payload]=a&push[allowed_ips]=192.0.2.1"
    listed = "password[payload]=a&password[allowed_ips][]=192.0.2.1&password[allowed_ips][]=192.0.2.2"
    created = [
        api.request("POST", path, headers={"content-type": "application/x-www-form-urlencoded"}, body=body.encode())
        for path, body in (("/api/v2/pushes", text), ("/p.json", listed))
    ]

    assert [answer.json["allowed_ips"] for answer in created] == [["192.0.2.1"], ["192.0.2.1", "192.0.2.2"]]
    assert [stranger.get(f"/p/{answer.json['url_token']}.json").status for answer in created] == [403, 403]


# ---------------------------------------------------------------- what was not understood


def test_unknown_fields_are_listed_as_ignored(api: Api) -> None:
    assert api.create(zeta=1, allowed_ip="192.0.2.1", passphrase="p").json["ignored"] == ["allowed_ip", "zeta"]
    assert "ignored" not in api.create().json


def test_only_ten_short_names_in_ascii_are_listed(api: Api) -> None:
    unknown = {f"n{number:02}": 1 for number in range(12)} | {"x" * 41: 1, "naïve": 1, "line\nbreak": 1, "a" * 40: 1}

    assert api.create(**unknown).json["ignored"] == ["a" * 40, *(f"n{number:02}" for number in range(9))]


def test_ignored_fields_tell_no_bodies_apart_and_networks_do(bob: Api) -> None:
    first = bob.create(key=KEY, unknown=1)

    again = bob.create(key=KEY, other=1)
    assert (again.status, again.json["url_token"]) == (201, first.json["url_token"])
    assert again.json["ignored"] == ["other"]
    assert bob.create(key=KEY, **OFFICE).json == {
        "idempotency_key": ["was already used for another push: use a new key"]
    }


# ---------------------------------------------------------------- from elsewhere


def test_a_push_opens_from_its_networks_alone(bob: Api, api: Api, stranger: Api) -> None:
    url_token = bob.push(**OFFICE)

    answer = stranger.retrieve(url_token)

    assert (answer.status, answer.json) == (403, {"error": REFUSED})
    for path in (f"/p/{url_token}.json", f"/p/{url_token}/r.json", f"/f/{url_token}.json", f"/r/{url_token}.json"):
        assert stranger.get(path).status in (403, 301)
    assert api.retrieve(url_token).json["payload"] == "s3cret"
    assert elsewhere(bob).retrieve(url_token).status == 403  # the owner views from there, too


def test_a_refusal_is_a_failed_view_and_costs_none(bob: Api, stranger: Api) -> None:
    url_token = bob.push(**OFFICE)
    stranger.retrieve(url_token)

    [_, entry] = bob.audit(url_token).json["logs"]
    assert (entry["kind"], entry["ip"]) == ("failed_view", stranger.ip)
    assert bob.active().json[0]["views_remaining"] == 5


@pytest.mark.parametrize("end", ["DELETE", "last view", "time"])
def test_a_refusal_after_the_end_is_the_same_and_destroys_nothing(bob: Api, api: Api, end: str) -> None:
    url_token = bob.push(expire_after_views=1, expire_after_days=1, **OFFICE)
    match end:
        case "DELETE":
            bob.expire(url_token)
        case "last view":
            api.retrieve(url_token, key=KEY)
        case "time":
            api.tick(days=2)
    secrets = resources.items("Secrets")

    answer = elsewhere(api).retrieve(url_token)

    assert (answer.status, answer.json) == (403, {"error": REFUSED})
    assert resources.items("Secrets") == secrets
    if end == "last view":  # its lease lives on
        assert api.retrieve(url_token, key=KEY).json["payload"] == "s3cret"


@pytest.mark.parametrize(("received", "dated"), [(2, 5), (7, 7)])
def test_a_refusal_after_the_end_is_dated_after_it(bob: Api, stranger: Api, received: int, dated: int) -> None:
    url_token = bob.push(**OFFICE)
    bob.tick(seconds=5)
    bob.expire(url_token)
    stranger.tick(seconds=received)
    stranger.retrieve(url_token)

    entries = {entry["kind"]: entry["created_at"] for entry in bob.audit(url_token).json["logs"]}
    assert entries["failed_view"] == f"2026-01-01T01:00:0{dated}.000Z"


def test_a_repeat_with_its_key_is_refused_elsewhere(api: Api, stranger: Api) -> None:
    url_token = api.push(expire_after_views=1, **OFFICE)
    api.retrieve(url_token, key=KEY)

    assert stranger.retrieve(url_token, key=KEY).status == 403
    assert api.retrieve(url_token, key=KEY).json["payload"] == "s3cret"


def test_no_passphrase_is_tried_elsewhere(bob: Api, api: Api, stranger: Api) -> None:
    url_token = bob.push(passphrase="right", **OFFICE)

    assert [stranger.retrieve(url_token, guess).status for guess in (None, *["wrong"] * 6, "right")] == [403] * 8
    assert api.retrieve(url_token, "right").json["payload"] == "s3cret"
    assert set(bob.kinds(url_token)) == {"creation", "failed_view", "view"}


def test_the_checks_come_in_order(bob: Api, stranger: Api) -> None:
    url_token = bob.push(files=[{"filename": "a", "size": 1}], **OFFICE)

    assert stranger.as_owner("wrong").retrieve(url_token).status == 401
    assert stranger.retrieve("nosuchtoken").status == 404
    assert stranger.retrieve(url_token).status == 403
    assert bob.retrieve(url_token).status == 409


def test_viewers_delete_from_its_networks_alone_and_the_owner_from_anywhere(
    bob: Api, api: Api, stranger: Api, eve: Api
) -> None:
    first, second, third = (bob.push(deletable_by_viewer=True, **OFFICE) for _ in range(3))

    assert (stranger.expire(first).status, elsewhere(eve).expire(first).status) == (403, 403)
    assert stranger.request("DELETE", f"/p/{first}.json").json == {"error": REFUSED}
    assert bob.kinds(first) == ["creation", *["failed_view"] * 3]
    assert api.expire(second).status == 200
    assert elsewhere(bob).expire(third).status == 200
    assert stranger.expire(third).status == 403  # also after the end


def test_the_manage_key_works_from_anywhere(api: Api, stranger: Api) -> None:
    page = urlsplit(api.create(**OFFICE).json["manage_url"]).path
    _, _, url_token, key = page.split("/")
    by_key = {"headers": {"x-manage-key": key}}

    assert Browser(stranger).visit(page).page.status == 200
    assert stranger.request("GET", f"/api/v2/pushes/{url_token}/status", **by_key).json["ended_by"] is None
    assert stranger.request("DELETE", f"/api/v2/pushes/{url_token}", **by_key).json["expired"] is True


def test_refusals_fill_half_of_the_log_and_go_on_after_it(bob: Api, stranger: Api) -> None:
    url_token = bob.push(**OFFICE)
    resources.client("dynamodb").update_item(
        TableName="test-Pushes",
        Key={"id": {"S": digests.digest(url_token)}},
        UpdateExpression="SET entries = :most",
        ExpressionAttributeValues={":most": {"N": str(MAX_AUDIT_ENTRIES // 2 - 1)}},
    )

    with wire_tap.calls() as calls:
        statuses = [stranger.retrieve(url_token).status for _ in range(3)]

    assert statuses == [403] * 3
    assert [operation for operation, _ in calls].count("TransactWriteItems") == 1


def test_head_and_preview_do_not_look(api: Api, stranger: Api) -> None:
    url_token = api.push(**OFFICE)

    assert stranger.preview(url_token).status == 200
    assert stranger.get(f"/p/{url_token}/preview").status == 200
    for path in (f"/api/v2/pushes/{url_token}", f"/p/{url_token}", f"/p/{url_token}/r"):
        assert stranger.request("HEAD", path).status == 200


@pytest.mark.parametrize("path", ["", "/r"])
@pytest.mark.parametrize("step", [True, False])
def test_the_page_from_elsewhere_has_no_button_and_leaves_no_entry(
    bob: Api, stranger: Api, path: str, step: bool
) -> None:
    url_token = bob.push(retrieval_step=step, **OFFICE)
    bob.tick(seconds=1)

    page = Browser(stranger).visit(f"/p/{url_token}{path}").page

    assert page.status == 403
    assert "<button" not in page.text
    assert "s3cret" not in page.text
    assert bob.kinds(url_token) == ["creation"]


def test_a_button_pressed_elsewhere_shows_nothing_and_is_recorded(bob: Api, api: Api) -> None:
    url_token = bob.push(**OFFICE)
    browser = Browser(api).visit(f"/p/{url_token}")
    api.ip = "198.51.100.7"  # the phone has left the office

    page = browser.submit("").page

    assert (page.status, "s3cret" in page.text, "<button" in page.text) == (403, False, False)
    assert bob.kinds(url_token) == ["creation", "failed_view"]


def test_the_page_s_delete_works_from_its_networks_alone(bob: Api, api: Api) -> None:
    url_token = bob.push(deletable_by_viewer=True, **OFFICE)
    browser = Browser(api).visit(f"/p/{url_token}").submit("")
    api.ip = "198.51.100.7"

    assert browser.submit(f"/p/{url_token}/expire", sure="yes").page.status == 403
    assert bob.active().json[0]["views_remaining"] == 4
    api.ip = "192.0.2.1"
    assert api.retrieve(url_token).status == 200


def test_a_link_to_a_file_works_from_anywhere_once_given(bob: Api, api: Api, stranger: Api) -> None:
    url_token = bob.push("", files=[{"filename": "a.txt", "data": "aGk="}], **OFFICE)
    link = api.retrieve(url_token).json["files"][0]["url"]

    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = stranger.request("POST", f"/p/{url_token}/file", headers=form, body=urlencode({"link": link}).encode())

    assert (answer.status, answer.headers["location"]) == (303, link)


# ---------------------------------------------------------------- the sender's pages


def test_the_form_asks_for_networks_folded_away(ann: Browser) -> None:
    options = ann.visit("/").page.text.split('<details id="options">')[1].split("</details>")[0]
    assert "Only from these networks" in options

    ann.submit("", **{"push[payload]": "s3cret", "push[allowed_ips]": "192.0.2.7/24, 2001:db8::1"})

    token = auth.issue_api_token(ann.owner, "test", now=START)
    assert Api(token=token).active().json[0]["allowed_ips"] == ["192.0.2.0/24", "2001:db8::1"]
    assert "It opens only from certain networks" in ann.page.text  # the message to paste
    [record] = re.findall(r"/pushes/[0-9a-f]{64}", ann.visit("/pushes").page.text)[:1]
    assert "192.0.2.0/24, 2001:db8::1" in ann.visit(record).page.text


def test_the_form_says_what_is_wrong_with_networks(api: Api) -> None:
    page = Browser(api).visit("/").submit("", **{"push[payload]": "s", "push[allowed_ips]": "office"}).page

    assert page.status == 422
    assert "Must be 1 to 20 IP addresses or ranges, such as 192.0.2.0/24." in page.text
    assert '<details id="options" open>' in page.text


def test_a_mail_says_that_networks_are_limited() -> None:
    limited = PUSH._replace(networks=networks.pack(["192.0.2.1"]))

    for push, said in ((PUSH, False), (limited, True)):
        _, text, html = mail_text.link_mail(push, "token", "", "stop", "en")[:3]
        assert [("only from certain networks" in part) for part in (text, html)] == [said, said]


# ---------------------------------------------------------------- what it costs


def test_a_view_with_twenty_networks_costs_four_units(configure: Configure, bob: Api) -> None:
    many = [f"2001:db8:{number:x}::/48" for number in range(20)]
    url_token = bob.push(note="n" * 400, allowed_ips=many)
    bob.ip = "2001:db8:1::1"

    with write_units.billed() as bill:
        answer = bob.retrieve(url_token)

    assert answer.json["payload"] == "s3cret"
    assert bill.units == {"Pushes": 2, "AuditEntries": 2}
    assert bob.active().json[0]["note"] == "n" * 400


def test_a_refusal_costs_four_units_and_leaves_the_push_alive(api: Api, stranger: Api) -> None:
    url_token = api.push(**OFFICE)

    with write_units.billed() as bill:
        stranger.retrieve(url_token)

    assert bill.units == {"Pushes": 2, "AuditEntries": 2}
    assert api.now == START
    api.tick(days=6)
    assert api.retrieve(url_token).json["expires_at"] > (START + timedelta(days=6)).isoformat()
