"""The sender's form: its idempotency key, the saved choices, and the preview of the created push."""

import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from shared.domain import idempotency
from tests.drivers.browser import FORM, Browser, forms
from tests.drivers.client import KEY, Answer, Api
from tests.engines import resources

TYPED = {
    "push[payload]": "a key:\ns3cret",
    "push[passphrase]": "a passphrase",
    "push[name]": "For Bob",
    "push[note]": "a note",
    "push[kind]": "qr",
    "push[expire_after_duration]": "8",
    "push[expire_after_views]": "2",
}


def key_of(page: Answer) -> str:
    return fields_of(page)["idempotency_key"]


def fields_of(page: Answer) -> dict[str, str]:
    return dict(next(form for form in forms(page.text) if form.action == "").fields)


def twin(browser: Browser) -> Browser:
    """Return the same form again, as sent by a double press or a reload."""
    return replace(browser)


# ---------------------------------------------------------------- created, and shown by its preview


def test_a_reload_of_the_page_with_the_link_creates_nothing(api: Api) -> None:
    browser = Browser(api).visit("/").submit("", **TYPED)
    shown = browser.page.text

    again = browser.visit(browser.at).page.text

    assert re.fullmatch(r"/m/\w+/\w+", browser.at)
    assert again == shown
    assert resources.stored()["Pushes"] == 1


def test_the_preview_shows_the_limits_and_no_content(ann: Browser) -> None:
    preview = ann.visit("/").submit("", **TYPED).at
    url_token = preview.split("/")[2]
    Api().retrieve(url_token, "a passphrase")
    anybody = Browser(Api(now=ann.api.now.replace(day=2)))

    page = " ".join(re.sub("<.?time.*?>", "", anybody.visit(preview).page.text).split())

    assert f"/p/{url_token}/r" in page
    assert 'class="qr"' in page
    assert "It can be opened once, until 4 Jan 2026, 01:00 UTC." in page
    assert "needs the passphrase" in page
    assert not [typed for typed in ("For Bob", "a note", "a passphrase", "s3cret", "multipart") if typed in page]


def test_a_preview_has_the_viewer_s_navigation(ann: Browser) -> None:
    preview = ann.visit("/").submit("", **TYPED).at

    assert "Sign out" in ann.visit(preview).page.text
    assert "Sign out" not in Browser().visit(preview).page.text


# ---------------------------------------------------------------- keys


def test_every_form_has_a_key_of_its_own(api: Api) -> None:
    keys = [key_of(Browser(api).visit("/").page) for _ in range(2)]

    assert all(idempotency.is_key(key) for key in keys)
    assert keys[0] != keys[1]


@pytest.mark.parametrize("more", [{"push[expire_after_days]": "0"}, {"generate": "yes"}])
def test_a_form_that_is_shown_again_keeps_its_key(api: Api, more: dict[str, str]) -> None:
    browser = Browser(api).visit("/")
    key = key_of(browser.page)

    assert key_of(browser.submit("", **TYPED | more).page) == key


def test_a_form_that_may_be_another_site_s_does_not_keep_its_key(api: Api) -> None:
    """The browser does not report the origin of the form: an attacker could have chosen the key."""
    browser = Browser(api).visit("/")

    again = browser.submit("", {"sec-fetch-site": ""}, idempotency_key=KEY, **TYPED | {"push[expire_after_days]": "0"})

    assert again.page.status == 422
    assert KEY not in again.page.text


@pytest.mark.parametrize("key", ["", "short", "x" * 256, "sixteen or more\u00e9", '"><script>aaaaaaa\n'])
def test_a_key_that_is_none_is_replaced_and_makes_a_push_each_time(api: Api, key: str) -> None:
    browser = Browser(api).visit("/")

    again = browser.submit("", idempotency_key=key, **TYPED | {"push[expire_after_days]": "0"}).page
    for one in (browser, twin(browser)):
        one.submit("", idempotency_key=key, **TYPED)

    assert key_of(again) != key
    assert idempotency.is_key(key_of(again))
    assert resources.stored()["Pushes"] == 2


def test_the_same_form_sent_twice_makes_one_push(ann: Browser) -> None:
    again = twin(ann.visit("/"))

    assert ann.submit("", **TYPED).at == again.submit("", **TYPED).at
    assert resources.stored()["Pushes"] == 1


def test_a_form_that_was_sent_and_then_changed_makes_another_push(ann: Browser) -> None:
    again = twin(ann.visit("/"))

    assert ann.submit("", **TYPED).at != again.submit("", **TYPED | {"push[payload]": "changed"}).at
    assert resources.stored()["Pushes"] == 2


# ---------------------------------------------------------------- "Back"


def test_a_returning_sender_finds_the_choices_but_no_secret(ann: Browser) -> None:
    unchecked = {"push[retrieval_step]": "false", "push[deletable_by_viewer]": "false"}
    ann.visit("/").submit("", **TYPED | unchecked)

    back = ann.visit("/").page
    fields = fields_of(back)

    assert {name: fields[name] for name in TYPED if name in fields} == {
        "push[kind]": "qr",
        "push[expire_after_duration]": "8",
        "push[expire_after_views]": "2",
        "push[passphrase]": "",
        "push[name]": "",
    }
    assert (fields["push[retrieval_step]"], fields["push[deletable_by_viewer]"]) == ("false", "false")
    assert not [typed for typed in ("s3cret", "a passphrase", "For Bob", "a note") if typed in back.text]


def test_the_choices_are_a_lasting_httponly_cookie_of_settings_only(ann: Browser) -> None:
    body = b"push[payload]=s3cret&push[passphrase]=typed"

    _, [cookie] = Api().exchange("POST", "/", headers={"content-type": FORM}, body=body)

    value, *attributes = cookie.split("; ")
    assert value == "__Host-choices=text.10080m.5.true.true"
    assert attributes == [f"Max-Age={400 * 86_400}", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"]


PLANTED = [
    "",
    "x",
    "text",
    "evil.4320m.2.true.true",
    "text.4320m.2.yes.true",
    "text.4320m.2.true.true.",
    "text.4320m.2.true.<b>",
]
OUT_OF_BOUNDS = ["text.0m.2.true.true", "text.4320m.101.true.true", "text.\u0663m.2.true.true"]
OUT_OF_BOUNDS += ["text.14m.2.true.true", "text.129601m.2.true.true", "text.4320m.2.true.true" * 5_000]
OUT_OF_BOUNDS += ["text.4320m.2.true.true.w6", "text.4320m.2.true.true.w20uld6-4", "text.4320m.2.true.true.w20<b>6-0"]


@pytest.mark.parametrize("planted", PLANTED + OUT_OF_BOUNDS)
def test_choices_that_cannot_be_ours_are_as_none(api: Api, planted: str) -> None:
    plain = fields_of(Browser(api).visit("/").page)

    page = Browser(api, {"__Host-choices": planted}).visit("/").page

    assert page.status == 200
    assert fields_of(page) | {"idempotency_key": ""} == plain | {"idempotency_key": ""}


@pytest.mark.parametrize("planted", PLANTED + OUT_OF_BOUNDS)
def test_a_link_to_settings_that_cannot_be_ours_is_as_none(api: Api, planted: str) -> None:
    plain = fields_of(Browser(api).visit("/").page)

    page = Browser(api).visit(f"/?{urlencode({'like': planted})}").page

    assert page.status == 200
    assert fields_of(page) | {"idempotency_key": ""} == plain | {"idempotency_key": ""}


def test_a_link_to_settings_is_stronger_than_the_cookie(api: Api) -> None:
    page = Browser(api, {"__Host-choices": "qr.60m.1.false.false.w20uld9-0"}).visit("/?like=url.15m.2.true.false").page

    fields = fields_of(page)
    assert [fields[f"push[{name}]"] for name in ("kind", "expire_after_duration", "expire_after_views")] == [
        "url",
        "0",
        "2",
    ]
    assert (fields["push[retrieval_step]"], fields["push[deletable_by_viewer]"]) == ("true", "false")
    assert (fields["style"], fields["count"]) == ("words", "9")


def test_a_kind_that_was_chosen_and_is_not_offered_now_is_text(api: Api) -> None:
    page = Browser(api, {"__Host-choices": "file.4320m.2.true.true"}).visit("/").page

    assert fields_of(page)["push[kind]"] == "text"
    assert 'type="file"' not in page.text


def test_files_chosen_before_are_not_requested_again(ann: Browser) -> None:
    ann.cookies |= {"__Host-choices": "file.4320m.2.true.true"}

    page = ann.visit("/").page

    assert fields_of(page)["push[kind]"] == "file"
    assert "must be chosen again" not in page.text


def test_a_link_has_no_generator_settings(api: Api) -> None:
    fields = fields_of(Browser(api).visit("/?like=url.15m.2.true.false.c8d0-0").page)

    assert (fields["push[kind]"], fields["length"], "upper" in fields) == ("url", "20", True)


def test_the_form_says_that_it_remembers_and_how_to_forget(api: Api) -> None:
    browser = Browser(api).visit("/")
    first = browser.page.text
    browser.submit("", **{"push[payload]": "s3cret", "push[expire_after_views]": "1"})

    remembered, usual = browser.visit("/").page.text, browser.visit("/?like=usual").page.text

    said = "The settings are those of your last push."
    assert [said in page for page in (first, remembered, usual)] == [False, True, False]
    assert ['name="push[expire_after_views]" min="1" max="100" value="5"' in page for page in (remembered, usual)] == [
        False,
        True,
    ]


def test_usual_settings_are_not_called_remembered(api: Api) -> None:
    browser = Browser(api).visit("/").submit("", **{"push[payload]": "s3cret"})

    assert "The settings are those of your last push." not in browser.visit("/").page.text


def test_the_first_field_that_is_wrong_has_the_focus(api: Api) -> None:
    page = Browser(api).visit("/").submit("", **{"push[payload]": " ", "push[expire_after_views]": "0"}).page.text

    assert re.findall(r'<(?:textarea|input|select)[^>]* id="(\w+)"[^>]*autofocus', page) == ["payload", "views"]
