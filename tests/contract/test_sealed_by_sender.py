"""End-to-end encryption, as the API has it (contract, section 15): the payload is a JWE whose key nobody sends here."""

import re
from typing import Any

import pytest

from shared.domain.limits import MAX_PAYLOAD
from tests.conftest import Configure
from tests.drivers.browser import Browser
from tests.drivers.client import KEY, Api
from tests.drivers.sender_key import key_id, open_jwe, seal
from tests.engines import resources
from tests.meters import write_units

pytestmark = pytest.mark.prove("6", "A sealed push is guarded as any other, and the service never gets its key", "moto")

SEALED: dict[str, Any] = {"sealed_by": "sender"}
SHOWN = SEALED | {"sealed_key_id": key_id()}


def shown(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name.startswith("sealed_")}


def test_every_answer_says_who_sealed_a_push_and_with_which_key(bob: Api, api: Api) -> None:
    created = bob.create(seal(), **SEALED).json
    url_token = created["url_token"]

    assert bob.preview(url_token).json == {"url": created["html_url"]} | SHOWN
    retrieved = api.retrieve(url_token).json
    assert open_jwe(retrieved["payload"]) == "s3cret"
    for answer in (created, retrieved, bob.active().json[0]):
        assert shown(answer) == SHOWN
    bob.expire(url_token)
    for answer in (bob.expired().json[0], bob.preview(url_token).json, api.retrieve(url_token).json):
        assert shown(answer) == SHOWN


def test_answers_about_other_pushes_do_not_mention_it(bob: Api) -> None:
    created = bob.create(seal(), sealed_by=None).json
    url_token = created["url_token"]

    for answer in (created, bob.active().json[0], bob.preview(url_token).json, bob.retrieve(url_token).json):
        assert shown(answer) == {}


@pytest.mark.parametrize("value", ["service", "Sender", " sender", True, 1, ["sender"], {"a": 1}])
def test_nobody_else_seals(api: Api, value: Any) -> None:
    answer = api.create(seal(), sealed_by=value)

    assert (answer.status, answer.json) == (422, {"sealed_by": ["must be `sender`"]})
    assert resources.stored()["Pushes"] == 0


@pytest.mark.parametrize("value", [None, ""])
def test_an_empty_field_asks_for_nothing(api: Api, value: Any) -> None:
    assert "sealed_by" not in api.create(sealed_by=value).json


@pytest.mark.parametrize("payload", ["s3cret", "", seal(cty="text"), seal() + "\n", seal() + "="])
def test_a_payload_that_is_no_jwe_is_refused(api: Api, payload: str) -> None:
    answer = api.create(payload, **SEALED)

    assert (answer.status, list(answer.json)) == (422, ["payload"])
    assert resources.stored()["Pushes"] == 0


@pytest.mark.parametrize("kind", ["url", "qr"])
def test_only_texts_and_files_can_be_sealed(api: Api, kind: str) -> None:
    answer = api.create("https://a.example", kind=kind, **SEALED)

    assert (answer.status, answer.json) == (422, {"sealed_by": ["is only for the kinds text and file"]})


def test_files_need_a_jwe_with_their_names(bob: Api) -> None:
    files = [{"filename": "1", "content_type": "application/octet-stream", "size": 32}]

    assert list(bob.create("", files=files, **SEALED).json) == ["payload"]
    assert shown(bob.create(seal("{}", cty="json"), files=files, **SEALED).json) == SHOWN


def test_the_limit_counts_the_jwe(bob: Api) -> None:
    for plain, status in ((786_000, 201), (786_432, 422)):
        jwe = seal("x" * plain)
        assert (len(jwe) <= MAX_PAYLOAD) == (status == 201)
        assert bob.create(jwe, **SEALED).status == status


def test_forms_and_api_v1_seal_too(bob: Api) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    for path, wrapper in (("/api/v2/pushes", "push"), ("/p.json", "password")):
        body = f"{wrapper}[payload]={seal()}&{wrapper}[sealed_by]=sender".encode()
        assert shown(bob.request("POST", path, headers=headers, body=body).json) == SHOWN


def test_a_mail_would_lack_the_key(bob: Api, configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    mail = {"notify_emails_to": "a@example.com"}

    refused = bob.create(seal(), **SEALED, **mail)
    url_token = bob.push(seal(), **SEALED)
    later = bob.post(f"/api/v2/pushes/{url_token}/notify_emails", mail)

    assert [(answer.status, list(answer.json)) for answer in (refused, later)] == [(422, ["notify_emails_to"])] * 2
    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.parametrize("step", [True, False])
def test_a_get_of_a_sealed_push_never_reveals(api: Api, bob: Api, step: bool) -> None:
    jwe = seal()
    url_token = bob.push(jwe, retrieval_step=step, **SEALED)

    pages = [Browser(api).visit(f"/p/{url_token}{end}").page for end in ("", "/r")]

    assert [page.status for page in pages] == [200, 200]
    assert not any(jwe in page.text for page in pages)
    assert bob.kinds(url_token) == ["creation"]


def test_a_repeated_create_tells_sealed_from_unsealed(bob: Api) -> None:
    jwe = seal()

    assert bob.create(jwe, key=KEY, **SEALED).json["url_token"] == bob.create(jwe, key=KEY, **SEALED).json["url_token"]
    assert bob.create(jwe, key=KEY).status == 422


@pytest.mark.parametrize("note", ["", "n" * 10_000, "n" * 419, "n" * 430])
def test_a_view_of_a_sealed_push_costs_four_units(bob: Api, note: str) -> None:
    url_token = bob.push(seal(), note=note, **SEALED)

    with write_units.billed() as bill:
        bob.retrieve(url_token)

    assert bill.total == 4


def test_no_page_has_a_link_to_show_or_copy_that_looks_whole(ann: Browser) -> None:
    url_token = ann.visit("/").submit("", **{"push[payload]": seal(), "push[sealed_by]": "sender"}).at.split("/")[2]
    preview = ann.visit(f"/p/{url_token}/preview").page.text
    pushes = ann.visit("/pushes").page.text
    record = ann.visit(re.findall(r'href="(/pushes/\w{64})"', pushes)[0]).page.text

    assert "This is not the whole link" in preview
    assert f'hidden data-whole data-key-id="{key_id()}"' in preview
    assert '<svg class="qr"' not in preview  # it would be the code of a part of the link
    assert 'data-copy="link-' not in pushes
    assert "This is not the whole link" in record


def test_the_recipient_s_page_of_files_names_the_command_line_and_has_no_button(bob: Api, api: Api) -> None:
    files = [{"filename": "1", "data": "AAAA"}]
    url_token = bob.push(seal("{}", cty="json"), files=files, **SEALED)

    page = Browser(api).visit(f"/p/{url_token}/r").page.text

    assert "encrypted with the command line" in page
    assert "<form" not in page


def test_a_record_offers_no_mail_that_would_lack_the_key(ann: Browser, configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
    for sealed_by, is_offered in (("", True), ("sender", False)):
        ann.api.tick(seconds=1)
        ann.visit("/").submit("", **{"push[payload]": seal(), "push[sealed_by]": sealed_by})
        record = re.findall(r'href="(/pushes/\w{64})"', ann.visit("/pushes").page.text)[0]
        assert ('name="notify_emails_to"' in ann.visit(record).page.text) == is_offered


def test_the_form_remembers_the_switch(ann: Browser) -> None:
    ann.visit("/").submit("", **{"push[payload]": seal(), "push[sealed_by]": "sender"})

    assert re.search(r'id="seal"[^>]* disabled checked', ann.visit("/").page.text)
