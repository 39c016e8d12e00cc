"""The sender's form when it cannot be accepted: shown again with everything typed, and one sentence."""

import html
import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest

from shared.identity import auth
from tests.conftest import Configure
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import Answer, Api
from tests.engines import resources
from tests.functions.pages.test_send_forms import TYPED, fields_of


def notice(page: Answer) -> str:
    return html.unescape(re.sub(r"<a.*", "", re.findall(r'role="alert">(.*?)</p>', page.text, re.DOTALL)[0])).strip()


def signed_out(browser: Browser) -> Browser:
    """Yield a browser whose session ends while the form is open."""
    browser.visit("/")
    auth.close_session(browser.session)
    return browser


def before_a_sign_in(ann: Browser) -> Browser:
    stranger = Browser(ann.api).visit("/")
    stranger.cookies = ann.cookies
    return stranger


def of_another_session(ann: Browser) -> Browser:
    ann.visit("/")
    ann.cookies = {"__Host-session": auth.open_session(ann.owner, now=ann.api.now)}
    return ann


STALE = {
    "signed out": (signed_out, "You have been signed out", False),
    "signed in": (before_a_sign_in, "You have signed in or out", True),
    "another session": (of_another_session, "You have signed in or out", True),
}


@pytest.mark.parametrize(("become", "said", "is_owner"), STALE.values(), ids=STALE)
@pytest.mark.parametrize("more", [{}, {"generate": "yes"}])
def test_a_form_that_went_stale_is_shown_again_with_everything_typed(
    ann: Browser, become: Callable[[Browser], Browser], said: str, is_owner: bool, more: dict[str, str]
) -> None:
    browser = become(ann)

    page = browser.submit("", **TYPED | more).page

    assert page.status == 403
    assert notice(page).startswith(said)
    assert notice(page).count(said) == 1
    assert "a key:\ns3cret</textarea>" in page.text
    assert "a note</textarea>" in page.text
    assert TYPED.items() - {("push[payload]", "a key:\ns3cret"), ("push[note]", "a note")} <= fields_of(page).items()
    assert ("form_token" in fields_of(page)) is is_owner
    assert resources.items("Pushes") == []


@pytest.mark.parametrize(("become", "said", "is_owner"), STALE.values(), ids=STALE)
def test_a_form_shown_again_creates_the_push_for_its_current_sender(
    ann: Browser, become: Callable[[Browser], Browser], said: str, is_owner: bool
) -> None:
    browser = become(ann)
    owners = [{"S": browser.owner}] if is_owner else [None]

    browser.submit("", **TYPED).submit("", **TYPED)

    assert browser.at.endswith("/preview") is is_owner  # else the sender's own page
    assert [item.get("owner") for item in resources.items("Pushes")] == owners


def test_a_form_of_the_signed_out_is_not_lost_where_there_are_owners_only(ann: Browser, configure: Configure) -> None:
    configure(ANONYMOUS_ACCESS="false")

    page = signed_out(ann).submit("", **TYPED).page

    assert page.status == 403
    assert notice(page).endswith("Sign in in another tab, then send it again.")
    assert "a key:\ns3cret</textarea>" in page.text
    assert resources.items("Pushes") == []


def test_after_a_sign_in_the_page_asks_for_the_files_again(ann: Browser) -> None:
    browser = signed_out(ann)
    files = {"push[kind]": "file", "direct": '[{"filename": "a", "size": 1}]'}

    first = browser.submit("", **TYPED | files).page
    second = browser.submit("", **TYPED | files).page

    assert (first.status, second.status) == (403, 401)
    assert "without an account" not in notice(first)
    assert notice(second).startswith("You need to sign in to send files")
    for page in (first, second):
        assert fields_of(page)["push[kind]"] == "file"
        assert "Files that you chose before must be chosen again." in page.text
        assert "a note</textarea>" in page.text
    assert resources.items("Pushes") == []


@pytest.mark.parametrize("become", [row[0] for row in STALE.values()], ids=STALE)
def test_a_stale_form_of_unknown_origin_shows_nothing_again(ann: Browser, become: Callable[[Browser], Browser]) -> None:
    browser = become(ann)
    form = {name: value for name, value in fields_of(browser.page).items() if name == "form_token"} | TYPED
    sent = [f"{name}={value}" for name, value in browser.cookies.items()]

    page, _ = browser.api.exchange(
        "POST", "/", headers={"content-type": FORM}, body=urlencode(form).encode(), cookies=sent
    )

    assert page.status == 403
    assert not [typed for typed in ("s3cret", "a passphrase", "For Bob", "a note") if typed in page.text]
    assert resources.items("Pushes") == []


def test_a_payload_too_long_is_shown_again_whole(api: Api) -> None:
    payload = "x" * 1_048_577

    page = Browser(api).visit("/").submit("", **TYPED | {"push[payload]": payload}).page

    assert page.status == 422
    assert f"{payload}</textarea>" in page.text
    assert 'value="a passphrase"' in page.text


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
@pytest.mark.parametrize("is_signed_in", [True, False])
def test_nothing_of_a_form_from_another_site_is_shown_again(ann: Browser, site: str, is_signed_in: bool) -> None:
    browser = ann.visit("/") if is_signed_in else signed_out(ann)

    page = browser.submit("", {"sec-fetch-site": site}, **TYPED).page

    assert page.status == 403
    assert "was not sent from this site" in page.text
    assert not [typed for typed in ("s3cret", "a passphrase", "For Bob", "a note") if typed in page.text]
    assert resources.items("Pushes") == []
