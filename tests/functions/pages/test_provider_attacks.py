"""Attacks on the sign-in by an OIDC provider. The attacker has an account there, and their own cookies and links."""

import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import urllib3

from infra.local.hosted_endpoints import Answer
from infra.local.user_pool import Person
from shared.aws import cognito
from shared.domain import base64url
from shared.identity import provider_sign_in
from shared.runtime import deadline
from shared.web import cookies
from shared.web.cookies import SESSION, STATE
from tests.conftest import Configure
from tests.doubles.hosted_sign_in import Provider
from tests.drivers import client
from tests.drivers.browser import Browser
from tests.drivers.provider_sign_in import leave, signed_in, way_back
from tests.meters import emf, wire_tap

pytestmark = pytest.mark.prove("all", "No attack on the sign-in by an OIDC provider works", "moto")

MALLORY = Person("mallory", "mallory@example.com")
EVIL = ["https://evil.example/", "//evil.example", "/\\evil.example", "/p/x", "/users/sign_out", "/pushes/../x", "/ä"]
CALLBACK = "/users/sign_in/callback"


def query(url: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(url).query).items()}


def test_a_callback_works_once_even_for_a_browser_that_keeps_its_state(provider: Provider) -> None:
    browser = leave(provider)
    state = browser.cookies[STATE]
    back = way_back(provider, browser)
    browser.visit(back)
    del browser.cookies[SESSION]

    browser.visit(back)
    without_state = (browser.page.status, SESSION in browser.cookies)
    browser.cookies[STATE] = state
    browser.visit(back)

    assert without_state == (browser.page.status, SESSION in browser.cookies) == (401, False)


def test_a_stolen_code_does_not_work_in_the_thief_s_own_sign_in(provider: Provider) -> None:
    """The verifier belongs to the state, and so to the browser that began."""
    stolen = query(way_back(provider, leave(provider)))["code"]
    mallory = leave(provider)
    own = query(way_back(provider, mallory, MALLORY))

    mallory.visit(f"{CALLBACK}?{urlencode(own | {'code': stolen})}")

    assert (mallory.page.status, SESSION in mallory.cookies) == (401, False)


@pytest.mark.parametrize("has_begun", [False, True])
def test_a_callback_opened_in_another_browser_signs_nobody_in(provider: Provider, has_begun: bool) -> None:
    """Login CSRF: with the attacker's link, the victim would work in the attacker's account."""
    mallory = leave(provider)
    of_mallory = way_back(provider, mallory, MALLORY)
    victim = leave(provider) if has_begun else Browser()

    victim.visit(of_mallory)

    assert (victim.page.status, SESSION in victim.cookies) == (401, False)
    assert leave(provider, victim).visit(way_back(provider, victim)).at == "/pushes"  # the victim can begin again
    assert mallory.visit(of_mallory).at == "/pushes"  # the victim's browser did not even spend the code


@pytest.mark.parametrize("state", ["", "guessable"])
def test_a_callback_without_the_browser_s_state_asks_cognito_nothing(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(provider.endpoints, "exchange", lambda *sent: asked.append(sent))

    for browser in (Browser(), Browser(cookies={STATE: state}), leave(provider)):
        assert browser.visit(f"{CALLBACK}?state={state}&code=x").page.status == 401

    assert asked == []


def test_a_victim_who_is_signed_in_stays_so(provider: Provider, ann: Browser) -> None:
    session = ann.session

    ann.visit(way_back(provider, leave(provider), MALLORY))

    assert ann.session == session
    assert ann.visit("/pushes").at == "/pushes"


def test_a_state_cannot_be_planted_in_another_browser(provider: Provider) -> None:
    """A link has no state to begin with, and two cookies of the name are none (another host may have set one)."""
    planted = "A" * 43
    victim = Browser(outside=provider.server.url).visit(f"/users/sign_in/provider?state={planted}")
    assert planted not in victim.page.headers["location"] + victim.cookies[STATE]
    back = query(way_back(provider, victim))
    mallory = leave(provider)

    both = [f"{STATE}={victim.cookies[STATE]}", f"{STATE}={mallory.cookies[STATE]}"]
    page, to_set = victim.api.exchange("GET", CALLBACK, query=back, cookies=both)

    assert page.status == 401
    assert not any(cookie.startswith(SESSION) for cookie in to_set)


@pytest.mark.parametrize("sent", ["same-site", "cross-site"])
def test_another_site_cannot_begin_a_sign_in(provider: Provider, sent: str) -> None:
    browser = Browser(outside=provider.server.url)

    browser._request("GET", "/users/sign_in/provider?next=/users/token", headers={"sec-fetch-site": sent})

    assert (browser.at, browser.query) == ("/users/sign_in", "next=%2Fusers%2Ftoken")
    assert STATE not in browser.cookies


@pytest.mark.parametrize("place", EVIL)
def test_no_page_but_ours_is_opened_after_the_callback(provider: Provider, place: str) -> None:
    by_link = Browser(outside=provider.server.url).visit(f"/users/sign_in/provider?{urlencode({'next': place})}")
    by_cookie = leave(provider)
    by_cookie.cookies[STATE] += place

    for browser in (by_link, by_cookie):
        back = way_back(provider, browser)
        browser.visit(f"{back}&{urlencode({'next': place, 'redirect_uri': place})}")
        assert browser.at in ("/pushes", CALLBACK)


def test_a_link_adds_nothing_to_the_state_s_cookie(provider: Provider) -> None:
    _, [cookie] = Browser().api.exchange("GET", "/users/sign_in/provider", query={"next": "/pushes; Domain=evil"})

    assert re.fullmatch(f"{STATE}=[A-Za-z0-9_-]{{43}}; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax", cookie)


def test_only_the_installation_s_own_addresses_are_asked_for(provider: Provider) -> None:
    location = leave(provider, start="/users/sign_in?redirect_uri=https://evil.example").page.headers["location"]

    asked = query(location)
    assert location.startswith(f"{provider.server.url}/oauth2/authorize?")
    assert asked["redirect_uri"] == "https://push.example.com/users/sign_in/callback"
    assert (asked["identity_provider"], asked["scope"], asked["response_type"]) == ("Oidc", "openid email", "code")
    assert asked["code_challenge_method"] == "S256"


def test_nobody_derives_the_verifier_without_the_app_client_s_secret(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State and nonce are in the browser's history, and the code is public."""
    ours = query(provider_sign_in.authorize_url("A" * 43))
    monkeypatch.setattr(cognito, "client_secret", lambda _="": "another")
    guessed = query(provider_sign_in.authorize_url("A" * 43))

    challenges = {base64url.encode(hashlib.sha256(ours[name].encode()).digest()) for name in ("state", "nonce")}
    assert ours["code_challenge"] not in {*challenges, guessed["code_challenge"]}
    assert ours["nonce"] not in {ours["state"], guessed["nonce"]}


@pytest.mark.parametrize(
    "altered",
    [
        {"aud": "another client"},
        {"iss": "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_another"},
        {"nonce": "another"},
        {"sub": "another"},
        {"cognito:username": "nobody"},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_sign_in_opens_nothing(provider: Provider, altered: dict[str, Any]) -> None:
    provider.endpoints.altered = altered
    browser = leave(provider)

    browser.visit(way_back(provider, browser))

    assert (browser.page.status, SESSION in browser.cookies) == (401, False)


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"state": "", "code": "x"},
        {"state": "x", "code": "x"},
        {"code": "x"},
        {"error": "access_denied", "state": "ä"},
        {"state": "right"},
        {"state": "right", "code": ""},
        {"state": "right", "code": "x"},
        {"state": "right", "code": "x\0\r\n", "error_description": "<script>"},
        {"state": "right", "error": "<script>alert(1)</script>"},
    ],
    ids=str,
)
def test_any_callback_uses_up_the_state_and_shows_nothing_of_itself(
    provider: Provider, sent: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    browser = leave(provider)
    state = browser.cookies[STATE]
    sent |= {"state": state} if sent.get("state") == "right" else {}

    browser.visit(f"{CALLBACK}?{urlencode(sent)}")

    assert browser.page.status == 401
    assert STATE not in browser.cookies
    assert state not in browser.page.text
    assert "script>alert" not in browser.page.text
    assert 'href="/users/sign_in"' in browser.page.text
    printed = capsys.readouterr().out
    assert state not in printed
    assert "script" not in printed


def test_a_limited_session_s_callback_uses_up_the_state_too(
    provider: Provider, ann: Browser, configure: Configure
) -> None:
    back = way_back(provider, leave(provider, ann))
    configure(REQUIRE_TWO_FACTOR="true")

    ann.visit(back)

    assert ann.at == "/users/account"
    assert STATE not in ann.cookies


def test_a_head_of_the_callback_spends_no_code(provider: Provider) -> None:
    browser = leave(provider)
    back, state = way_back(provider, browser), browser.cookies[STATE]

    headed = browser.api.request("HEAD", CALLBACK, query=query(back), cookies=[f"{STATE}={state}"])

    assert headed.status == 401
    assert browser.visit(back).at == "/pushes"


def test_nothing_of_a_sign_in_is_logged_or_kept(provider: Provider, capsys: pytest.CaptureFixture[str]) -> None:
    browser = leave(provider)
    asked, back = query(browser.page.headers["location"]), query(way_back(provider, browser))

    with wire_tap.calls() as calls:
        browser.visit(f"{CALLBACK}?{urlencode(back)}")

    assert browser.at == "/pushes"
    printed, written = capsys.readouterr().out, str(calls)
    for secret in (back["code"], back["state"], asked["nonce"], browser.session):
        assert secret not in printed + written
    assert "carol" not in printed
    assert cookies.STATE not in printed


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(503, "Service Unavailable"), "JSONDecodeError"),
        (Answer(307, location="/oauth2/token"), "JSONDecodeError"),
        (Answer(200, f'{{"id_token": "{"x" * 65_536}"}}'), "JSONDecodeError"),
        (Answer(200, "[]"), "Status200"),
        (Answer(200, '{"id_token": 1}'), "Status200"),
        (Answer(400, '{"error": "<b>"}'), "Status400"),
        (Answer(500, '{"error": "invalid_grant"}'), "Status500"),
    ],
    ids=range(7),
)
def test_an_exchange_that_fails_is_not_tried_again_and_is_counted(
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: Answer,
    reason: str,
) -> None:
    tried = []

    def broken(*_: Any) -> Answer:
        tried.append(1)
        return answer

    browser = leave(provider)
    back = way_back(provider, browser)
    monkeypatch.setattr(provider.endpoints, "exchange", broken)

    browser.visit(back)

    assert (browser.page.status, len(tried)) == (503, 1)
    assert emf.values(capsys.readouterr().out, "ProviderFailed", reason=reason) == [1.0]
    assert "That sign-in did not work. Please try again, or ask whoever runs this service." in browser.page.text


@pytest.mark.parametrize(("milliseconds", "tries"), [(3_900, 0), (5_500, 1)])
def test_an_exchange_ends_before_its_invocation(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, milliseconds: int, tries: int
) -> None:
    browser, allowed = leave(provider), list[float]()
    back = way_back(provider, browser)

    def hang(*_: Any, timeout: urllib3.Timeout, **_how: Any) -> None:
        allowed.append(deadline.CONNECT_TIMEOUT + (timeout.read_timeout or 0))
        raise urllib3.exceptions.HTTPError

    monkeypatch.setattr(urllib3.PoolManager, "request", hang)
    context = client.Context(milliseconds)
    monkeypatch.setattr(client, "handle", lambda key, event: client.handler_of(key)(event, context))

    assert browser.visit(back).page.status == 503
    assert [seconds < milliseconds / 1_000 - 0.9 for seconds in allowed] == [True] * tries


def test_a_token_endpoint_that_is_not_there_is_a_page_with_a_way_on(provider: Provider, configure: Configure) -> None:
    browser = leave(provider)
    back = way_back(provider, browser)
    configure(COGNITO_DOMAIN="http://127.0.0.1:9")

    browser.visit(back)

    assert browser.page.status == 503
    assert 'href="/users/sign_in"' in browser.page.text


def test_a_wrong_secret_is_the_operator_s_to_hear_of(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = leave(provider)
    back = way_back(provider, browser)
    monkeypatch.setattr(cognito, "client_secret", lambda _="": "another")

    browser.visit(back)

    assert browser.page.status == 503
    assert emf.values(capsys.readouterr().out, "ProviderFailed", reason="invalid_client") == [1.0]


def test_two_people_of_one_browser_get_their_own(provider: Provider) -> None:
    carol = signed_in(provider)
    first = carol.owner

    mallory = signed_in(provider, MALLORY, carol)

    assert mallory.owner != first
