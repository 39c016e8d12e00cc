"""Pages link and redirect only to our pages, whatever a stranger adds to a link or to a form.

The tests follow real paths with working credentials: a template's `/users/{form}` gives a 404, which shows nothing. A
stranger may add any name, so a query or form has a value for every name that the pages read.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock
from urllib.parse import urlencode

import pytest

from infra.build import template
from shared.aws import keys
from shared.domain import digests, notice
from shared.web import body
from shared.web.request import Request
from tests.conftest import PASSWORD, Configure, People
from tests.contract import test_permissions
from tests.doubles.hosted_sign_in import Provider
from tests.drivers import client, provider_sign_in
from tests.drivers.browser import FORM, Browser, is_ours
from tests.drivers.client import Api, handler_module

ELSEWHERE = ["//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example/", "javascript:x", "/x//y"]
NOT_OURS = [*ELSEWHERE, "", "users/sign_in", "/nowhere", "/p/é", "/pushes\r\nX: 1", "/pushes?next=//x", "http:/users"]
OURS = ["/", "/pushes", "/users/sign_in?email=a%40b", "/p/x/r", "/p/x.json?passphrase=a%2Fb"]
NAMES = (
    *("next", "return_to", "return", "redirect", "redirect_to", "redirect_uri", "continue", "back", "goto", "to"),
    *("url", "uri", "path", "dest", "destination", "target", "from", "referer", "location", "callback"),
)
HEADERS = ("host", "origin", "referer", "x-forwarded-host", "x-original-url", "x-rewrite-url", "forwarded")
EMAIL = "ann@example.com"
UNLINKED = ("/favicon.ico", "/robots.txt", "/.well-known/change-password")
_READ_QUERY = Request.query
_READ_FORM = body.form_fields


@dataclass
class Led:
    """The targets of the pages' links and redirects, and the requested routes."""

    to: set[str] = field(default_factory=set)
    routes: set[str] = field(default_factory=set)


class Anything(dict[str, str]):
    """The sent values, and another host for every missing name, because no list of names could be complete."""

    def __init__(self, sent: dict[str, str], where: str) -> None:
        super().__init__(sent)
        self._where = where

    def get(self, name: str, _default: Any = None) -> str:
        return self[name]

    def __missing__(self, _name: str) -> str:
        return self._where


@pytest.mark.parametrize("location", NOT_OURS, ids=repr)
def test_a_foreign_target_is_recognised(location: str) -> None:
    assert not is_ours(location)
    assert all(map(is_ours, OURS))


@pytest.fixture(params=ELSEWHERE, ids=repr)
def led(request: pytest.FixtureRequest) -> Iterator[Led]:
    """Record all targets of the requested pages, each with another host in every input."""
    where, led, handle = request.param, Led(), client.handle
    added = urlencode(dict.fromkeys(NAMES, where))

    def ask(key: str, event: Any) -> Any:
        led.routes.add(key)
        event["headers"] |= dict.fromkeys(HEADERS, where)
        event["rawQueryString"] = f"{added}&{event['rawQueryString']}"
        if event["headers"].get("content-type") == FORM:
            event["body"] = b64encode(f"{added}&".encode() + b64decode(event["body"])).decode()
            event["headers"].pop("content-length")
        answer = handle(key, event)
        if "location" in answer["headers"]:
            led.to.add(answer["headers"]["location"])
        return answer

    with (
        mock.patch.object(client, "handle", ask),
        mock.patch.object(Request, "query", lambda asked: Anything(_READ_QUERY(asked), where)),
        mock.patch.object(body, "form_fields", lambda *sent: Anything(_READ_FORM(*sent), where)),
    ):
        yield led


def live(people: People, link: str, provider: Provider) -> None:
    """Take every path: sign up, in and out, set another password, create a token and a push, and end each."""
    stranger, ann = Browser(), Browser()
    for path in (
        "/",
        "/pushes",
        f"/pushes/{digests.digest(link)}",
        "/users/token",
        "/api_tokens",
        "/assets/site.css",
        *UNLINKED,
    ):
        stranger.visit(path)
    old = [f"/{kind}/{link}{step}" for kind in ("f", "r") for step in ("", ".json", "/r", "/r.json")]
    for path in (*old, f"/de/p/{link}", f"/de/f/{link}/r", f"/p/{link}/preview"):
        stranger.visit(path)
    provider_sign_in.signed_in(provider).submit("/users/sign_out")
    ann.visit("/users/sign_up").submit(email=EMAIL)
    ann.submit("/users/confirm", code=people.code(EMAIL), password=PASSWORD).submit("/users/sign_out")
    ann.visit("/users/password").submit(email=EMAIL)
    ann.submit("/users/new_password", code=people.code(EMAIL), password=PASSWORD)
    ann.api.tick(minutes=1)  # credentials from before the new password are invalid
    ann.submit("/users/sign_in", password="not the password").submit(password=PASSWORD)
    ann.visit("/users/token").submit("", name="x")
    ann.visit("/users/token").submit("", revoke=digests.digest("x"))
    ann.visit("/").submit("", **{"push[payload]": "s3cret"})
    ann.visit("/pushes")
    record = ann.page.text.partition('href="/pushes/')[2][:64]
    ann.visit(f"/pushes/{record}").submit("", expire="yes")
    stranger.visit(f"/notices/{notice.token(record, keys.current())}").submit("", stop="yes")
    ann.visit("/asks/new").submit("", message="x")
    ask_token = ann.page.text.partition("/a/")[2].partition("<")[0]
    stranger.visit(f"/de/a/{ask_token}").submit("", **{"push[payload]": "x"})
    ann.submit("")
    test_permissions.account(ann, people, EMAIL)
    for step in ("", "/r"):
        stranger.scoped.clear()  # else it is shown again
        stranger.visit(f"/p/{link}{step}").submit(passphrase="p")
    stranger.submit(f"/p/{link}/expire", sure="yes")
    sender = Browser().visit("/").submit("", **{"push[payload]": "s3cret"})
    sender.visit(f"/de{sender.at}").submit(f"/p/{sender.at.split('/')[2]}/expire", sure="yes")
    # The input is never a URL of the bucket here. tests/functions/pages/test_recipient_page.py tests its redirects.
    stranger._request("POST", f"/p/{link}/file", b"link=")


def test_every_page_links_only_to_our_pages_despite_forged_input(
    people: People, api: Api, configure: Configure, provider: Provider, led: Led
) -> None:
    link = api.push(passphrase="p")

    live(people, link, provider)
    configure(ANONYMOUS_ACCESS="false")
    Browser().visit("/")

    [to_provider] = [location for location in led.to if not is_ours(location)]
    assert to_provider.startswith(f"{provider.server.url}/oauth2/authorize?")
    assert "evil.example" not in to_provider
    led_to = {location.partition("?")[0] for location in led.to}
    ended = {path for path in led_to if path.startswith("/pushes/")}
    old = {f"/p/{link}{step}" for step in ("", "/r", "/r.json")}
    account = {
        "/users/account",
        "/users/deleted",
        "/users/confirm",
        "/users/sign_in",
        "/users/signed_out",
        "/users/new_password",
        "/users/token",
        "/pushes",
        "/",
    }
    assert led_to >= old | account
    assert len(ended) == 1
    assert len({path for path in led_to if path.startswith(("/asks/", "/a/"))}) == 3  # two of /a/T, one of /asks/ID
    assert {route.key for route in template.routes() if is_page(route.key)} - led.routes == set()


def is_page(route_key: str) -> bool:
    return handler_module(route_key).startswith("functions.pages.") and route_key.startswith(("GET ", "POST "))


@pytest.mark.parametrize(
    "path", ["//evil.example", "///evil.example/x/", "/x//evil.example", "//%5Cevil.example//", "/de//x"]
)
def test_no_path_with_slashes_too_many_leads_elsewhere(api: Api, path: str) -> None:
    location = api.get(path).headers.get("location", "/")

    assert re.match(r"/(?![/\\])", location)
    assert "//" not in location


@pytest.mark.parametrize("where", ELSEWHERE, ids=repr)
@pytest.mark.parametrize("form", ["sign_up", "confirm", "sign_in", "password", "new_password"])
def test_no_form_before_sign_in_redirects_to_another_site(people: People, form: str, where: str) -> None:
    answer = Browser().visit(f"/users/{form}").submit(email=where, code=where, password=PASSWORD).page

    assert answer.status in (401, 422)
    assert "location" not in answer.headers
