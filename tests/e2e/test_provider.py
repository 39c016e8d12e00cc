"""Sign-in by the OIDC provider as a caller sees it, over HTTP only; `make verify` asks an installation that has one.

The provider itself is never reached: redirects are followed within Cognito's domain only.
"""

import secrets
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import pytest

from shared.web.cookies import SESSION
from tests.drivers.client import Answer
from tests.drivers.http_client import HttpApi

pytestmark = pytest.mark.black_box

WAY = "/users/sign_in/provider"
ELSEWHERE = "https://elsewhere.example/users/sign_in/callback"
HOPS = 5


class Start(NamedTuple):
    """The first redirect to Cognito: its domain, the query that it gets, and our cookies."""

    domain: str
    query: dict[str, str]
    cookies: list[str]


def begin(api: HttpApi) -> Start:
    answer, cookies = api.as_owner(None).exchange("GET", WAY)
    assert answer.status == 303
    parts = urlsplit(answer.headers["location"])
    assert parts.path == "/oauth2/authorize"
    return Start(f"{parts.scheme}://{parts.netloc}", dict(parse_qsl(parts.query)), cookies)


@pytest.fixture(scope="module")
def start(api: HttpApi) -> Start:
    """Begin a sign-in; skip if the installation has no provider."""
    if f'"{WAY}' not in api.as_owner(None).get("/users/sign_in").text:
        pytest.skip("there is no provider")
    return begin(api)


def followed(domain: str, path: str, query: dict[str, str]) -> tuple[Answer, str]:
    """Return the last response of Cognito's domain, and the host that it redirects to, if any."""
    url = f"{domain}{path}?{urlencode(query)}"
    for _ in range(HOPS):
        parts = urlsplit(url)
        answer = HttpApi(base_url=domain).request("GET", parts.path, query=parts.query)
        url = urljoin(url, answer.headers.get("location", ""))
        if "location" not in answer.headers or not url.startswith(f"{domain}/"):
            break
    return answer, urlsplit(url).netloc if "location" in answer.headers else ""


def test_a_sign_in_at_the_provider_begins_with_pkce_a_state_and_a_nonce(api: HttpApi, start: Start) -> None:
    again = begin(api)

    once = {name: {start.query[name], again.query[name]} for name in ("state", "nonce", "code_challenge")}
    assert {name: len(values) for name, values in once.items()} == {"state": 2, "nonce": 2, "code_challenge": 2}
    assert all(len(value) >= 43 for values in once.values() for value in values)  # 256 bits in base64
    assert (start.query["code_challenge_method"], start.query["response_type"]) == ("S256", "code")
    assert start.query["scope"] == "openid email"
    [cookie] = [one for one in start.cookies if start.query["state"] in one]
    assert cookie.startswith("__Host-")
    assert {"HttpOnly", "Secure", "SameSite=Lax"} <= set(cookie.split("; "))


def test_a_code_that_this_browser_did_not_ask_for_signs_nobody_in(api: HttpApi, start: Start) -> None:
    query = urlencode({"code": secrets.token_urlsafe(), "state": start.query["state"]})

    _, cookies = api.as_owner(None).exchange("GET", "/users/sign_in/callback", query=query)

    assert not [one for one in cookies if one.startswith(f"{SESSION}=") and "Max-Age=0" not in one]


def test_cognito_rejects_another_redirect_uri_with_an_error(start: Start) -> None:
    answer, host = followed(start.domain, "/oauth2/authorize", start.query | {"redirect_uri": ELSEWHERE})

    assert host == ""
    assert answer.status >= 400
    assert not has_form(answer)


@pytest.mark.parametrize("page", ["login", "signup", "forgotPassword"])
def test_cognito_s_own_pages_offer_no_password_form(start: Start, page: str) -> None:
    answer, _ = followed(start.domain, f"/{page}", start.query)

    assert not has_form(answer)


def has_form(answer: Answer) -> bool:
    return any(f"type={quote}password{quote}" in answer.text.lower() for quote in ("", '"', "'"))
