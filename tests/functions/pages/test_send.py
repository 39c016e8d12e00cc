import html
import json
import re
from datetime import datetime
from typing import Any

import pytest

from shared.domain.limits import DURATIONS
from shared.web import pages
from tests.conftest import Configure
from tests.contract.test_files import bring
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import Answer, Api
from tests.engines import resources


def send_form(browser: Browser, **fields: str) -> str:
    """Fill in and send the form; return the url_token of the shown link."""
    page = browser.visit("/").submit("", **{f"push[{name}]": value for name, value in fields.items()}).page
    return str(re.findall(r'id="link"[^>]*>[^<]*/p/(\w+)(?:/r)?<', page.text)[0])


def upload_data(browser: Browser, *files: dict[str, Any]) -> Answer:
    """Return the upload data for the page's script."""
    browser.visit("/")
    fields = {"direct": json.dumps(files), "push[payload]": "", "push[kind]": "file"}
    return browser.submit("", {"accept": "application/json"}, **fields).page


@pytest.mark.parametrize(
    ("kind", "payload"), [("text", "s3cret"), ("url", "https://example.com/"), ("qr", "WIFI:S:net;;")]
)
def test_the_form_makes_a_push(api: Api, kind: str, payload: str) -> None:
    url_token = send_form(Browser(), kind=kind, payload=payload, expire_after_views="2", expire_after_days="3")

    push = api.retrieve(url_token).json

    assert (push["kind"], push["payload"]) == (kind, payload)
    assert (push["expire_after_views"], push["expire_after_days"]) == (2, 3)
    assert push["retrieval_step"] is push["deletable_by_viewer"] is True


@pytest.mark.parametrize("index", range(len(DURATIONS)))
def test_a_push_lives_as_long_as_was_chosen(api: Api, index: int) -> None:
    push = api.retrieve(send_form(Browser(), payload="x", expire_after_duration=str(index))).json

    lives = datetime.fromisoformat(push["expires_at"]) - datetime.fromisoformat(push["created_at"])
    assert lives == DURATIONS[index]


def test_the_form_names_every_lifetime_and_proposes_the_contracts(api: Api) -> None:
    page = Browser(api).visit("/?locale=de").page.text

    options = re.findall(r'<option value="(\d+)"( selected)?>([^<]*)</option>', page)
    assert [name for _, _, name in options][:4] == ["15 Minuten", "30 Minuten", "45 Minuten", "1 Stunde"]
    assert [name for _, selected, name in options if selected] == ["7 Tage"]


@pytest.mark.parametrize("index", ["18", "-1", "x", "9" * 5000])
def test_an_invalid_lifetime_gets_an_error_at_its_field(api: Api, index: str) -> None:
    fields = {"push[payload]": "x", "push[expire_after_duration]": index}
    page = Browser(api).visit("/").submit("", **fields).page

    assert page.status == 422
    assert 'id="expire_after_duration-problem"' in page.text


def test_an_unchecked_box_means_no(api: Api) -> None:
    fields = "push[payload]=x&push[retrieval_step]=false&push[deletable_by_viewer]=false"
    made = api.request("POST", "/", headers={"content-type": FORM}, body=fields.encode())

    push = api.retrieve(made.headers["location"].split("/")[2]).json

    assert push["retrieval_step"] is push["deletable_by_viewer"] is False


def test_an_error_is_shown_at_its_field_and_the_input_is_kept(api: Api) -> None:
    before = resources.stored()

    page = Browser(api).visit("/").submit("", **{"push[payload]": "javascript:1", "push[kind]": "url"}).page

    assert page.status == 422
    assert "Must be an absolute http or https URL." in page.text
    assert "javascript:1</textarea>" in page.text
    assert resources.stored() == before


def test_blanks_around_an_address_are_trimmed(api: Api) -> None:
    address, text = " https://example.com/ \r\n", " s3cret\n"
    sent = [send_form(Browser(), kind="url", payload=address), send_form(Browser(), kind="text", payload=text)]

    assert [api.retrieve(url_token).json["payload"] for url_token in sent] == ["https://example.com/", text]


def test_an_address_without_a_scheme_is_refused_and_offered_with_https(api: Api) -> None:
    typed = {"push[kind]": "url", "push[payload]": " example.com/login "}
    browser = Browser(api).visit("/").submit("", **typed)

    page = browser.page
    offered = browser.submit("", https="yes", **typed).at.split("/")[2]

    assert page.status == 422
    assert '<button name="https" value="yes" class="secondary">Use https://example.com/login</button>' in page.text
    assert api.retrieve(offered).json["payload"] == "https://example.com/login"


@pytest.mark.parametrize(
    "payload",
    ["javascript:1", "a word", "mailto:ann@example.com", "ann@example.com", "ftp://example.com", "a.b /", "a.b:x"],
)
def test_what_https_does_not_make_an_address_is_not_offered(api: Api, payload: str) -> None:
    page = Browser(api).visit("/").submit("", **{"push[payload]": payload, "push[kind]": "url"}).page

    assert page.status == 422
    assert 'name="https"' not in page.text


def test_numbers_are_checked_in_the_language_of_the_page(api: Api) -> None:
    assert re.search(r'<form [^>]*id="send"[^>]* novalidate', Browser(api).visit("/").page.text)


def test_a_signed_in_sender_owns_the_push(ann: Browser) -> None:
    send_form(ann, payload="x", name="For Bob", note="n")

    assert "For Bob" in ann.visit("/pushes").page.text


def test_a_form_without_the_sessions_token_sends_nothing(ann: Browser) -> None:
    page = ann.visit("/").submit("", form_token="forged", **{"push[payload]": "x"}).page

    assert page.status == 403
    assert resources.items("Pushes") == []


def test_files_are_for_owners_unless_the_installation_says_otherwise(ann: Browser, configure: Configure) -> None:
    signed_in, stranger = ann.visit("/").page.text, Browser().visit("/").page.text
    configure(FILE_AUTHENTICATION="false")

    assert 'type="file"' in signed_in
    assert 'type="file"' not in stranger
    assert 'type="file"' in Browser().visit("/").page.text


def test_large_files_are_declared_and_brought_by_the_pages_script(ann: Browser) -> None:
    made = upload_data(ann, {"filename": "a.bin", "size": 3})
    [upload] = made.json["uploads"]

    assert made.json.keys() == {"preview", "uploads"}
    assert bring(upload, b"abc") in (200, 204)
    assert len(Api().retrieve(made.json["preview"].split("/")[2]).json["files"]) == 1


def test_the_script_s_requests_have_the_headers_of_every_page(ann: Browser) -> None:
    of_pages = ann.visit("/pushes").page.headers

    made = upload_data(ann, {"filename": "a.bin", "size": 3})

    assert made.status == 201
    of_pages = {name: value for name, value in of_pages.items() if name != "content-language"}
    own = {"content-type": "application/json; charset=utf-8", "content-security-policy": pages._POLICY_OF_NO_PAGE}
    assert made.headers == of_pages | own


def test_without_anonymous_access_a_sender_signs_in_first(api: Api, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")

    assert Browser(api).visit("/").at == "/users/sign_in"


def test_only_the_form_with_files_may_speak_to_s3(ann: Browser) -> None:
    policies = {path: ann.visit(path).page.headers["content-security-policy"] for path in ("/", "/pushes", "/p/nosuch")}

    assert "connect-src 'self' https://test-bucket.s3.amazonaws.com;" in policies["/"]
    assert policies["/pushes"] == policies["/p/nosuch"] == pages._policy(uploads="", downloads="")


def test_a_payload_in_the_form_is_text(api: Api) -> None:
    payload = "\n</textarea><script>"

    page = Browser(api).visit("/").submit("", **{"push[payload]": payload, "push[expire_after_days]": "0"}).page.text

    [kept] = re.findall(r'<textarea id="payload"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert html.unescape(kept) == "\n" + payload


def test_files_chosen_before_another_kind_was_are_not_sent(ann: Browser) -> None:
    ann.visit("/")
    direct = json.dumps([{"filename": "a.bin", "size": 3}])

    ann.submit("", direct=direct, **{"push[payload]": "only text", "push[kind]": "text"})
    push = Api().retrieve(ann.at.split("/")[2]).json

    assert (push["payload"], push["kind"], push["files"]) == ("only text", "text", [])


@pytest.mark.parametrize("payload", ["", "a text beside it"])
def test_a_push_of_files_needs_a_file(ann: Browser, payload: str) -> None:
    page = ann.visit("/").submit("", **{"push[payload]": payload, "push[kind]": "file"}).page

    assert page.status == 422
    assert "Choose at least one file." in html.unescape(page.text)
    assert resources.items("Pushes") == []


def test_line_breaks_arrive_as_they_were_typed(ann: Browser) -> None:
    url_token = send_form(ann, payload="\r\n-----BEGIN KEY-----\r\nabc\r\n", note="one\r\ntwo")

    assert Api().retrieve(url_token).json["payload"] == "\n-----BEGIN KEY-----\nabc\n"


def test_an_empty_number_field_means_the_form_s_default(api: Api) -> None:
    push = api.retrieve(send_form(Browser(), payload="x", expire_after_days="", expire_after_views="")).json

    assert (push["expire_after_days"], push["expire_after_views"]) == (7, 5)


def test_the_form_with_files_is_three_requests(ann: Browser) -> None:
    page = ann.visit("/").page.text

    assert len(re.findall(r'(?:<script|<link|<img)[^>]* (?:src|href)="/', page)) == 2


def test_the_first_visit_to_the_form_weighs_at_most_36_kilobytes(api: Api) -> None:
    page = Browser(api).visit("/").page.text
    scripts = re.findall(r'<script src="(/assets/[^"]+)"', page)

    weight = len(page.encode()) + sum(len(api.get(script).text.encode()) for script in scripts)

    assert len(scripts) == 1
    assert weight <= 36_000
