"""Every page and every mail, rendered in each language: no English left, placeholders filled, direction right.

One tour through the handlers collects what each page shows. Each language then renders all of it again.
"""

import re
from html.parser import HTMLParser
from typing import Any, NamedTuple

import pytest

from infra.build import template
from shared.domain import seal
from shared.domain.languages import COMPLETE, SERVED, SOURCE
from shared.domain.notice import Notice
from shared.identity import auth
from shared.service import notices
from shared.web import html, mail_text
from tests.conftest import People
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.functions.pages.test_account import signing_in
from tests.functions.pages.test_my_account import act, turned_on

TEMPLATES = template.ROOT / "functions" / "pages" / "templates"
# Pages and mails; the others are parts of them.
WHOLE = {path.name for path in TEMPLATES.iterdir() if path.suffix == ".txt" or "<html" in path.read_text()}
WHOLE |= {path.name for path in TEMPLATES.iterdir() if "{% extends" in path.read_text()}
PARTS = {"base.html", "recipient.html"}
FILE = {"filename": "a.zip", "data": "YWJj"}
VOID = {"meta", "link", "input", "br", "img", "path", "circle", "rect"}
SILENT = {"script", "style", "pre", "code", "textarea"}
SPOKEN = {"alt", "aria-label", "aria-description", "placeholder", "title"}
LATIN = re.compile(r"https?://|…[A-Za-z0-9]{4}\b|[A-Za-z0-9/_-]{16,}")
ISOLATED = re.compile("\u2066.*?\u2069")  # left-to-right isolate, for URLs within a sentence


class Text(NamedTuple):
    """A text of a page. `is_directed` says whether an element inside the page sets its direction."""

    text: str
    is_directed: bool


class Texts(HTMLParser):
    """Collects the readable texts of a page, except those in another language and what people have typed."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.texts: list[Text] = []
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in VOID:
            self.open.append((tag, values))
        self.texts += [Text(value or "", is_directed=True) for name, value in attrs if name in SPOKEN]

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        inner = [one for one in self.open if one[0] not in ("html", "body")]
        is_foreign = any(tag in SILENT or "lang" in values or "translate" in values for tag, values in inner)
        if data.strip() and not is_foreign:
            self.texts.append(Text(data.strip(), any(tag == "bdi" or "dir" in values for tag, values in inner)))


Shown = tuple[str, dict[str, Any]]


@pytest.fixture
def shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[Shown]:
    """Return the template and values of every page of a tour, which the first test of a process makes."""
    if not _SHOWN:
        render = html.render

        def collect(name: str, values: dict[str, Any], locale: str) -> str:
            _SHOWN.append((name, {**values}))
            return render(name, values, locale)

        with monkeypatch.context() as patched:
            patched.setattr(html, "render", collect)
            request.getfixturevalue("configure")(MAIL_FROM="push@example.com", BASE_URL="https://push.example.com")
            tour(request.getfixturevalue("ann"), request.getfixturevalue("people"))
    return _SHOWN


_SHOWN: list[Shown] = []


def tour(ann: Browser, people: People) -> None:
    """Visit every page, as a stranger, as a recipient and as an owner."""
    stranger = Browser()
    for form in ("sign_in", "sign_up", "confirm", "password", "new_password", "deleted", "no_such_form"):
        stranger.visit(f"/users/{form}")
    stranger.visit("/users/sign_in").submit("/users/sign_in", email="x@example.com", password="wrong horse 1")
    for fields in ({"push[payload]": ""}, {"push[payload]": "x" * 2_000_000}, {"generate": "yes"}):
        stranger.visit("/").submit("", **fields)
    _as_recipient(Browser(Api(ip="192.0.2.9")))
    _as_owner(ann)
    turned_on(ann, people)
    signing_in()
    act(ann, "delete", password="wrong horse 1")
    _mails()


def _as_recipient(browser: Browser) -> None:
    api = Api()
    for fields in ({}, {"kind": "url"}, {"kind": "qr"}, {"passphrase": "p", "deletable_by_viewer": True}):
        url_token = api.push("https://example.com/x", expire_after_views=3, retrieval_step=True, **fields)
        browser.visit(f"/p/{url_token}/preview")
        browser.visit(f"/p/{url_token}").submit()
        browser.visit(f"/p/{url_token}").submit(None, passphrase="p")
    browser.submit(f"/p/{url_token}/expire", sure="yes").visit(f"/p/{url_token}")


def _as_owner(ann: Browser) -> None:
    api = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    with_files = api.push("x", files=[FILE], expire_after_views=2)
    ann.visit(f"/p/{with_files}/r").submit().submit(f"/p/{with_files}/file", link="https://example.com")
    waiting = api.create("", files=[{"filename": f"{name}.zip", "size": 3} for name in "ab"]).json["url_token"]
    api.expire(api.push())
    for path in ("/", "/pushes", "/pushes?state=expired", "/users/token", "/users/account?done=on", "/notices/x"):
        ann.visit(path)
    for url_token in (with_files, waiting):
        ann.visit(f"/pushes/{seal.digest(url_token)}")
    ann.visit("/users/token").submit("", name="laptop", days="9")
    ann.visit("/pushes")._request("POST", "/users/sign_out", b"form_token=old")


def _mails() -> None:
    """Send the mails, and follow their links to stop them."""
    pushes = [values["push"] for name, values in _SHOWN if name == "record.html"]
    for push, sender in zip(pushes, ("ann@example.com", ""), strict=True):
        mail_text.link_mail(push, "token", sender, "stop", SOURCE)
        mail_text.notice_mail(Notice(push, bool(sender), START, sender and "Firefox", 2), "token", SOURCE)
        for path in (f"/notices/{notices.stop_token(push)}", f"/notices/{notices.stop_token(push, 'x@example.com')}"):
            Browser().visit(path).submit("")


def test_the_tour_shows_every_page_and_mail(shown: list[Shown]) -> None:
    assert WHOLE - PARTS - {name for name, _ in shown} == set()


@pytest.mark.parametrize("tag", SERVED)
def test_every_page_and_mail_is_whole_in_this_language(shown: list[Shown], tag: str) -> None:
    direction, is_complete = ("rtl" if tag == "ar" else "ltr"), tag in COMPLETE - {SOURCE}

    faults = []
    for name, values in shown:
        page = html.render(name, values, tag)
        texts = Texts(page).texts
        faults += [(name, one.text) for one in texts if re.search(r"%\(|%s|\{\w*\}", one.text)]
        if name.endswith(".html") and f'<html lang="{tag}" dir="{direction}">' not in page:
            faults.append((name, "lang, dir"))
        if is_complete:
            english = {one.text for one in Texts(html.render(name, values, SOURCE)).texts}
            faults += [(name, one.text) for one in texts if one.text in english and is_a_sentence(one.text)]
        if direction == "rtl":
            faults += [(name, one.text) for one in texts if runs_backwards(one)]

    assert faults == []


def is_a_sentence(text: str) -> bool:
    """Return whether a text has three words in a row; one or two may be the same in another language."""
    return bool(re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text))


def runs_backwards(text: Text) -> bool:
    """Return whether an address or a code stands within right-to-left text without a direction of its own."""
    lines = [line for line in ISOLATED.sub("", text.text).splitlines() if not re.fullmatch(r"https?://\S+", line)]
    return not text.is_directed and bool(LATIN.search("\n".join(lines)))
