"""A tour through every page and mail, which collects what each shows; a test renders it again in another language."""

from typing import Any
from unittest import mock
from urllib.parse import urlsplit

from shared.domain import digests
from shared.domain.ask import Opened
from shared.domain.languages import SOURCE
from shared.domain.notice import Notice
from shared.domain.push import Push
from shared.identity import auth
from shared.service import notices
from shared.web import html, mail_text
from tests.conftest import People
from tests.doubles.hosted_sign_in import CAROL, Provider
from tests.drivers.browser import Browser
from tests.drivers.client import START, Api
from tests.drivers.provider_sign_in import leave, signed_in, way_back
from tests.functions.pages.test_account import signing_in
from tests.functions.pages.test_my_account import act, turned_on
from tests.shared.service import test_answers

Shown = tuple[str, dict[str, Any]]
FILE = {"filename": "a.zip", "data": "YWJj"}


def collect(ann: Browser, people: People, provider: Provider) -> list[Shown]:
    """Return the template and the values of every page and mail of a tour."""
    shown: list[Shown] = []
    render = html.render

    def collecting(name: str, values: dict[str, Any], locale: str) -> str:
        shown.append((name, {**values}))
        return render(name, values, locale)

    with mock.patch.object(html, "render", collecting):
        _by_provider(provider)
        _tour(ann, people)
        *pushes, answer = [values["push"] for name, values in shown if name == "record.html"]
        _mails(pushes)
        _mails_about(answer, [values["opened"] for name, values in shown if name == "ask.html"])
    return shown


def _by_provider(provider: Provider) -> None:
    """Sign in by an OIDC provider, after a refusal, with an address that is not verified; and sign out."""
    refused = leave(provider)
    refused.visit(way_back(provider, refused, answer="no"))
    signed_in(provider, CAROL._replace(is_verified=False)).visit("/users/account").submit("/users/sign_out")


def _tour(ann: Browser, people: People) -> None:
    """Visit every page, as a stranger, as a recipient and as an owner."""
    stranger = Browser()
    for form in ("sign_in", "sign_up", "confirm", "password", "new_password", "deleted", "no_such_form"):
        stranger.visit(f"/users/{form}")
    stranger.visit("/users/sign_in").submit("/users/sign_in", email="x@example.com", password="wrong horse 1")
    for fields in ({"push[payload]": ""}, {"push[payload]": "x" * 2_000_000}, {"generate": "yes"}):
        stranger.visit("/").submit("", **fields)
    _as_recipient(Browser(Api(ip="192.0.2.9")))
    _as_stranger_asked(Browser(Api(ip="192.0.2.10")))
    _as_owner(ann)
    turned_on(ann, people)
    signing_in()
    act(ann, "delete", password="wrong horse 1")


def _as_recipient(browser: Browser) -> None:
    api = Api()
    for fields in ({}, {"kind": "url"}, {"kind": "qr"}, {"passphrase": "p", "deletable_by_viewer": True}):
        url_token = api.push("https://example.com/x", expire_after_views=3, retrieval_step=True, **fields)
        browser.visit(f"/p/{url_token}/preview")
        browser.visit(f"/p/{url_token}").submit()
        browser.visit(f"/p/{url_token}").submit(None, passphrase="p")
    browser.submit(f"/p/{url_token}/expire", sure="yes").visit(f"/p/{url_token}")
    browser.visit(urlsplit(api.create().json["manage_url"]).path)
    browser.visit(f"/p/{api.push(allowed_ips='203.0.113.0/24')}")


def _as_stranger_asked(browser: Browser) -> None:
    opened = test_answers.stored(message="the \u202econtract", files=True, max_bytes=9)
    browser.visit(f"/a/{opened.terms.ask_token}").submit("", **{"push[payload]": "x" * 10}).submit("", language="en")


def _as_owner(ann: Browser) -> None:
    api = Api(token=auth.issue_api_token(ann.owner, "test", now=START))
    with_files = api.push("x", files=[FILE], expire_after_views=2)
    ann.visit(f"/p/{with_files}/r").submit().submit(f"/p/{with_files}/file", link="https://example.com")
    waiting = api.create("", files=[{"filename": f"{name}.zip", "size": 3} for name in "ab"]).json["url_token"]
    api.expire(api.push())
    for path in ("/", "/pushes", "/pushes?state=expired", "/users/token", "/users/account?done=on", "/notices/x"):
        ann.visit(path)
    for url_token in (with_files, waiting):
        ann.visit(f"/pushes/{digests.digest(url_token)}")
    _as_asker(ann)
    ann.visit("/users/token").submit("", name="laptop", days="9")
    ann.visit("/pushes")._request("POST", "/users/sign_out", b"form_token=old")


def _as_asker(ann: Browser) -> None:
    """Create two asks, one without a name; get an answer, and end one."""
    ann.visit("/asks").visit("/asks/new").submit("", answers="21").submit("", message="x", answers="2", files="true")
    asked = ann.at
    ann.visit("/asks/new").submit("", message="x", name="Shop", form_token="old").visit(asked)
    ann.submit("", form_token="old").visit("/asks").submit(asked).visit(asked)
    ann.visit("/asks/new").submit("", message="x", name="Shop")
    ask_token = ann.page.text.partition("/a/")[2].partition("<")[0]
    stranger = Browser(Api(ip="192.0.2.9")).visit(f"/a/{ask_token}").submit("", **{"push[payload]": ""})
    stranger.submit("", **{"push[payload]": "x"}).visit(f"/a/{ask_token}")
    record = ann.visit("/asks").visit("/pushes").page.text.partition('href="/pushes/')[2][:64]
    ann.visit(f"/pushes/{record}")


def _mails_about(answer: Push, asks: list[Opened]) -> None:
    """Write the mails about answers, and follow the link to stop them."""
    for opened in (asks[0], asks[-1]):  # without a name, and with one
        mail_text.notice_mail(Notice(answer, False, START, "", 1, opened), "token", SOURCE)
    Browser().visit(f"/notices/{notices.stop_token(opened.ask)}").submit("")


def _mails(pushes: list[Push]) -> None:
    """Write the mails, and follow their links to stop them."""
    for push, sender in zip(pushes, ("ann@example.com", ""), strict=True):
        mail_text.link_mail(push, "token", sender, "stop", SOURCE)
        mail_text.notice_mail(Notice(push, bool(sender), START, sender and "Firefox", 2), "token", SOURCE)
        for path in (f"/notices/{notices.stop_token(push)}", f"/notices/{notices.stop_token(push, 'x@example.com')}"):
            Browser().visit(path).submit("")
