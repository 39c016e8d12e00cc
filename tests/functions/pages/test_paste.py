"""The message to paste on the preview of a push, in the recipient's language."""

import html
import re
from datetime import timedelta

import pytest

from shared.web import html as templates
from shared.web import site
from tests.drivers.browser import Browser, forms
from tests.drivers.client import START, Answer, Api
from tests.shared.domain.test_push import PUSH


def made(api: Api, **fields: str) -> Browser:
    typed = {"push[payload]": "s3cret"} | {f"push[{name}]": value for name, value in fields.items()}
    return Browser(api).visit("/").submit("", **typed)


def message_of(page: Answer) -> str:
    [message] = re.findall(r'<textarea id="message"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL)
    return html.unescape(message)


def link_of(page: Answer) -> str:
    return str(re.findall(r'id="link"[^>]*>([^<]*)<', page.text)[0])


def test_the_message_has_the_service_the_link_and_the_limits(api: Api) -> None:
    browser = made(api, expire_after_views="3", expire_after_duration="6")

    assert message_of(browser.page) == (
        "Hello,\n\nI have sent you confidential information with Secret sharing. You can open it here:\n\n"
        f"{link_of(browser.page)}\n\n"
        "You can open it 3 times, until 2 Jan 2026, 01:00 UTC. Then it is deleted for good.\n"
    )


def test_the_message_says_that_a_passphrase_comes_by_another_way(api: Api) -> None:
    browser = made(api, passphrase="right", expire_after_views="1")

    assert "You can open it once, until" in message_of(browser.page)
    assert message_of(browser.page).endswith("You will need the passphrase, which I give you separately.\n")
    assert "right" not in message_of(browser.page)


def test_the_link_has_the_recipient_s_language_and_the_page_the_sender_s(api: Api) -> None:
    browser = made(api)
    plain = link_of(browser.page)

    page = browser.visit(f"{browser.at}?push_locale=de").page

    assert link_of(page) == f"{plain}?locale=de"
    assert f"\n{plain}?locale=de\n" in message_of(page)
    assert '<html lang="en"' in page.text
    assert 'lang="de" dir="auto"' in page.text
    assert "8. Jan. 2026" in message_of(page) or "08.01.2026" in message_of(page)


def test_the_language_of_the_message_comes_from_the_form(api: Api) -> None:
    browser = Browser(api).visit("/").submit("", push_locale="de", **{"push[payload]": "s3cret"})

    assert browser.query == "push_locale=de"
    assert link_of(browser.page).endswith("?locale=de")
    assert '<html lang="en"' in browser.page.text
    assert '<details id="paste">' in browser.page.text


@pytest.mark.parametrize("asked", ["xx", "de&x=1\r\nset-cookie: a"])
def test_a_language_that_no_form_of_ours_has_leads_to_the_plain_preview(api: Api, asked: str) -> None:
    browser = Browser(api).visit("/").submit("", push_locale=asked, **{"push[payload]": "s3cret"})

    assert browser.query == ""


def test_the_qr_code_has_a_name(api: Api) -> None:
    assert '<div role="img" aria-label="The link as a QR code"><svg' in made(api).page.text


@pytest.mark.parametrize("asked", ["", "xx", '"><script>', "../de"])
def test_a_language_that_is_not_served_is_as_none(api: Api, asked: str) -> None:
    browser = made(api)
    plain = link_of(browser.page)

    page = browser.visit(f"{browser.at}?push_locale={asked}").page

    assert link_of(page) == plain
    assert '"><script>' not in page.text


def test_a_name_with_markup_is_pasted_unchanged_and_shown_as_text(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    named = site.operator_brand()._replace(name="A & B <b>")
    monkeypatch.setitem(templates.environment(site.directory()).globals, "brand", named)

    page = made(api).page

    assert "confidential information with A & B <b>." in message_of(page)
    assert "<b>" not in page.text
    assert "with A & B <b>." in templates.text("message.txt", {"push": PUSH, "link": "https://x"}, "en")


def test_a_link_to_send_again_like_a_push_shows_its_settings_in_the_form(api: Api) -> None:
    push = PUSH._replace(kind="url", expires_at=START + timedelta(hours=6), expire_after_days=1, retrieval_step=True)
    macro = '{% from "again.html" import again with context %}{{ again(push) }}'
    shown = (
        templates.environment(site.directory())
        .from_string(macro)
        .render({"push": push, "gettext": str, "ngettext": str})
    )
    [link] = re.findall(r'href="([^"]*)"', shown)

    fields = dict(next(form for form in forms(Browser(api).visit(link).page.text) if not form.action).fields)

    assert link == "/?like=url.360m.5.true.false"
    assert (fields["push[kind]"], fields["push[expire_after_duration]"]) == ("url", "4")
    assert (fields["push[retrieval_step]"], fields["push[deletable_by_viewer]"]) == ("true", "false")
