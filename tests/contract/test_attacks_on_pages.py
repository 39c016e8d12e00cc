"""Attacks on the pages; test_attacks.py has those on the API.

Tested elsewhere: a text character for character, one message for every ended push (functions/pages/test_recipient.py),
wrong passwords (functions/pages/test_account.py), another owner's API token (functions/pages/test_tokens.py), the
pages' redirects (test_redirects.py).
"""

import re
from collections import Counter
from html.parser import HTMLParser
from random import Random
from urllib.parse import quote, urlencode

import pytest

from infra.build import template
from shared.domain import digests
from shared.identity import auth
from shared.web.cookies import FORM as FORM_COOKIE
from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.conftest import Issue
from tests.drivers import client, form_data
from tests.drivers.browser import FORM, Browser, Form, forms
from tests.drivers.client import Answer, Api, read
from tests.engines import resources
from tests.meters import wire_tap
from tests.meters.proof import Prove
from tests.shared.service import test_answers

pytestmark = pytest.mark.prove("all", "No known attack on the API or the pages works", "moto")

# Markup, closing tags of possible contexts, and characters that reverse text or are invisible.
HOSTILE = "\"'></title></textarea></pre><img src=x onerror=alert(1)>{{7*7}}\u202e\u2066\u200b\ufeff&lt;"
AS_TEXT = {"bdi", "pre", "textarea"}
AS_VALUE = {"value"}
ELSEWHERE = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "%0d%0aX-Evil:1",
    "\r\nX-Evil: 1",
    "?next=//evil",
]


class Places(HTMLParser):
    """The places of the hostile text in a page, and every element and attribute of it."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: set[str] = set()
        self.values: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.open.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if "<img" in (value or ""):
                self.values.add(name)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "<img" in data:
            self.texts.add(self.open[-1])


@pytest.fixture
def pushed(ann: Browser, issue: Issue) -> str:
    """Return the url_token of a push of Ann's with hostile text in every field."""
    ann_api = Api(token=issue(ann.owner), headers={"user-agent": HOSTILE, "referer": HOSTILE})
    files = [{"filename": HOSTILE.replace("/", ""), "data": ""}]
    url_token = ann_api.push(HOSTILE, name=HOSTILE, note=HOSTILE, files=files, retrieval_step=False)
    ann_api.retrieve(url_token)
    test_answers.stored(ann.owner, name=HOSTILE, message=HOSTILE)
    return url_token


def own_ask() -> str:
    """Return the path of the page of the only ask."""
    [item] = resources.items("Asks")
    return f"/asks/{item['id']['S']}"


def hostile_pages(ann: Browser, url_token: str) -> dict[str, Answer]:
    record = f"/pushes/{digests.digest(url_token)}"
    fields = {f"push[{name}]": HOSTILE for name in ("payload", "name", "note", "passphrase", "expire_after_days")}
    shown = {path: ann.visit(path).page for path in ("/pushes", record)}
    shown |= {path: ann.visit(path).page for path in ("/asks", own_ask())}
    shown["ask"] = Browser().visit(re.findall(r"/a/\w+", ann.page.text)[0]).page
    shown["ask form"] = ann.visit("/asks/new").submit("", message=HOSTILE, name=HOSTILE, answers=HOSTILE).page
    shown["revealed"] = Browser().visit(f"/p/{url_token}").page
    shown["token"] = ann.visit("/users/token").submit("", name=HOSTILE).page
    shown["tokens"] = ann.visit("/users/token").page
    shown["form"] = ann.visit("/").submit("", **fields).page
    shown["refused"] = Browser().visit("/users/sign_in").submit(email=HOSTILE, password=HOSTILE).page
    ann.api.request("GET", f"/api/v2/pushes/{url_token}")
    ann.visit(record).submit("", expire="yes")
    shown["expired"] = ann.visit("/pushes?state=expired").page
    return shown


def test_other_people_s_text_is_isolated_on_every_page(ann: Browser, pushed: str) -> None:
    for name, page in hostile_pages(ann, pushed).items():
        places = Places()
        places.feed(page.text)

        assert places.texts | places.values, name
        assert places.texts <= AS_TEXT, name
        assert places.values <= AS_VALUE, name
        assert not places.elements & {"img", "iframe", "object", "base"}, name
        # All are ours; a list has rules of its own.
        assert (page.text.count("<style") in (1, 2), page.text.count("<script>")) == (True, 1), name
        assert not [attribute for attribute in places.attributes if attribute.startswith("on")], name
        assert "{{7*7}}" in page.text, name  # and not 49


def test_a_link_of_a_push_leads_to_the_web_only(api: Api) -> None:
    payload = 'https://user:pass@example.com/"onclick=alert(1)//\u202e<b>'
    url_token = api.push(payload, kind="url", retrieval_step=False)

    page = Browser(api).visit(f"/p/{url_token}").page.text

    [link] = re.findall(r'<a class="button secondary" href="([^"]*)"', page)
    assert link.startswith("https://user:pass@example.com/&#34;onclick")
    assert "<b>" not in page


# ---------------------------------------------------------------- forged forms


def strangers_pages(api: Api) -> list[str]:
    accounts = [f"/users/{form}" for form in ("sign_up", "confirm", "sign_in", "password", "new_password")]
    links = [api.push(), api.push(passphrase="p"), api.push(retrieval_step=False)]
    return ["/", *accounts, *(f"/p/{url_token}" for url_token in links)]


def owners_pages(url_token: str) -> list[str]:
    lists = ["/pushes", f"/pushes/{digests.digest(url_token)}", "/asks", "/asks/new", own_ask()]
    return ["/", *lists, "/users/token", "/users/account"]


def everything() -> list[object]:
    return [resources.items(table) for table in template.resources("AWS::DynamoDB::Table")]


def send_forged_form(browser: Browser, form: Form, **headers: str) -> int:
    """Send a form of the page as an attacker's page would: all its fields, but no secret of the session."""
    fields = [(name, value) for name, value in form.fields if name != "form_token"]
    added = [(name, "forged") for name in ("push[payload]", "sure", "expire", "name", "message")]
    event = browser.api.event(
        "POST",
        form.action or browser.at,
        headers={"content-type": FORM} | {name.replace("_", "-"): value for name, value in headers.items()},
        body=urlencode([*fields, *added]).encode(),
    )
    event["cookies"] = [f"{name}={value}" for name, value in browser.cookies.items()]
    return read(client.handle(event["routeKey"], event)).status


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", ""])
def test_no_form_works_from_another_site(ann: Browser, pushed: str, site: str) -> None:
    stranger, count = Browser(), 0
    pages = [(stranger, path) for path in strangers_pages(Api())] + [(ann, path) for path in owners_pages(pushed)]

    for browser, path in pages:
        for form in forms(browser.visit(path).page.text):
            before = everything()
            assert send_forged_form(browser, form, sec_fetch_site=site) == 403, (path, form.action)
            assert everything() == before, (path, form.action)
            count += 1

    assert count == 28


def test_no_form_of_an_owner_works_without_the_sessions_token(ann: Browser, pushed: str, bob: Api) -> None:
    auth.issue_api_token(ann.owner, "x", now=bob.now)

    for path in owners_pages(pushed):
        for form in forms(ann.visit(path).page.text):
            before = everything()
            assert send_forged_form(ann, form) == 403, (path, form.action)
            assert everything() == before, (path, form.action)


def test_a_form_token_is_of_one_session_only(ann: Browser, pushed: str) -> None:
    elsewhere = Browser(cookies={SESSION_COOKIE: auth.open_session(ann.owner, now=ann.api.now)})
    shown = forms(elsewhere.visit("/users/token").page.text)
    [other] = {value for form in shown for name, value in form.fields if name == "form_token"}

    assert ann.visit("/users/token").submit("", form_token=other, name="x").page.status == 403


def test_a_recipients_form_has_no_owners_rights(ann: Browser, issue: Issue) -> None:
    ann_api = Api(token=issue(ann.owner))
    url_token = ann_api.push(deletable_by_viewer=False)

    # As an old browser sends it from another page of the same site: with the cookie, without Sec-Fetch-Site.
    status = send_forged_form(ann, Form(f"/p/{url_token}/expire"))

    assert status == 403
    assert ann_api.retrieve(url_token).json["expired"] is False


# ---------------------------------------------------------------- other attacks


@pytest.mark.parametrize("path", ["/f/{}", "/f/{}/r", "/r/{}", "/r/{}/r"])
@pytest.mark.parametrize("where", ELSEWHERE, ids=repr)
def test_an_old_link_leads_to_our_own_page_only(api: Api, path: str, where: str) -> None:
    answer = api.request("GET", path.format(quote(where, safe="")), query="next=//evil.example")

    assert re.fullmatch(r"/p/[A-Za-z0-9%.:_-]+(/r)?", answer.headers["location"])


# ---------------------------------------------------------------- other owners' pushes, and outside observers


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_session_does_nothing_to_anothers_push_nor_to_nobodys(ann: Browser, bob: Api, method: str) -> None:
    for url_token in (bob.push(), Api().push()):
        event = ann.api.event(method, f"/pushes/{digests.digest(url_token)}", headers={"content-type": FORM})
        event |= {"cookies": [f"{SESSION_COOKIE}={ann.session}"]}
        event["body"] = urlencode({"expire": "yes", "form_token": auth.form_token(ann.session)})

        assert read(client.handle(event["routeKey"], event)).status == 404
        assert bob.retrieve(url_token).json["expired"] is False
    assert "/pushes/" not in ann.visit("/pushes").page.text


def test_nobody_ends_a_session_by_its_digest(ann: Browser, issue: Issue) -> None:
    eve = Browser(cookies={SESSION_COOKIE: auth.open_session("name:eve", now=ann.api.now)})
    digests = [item["digest"]["S"] for item in resources.items("ApiTokens")]

    for digest in digests:
        eve.visit("/users/token").submit("", revoke=digest)

    assert ann.visit("/pushes").at == "/pushes"
    assert eve.visit("/pushes").at == "/pushes"


def test_ended_and_unknown_pushes_take_the_same_work(api: Api) -> None:
    viewed, deleted = api.push(expire_after_views=1), api.push()
    api.retrieve(viewed)
    api.expire(deleted)

    done = []
    for url_token in (viewed, deleted, "nosuchtoken", viewed[:-1] + "0"):
        with wire_tap.calls() as calls:
            Browser(api).visit(f"/p/{url_token}")
        done.append([name for name, _ in calls])

    assert done == [["BatchGetItem"]] * 4


# ---------------------------------------------------------------- any input

NAMES = [
    *("push[payload]", "push[kind]", "push[files][]", "push[name]", "push[expire_after_days]", "push[passphrase]"),
    *(
        "direct",
        "generate",
        "expire",
        "sure",
        "revoke",
        "name",
        "days",
        "code",
        "password",
        "passphrase",
        "state",
        "page",
        "message",
        "answers",
    ),
]
ODD = [
    *("", " ", "0", "-1", "1", "yes", "file", "qr", "0" * 64, "00001" + "9" * 30, "٣", "é", "\x00", "\r\n", "%", "%00"),
    *("x" * 3_000, "[]", "{}", "null", '[{"filename": 1}]', "[" * 5_000, '[{"filename": "a", "size": 1e999}]', HOSTILE),
]


def leads_on(answer: Answer) -> bool:
    """Return whether a refusal has a link or form besides every page's; a program and a HEAD need none."""
    main = answer.text.partition("<main")[2]
    return not answer.text or "html" not in answer.headers["content-type"] or "<a href=" in main or "<form" in main


def test_no_page_fails_or_is_a_dead_end_for_any_request(ann: Browser, pushed: str, effort: int, prove: Prove) -> None:
    source, statuses = Random(1), Counter[int]()
    pages = [route.key for route in template.routes() if "/api/" not in route.key and " " in route.key]
    form_tokens = [auth.form_token(ann.session), auth.form_token(ann.cookies[FORM_COOKIE])]
    pages += 3 * [key for key in pages if key.startswith("POST ")]
    cookies = [f"{name}={value}" for name, value in ann.cookies.items()]
    push_id, forms = digests.digest(pushed), [f"/users/{form}" for form in ("sign_in", "confirm")]
    known = [pushed, push_id, own_ask()[6:], "new", *forms]
    accounts = ["sign_up", "confirm", "sign_in", "two_factor", "deleted", "sign_out", "password", "new_password"]

    for _ in range(400 * effort):
        path = re.sub(r"\{\w+\}", lambda _: quote(source.choice([*known, *accounts, *ODD])), source.choice(pages))
        method, _, path = path.partition(" ")
        fields = {source.choice(NAMES): source.choice(ODD) for _ in range(source.randint(0, 4))}
        fields |= {"email": source.choice(["ann@example.com", "", " "])}
        fields |= {"form_token": source.choice([*form_tokens * 3 * len(ODD), *ODD])}
        multipart = form_data.form(*(form_data.part(*one) for one in fields.items())).decode()
        content_type, body = source.choice([(FORM, urlencode(fields)), (form_data.TYPE, multipart)])
        headers = {"content-type": content_type, "sec-fetch-site": source.choice(["same-origin"] * 9 + ["cross-site"])}
        event = ann.api.event(method, path, query=urlencode(fields), headers=headers)
        event["body"] = body if method == "POST" else None
        event["cookies"] = cookies * (source.random() < 0.8)
        answer = read(client.handle(event["routeKey"], event))
        statuses[answer.status] += 1
        assert answer.status < 400 or leads_on(answer), answer.text

    assert max(statuses) < 500
    assert {200, 303, 403, 404, 422} <= set(statuses)
    figures = ", ".join(f"{number:,} of {status}" for status, number in sorted(statuses.items()))
    prove("pages", "No page fails on any request", f"{statuses.total():,} requests: {figures}; moto")
