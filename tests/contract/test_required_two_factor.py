"""RequireTwoFactor: a session whose sign-in asked for no one-time code is limited (contract, section 13)."""

from collections.abc import Iterator

import pytest

from infra.build import template
from shared.identity import auth
from tests.conftest import PASSWORD, Configure, People
from tests.drivers.browser import Browser
from tests.drivers.client import Api, filled
from tests.engines import resources
from tests.functions.pages.test_account import signing_in
from tests.functions.pages.test_my_account import PAGE, act, begin, turned_on

SESSIONLESS = ("/api", "/assets", "/up", "/notices", "/p.json", "/f", "/r", "/p/", "/m/", "/a/", "/api_tokens")


@pytest.fixture
def limited(ann: Browser, configure: Configure) -> Browser:
    configure(REQUIRE_TWO_FACTOR="true")
    return ann


def page_routes() -> Iterator[tuple[str, str]]:
    """Return method and path of every route that asks who is signed in."""
    for route in template.routes():
        method, path = filled(
            route.key, url_token="t", id="0" * 64, form="sign_in", token="t", name="n", manage_key="k", ask_token="t"
        )
        if path != "/nowhere" and not path.startswith(SESSIONLESS) and method in ("GET", "POST"):
            yield method, path


def answer(browser: Browser, method: str, path: str) -> tuple[int, str | None]:
    cookies = [f"{name}={value}" for name, value in browser.cookies.items()]
    headers = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
    form = f"form_token={auth.form_token(browser.session)}&push[payload]=s3cret&do=password".encode()
    body = form if method == "POST" else None
    got = browser.api.request(method, path, headers=headers, body=body, cookies=cookies)
    return got.status, got.headers.get("location")


def test_every_page_leads_to_the_set_up_and_posts_do_nothing(limited: Browser) -> None:
    before = resources.stored()
    routes = set(page_routes())

    led = {(method, path): answer(limited, method, path) for method, path in routes}

    assert {("GET", "/"), ("POST", "/"), ("GET", "/pushes"), ("POST", "/users/token"), ("GET", PAGE)} <= routes
    assert led.pop(("GET", PAGE))[0] == 200
    assert set(led.values()) == {(303, PAGE)}
    assert resources.stored() == before


def test_signing_in_without_a_code_leads_to_the_set_up(limited: Browser) -> None:
    browser = signing_in(password=PASSWORD)

    assert browser.at == PAGE
    assert "This service requires two-factor sign-in." in browser.page.text
    assert 'value="delete"' not in browser.page.text


@pytest.mark.parametrize("do", ["password", "end", "notices", "delete"])
def test_the_set_up_page_does_nothing_else(limited: Browser, do: str) -> None:
    limited.visit(PAGE)
    form = {"do": do, "password": PASSWORD, "new_password": "another password 1", "form_token": ""}
    form["form_token"] = auth.form_token(limited.session)
    fields = "&".join(f"{name}={value}" for name, value in form.items()).encode()

    limited._request("POST", PAGE, fields)

    assert (limited.at, limited.page.status) == (PAGE, 200)
    assert signing_in(password=PASSWORD).at == PAGE  # account and password are as before


def test_the_set_up_lifts_the_limit_and_ends_other_sessions(limited: Browser, people: People) -> None:
    other = Browser(cookies=dict(limited.cookies))

    turned_on(limited, people)

    assert limited.visit("/pushes").at == "/pushes"
    other.api.tick(minutes=1)
    assert other.visit("/pushes").at == "/users/sign_in"


def test_the_set_up_page_offers_no_way_around(limited: Browser) -> None:
    begin(limited)

    assert "Not now" not in limited.page.text


def test_a_sign_in_with_a_code_is_not_limited(limited: Browser, people: People) -> None:
    secret = turned_on(limited, people)

    browser = signing_in(password=PASSWORD)
    browser.submit("/users/two_factor", code=people.next_code(secret))

    assert browser.at == "/pushes"


def test_turning_two_factor_off_is_refused(limited: Browser, people: People) -> None:
    secret = turned_on(limited, people)
    assert "Turn it off" not in limited.visit(PAGE).page.text

    act(limited, "end", password=PASSWORD, code=people.next_code(secret))

    assert limited.page.status == 403
    assert "so you can&#39;t turn it off" in limited.page.text
    assert "code" in signing_in(password=PASSWORD).page.text


def test_a_session_keeps_its_second_factor_with_a_new_password(limited: Browser, people: People) -> None:
    secret = turned_on(limited, people)

    act(limited, "password", password=PASSWORD, code=people.next_code(secret), new_password="another password 1")

    assert limited.visit("/pushes").at == "/pushes"


def test_signing_out_works_and_so_do_recipients_pages(limited: Browser, api: Api) -> None:
    url_token = api.push(retrieval_step=True)

    assert limited.visit(f"/p/{url_token}").submit("").page.text.count("s3cret")
    limited.visit(PAGE).submit("/users/sign_out")

    assert limited.visit("/users/sign_in").at == "/users/sign_in"


def test_on_a_recipient_s_page_a_limited_session_is_nobody_s(ann: Browser, configure: Configure) -> None:
    ann_api = Api(token=auth.issue_api_token(ann.owner, "test", now=ann.api.now))
    url_token = ann_api.push(retrieval_step=True)
    assert "This is in your own list" in ann.visit(f"/p/{url_token}").page.text
    configure(REQUIRE_TWO_FACTOR="true")

    assert "This is in your own list" not in ann.visit(f"/p/{url_token}").page.text
    ann.submit("")
    assert ann_api.kinds(url_token) == ["creation", "view"]


def test_api_tokens_keep_working(limited: Browser) -> None:
    token = auth.issue_api_token(limited.owner, "test", now=limited.api.now)

    assert Api(token=token).active().status == 200


def test_without_the_setting_nothing_is_limited(ann: Browser) -> None:
    assert ann.visit("/pushes").at == "/pushes"
