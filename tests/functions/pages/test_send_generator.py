"""The password generator of the sender's form without scripts, and the hints next to its fields."""

import html
import re

import pytest

from tests.conftest import Configure
from tests.drivers.browser import Browser, forms
from tests.drivers.client import Answer, Api


def payload_of(page: Answer) -> str:
    [kept] = re.findall(r'<textarea id="payload"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL)
    return html.unescape(kept)


def fields_of(page: Answer) -> dict[str, str]:
    return dict(next(form for form in forms(page.text) if form.action == "").fields)


def generate(browser: Browser, **more: str) -> Browser:
    return browser.submit("", generate="yes", **more)


def test_a_password_is_generated_without_any_script(api: Api) -> None:
    page = generate(Browser(api).visit("/"), **{"push[expire_after_duration]": "2"}).page

    assert re.fullmatch(r"[A-Za-z0-9]{20}", payload_of(page))
    assert "Strength: 119 bits" in page.text
    assert fields_of(page)["push[expire_after_duration]"] == "2"


def test_a_password_of_words_is_generated_without_any_script(api: Api) -> None:
    page = generate(Browser(api).visit("/"), style="words", count="8", separator=".").page

    assert re.fullmatch(r"[a-z-]+(\.[a-z-]+){7}", payload_of(page))
    assert "Strength: 103 bits" in page.text
    assert (fields_of(page)["style"], fields_of(page)["count"], fields_of(page)["separator"]) == ("words", "8", ".")


def test_changed_generator_choices_are_visible(api: Api) -> None:
    usual, chosen = (generate(Browser(api).visit("/"), length=length).page.text for length in ("20", "30"))

    assert ['<details id="options" open>' in page for page in (usual, chosen)] == [False, True]


def test_unchecking_a_box_keeps_the_generator_choices(api: Api) -> None:
    browser = Browser(api).visit("/")
    browser.page = Answer(200, {}, browser.page.text.replace(" checked> Uppercase", "> Uppercase"))

    page = generate(browser, length="30").page

    assert re.fullmatch(r"[a-z0-9]{30}", payload_of(page))
    assert "upper" not in fields_of(page)
    assert fields_of(page)["lower"] == "yes"


def test_the_generator_choices_are_saved_but_not_the_password(api: Api) -> None:
    browser = generate(Browser(api).visit("/"), style="words", count="8")
    password = payload_of(browser.page)
    browser.submit("", style="words", count="8", **{"push[payload]": password})

    page = browser.visit("/").page

    assert (fields_of(page)["style"], fields_of(page)["count"]) == ("words", "8")
    assert password not in page.text + str(browser.cookies)


def test_an_overwritten_password_can_be_restored(api: Api) -> None:
    browser = generate(Browser(api).visit("/"), **{"push[payload]": "typed\nby hand"})
    generate(browser, **{"push[payload]": payload_of(browser.page)})

    page = browser.submit("", undo="yes", **{"push[payload]": payload_of(browser.page)}).page

    assert payload_of(page) == "typed\nby hand"
    assert not {"generated", "before"} & fields_of(page).keys()


def test_an_edited_generated_password_can_be_restored(api: Api) -> None:
    browser = generate(Browser(api).visit("/"), **{"push[payload]": "first"})
    generate(browser, **{"push[payload]": "second"})

    page = browser.submit("", undo="yes", **{"push[payload]": payload_of(browser.page)}).page

    assert payload_of(page) == "second"


@pytest.mark.parametrize("box", ["hide", "show"])
def test_a_hidden_payload_stays_hidden_when_the_form_is_shown_again(api: Api, box: str) -> None:
    browser = Browser(api).visit("/")

    assert box not in fields_of(browser.page)
    assert fields_of(browser.submit("", **{box: "yes", "push[payload]": ""}).page)[box] == "yes"


def test_a_sender_without_file_rights_sees_how_to_get_them(ann: Browser, configure: Configure) -> None:
    hint = "To send files,"
    stranger = Browser().visit("/").page.text

    assert hint in stranger
    assert 'href="/users/sign_up"' in stranger
    assert hint not in ann.visit("/").page.text
    configure(SIGN_UP="false")
    assert hint in Browser().visit("/").page.text
    assert "sign_up" not in Browser().visit("/").page.text
    configure(FILE_ATTACHMENTS="false")
    assert hint not in Browser().visit("/").page.text


def test_no_password_manager_or_keyboard_changes_or_stores_the_input(api: Api) -> None:
    page = Browser(api).visit("/").page.text

    for field in re.findall(r'<(?:textarea|input)[^>]* id="(?:payload|passphrase)"[^>]*>', page):
        for attribute in ('autocomplete="off"', 'autocapitalize="off"', 'autocorrect="off"', 'spellcheck="false"'):
            assert attribute in field
        assert "data-1p-ignore" in field


def test_a_form_with_half_of_the_generator_s_choices_is_shown_again(api: Api) -> None:
    assert Browser(api).visit("/").submit("", generated="x").page.status == 422
