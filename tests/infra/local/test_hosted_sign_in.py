"""The double of Cognito's hosted sign-in: what AWS refuses, it refuses; a test for each."""

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import urllib3
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from infra.local import id_token
from infra.local.hosted_endpoints import CODE_LIFETIME, Endpoints
from infra.local.hosted_sign_in import HostedSignIn
from infra.local.run import is_free
from infra.local.user_pool import Person, UserPool
from shared.domain import base64url
from tests.conftest import PASSWORD, People
from tests.doubles import hosted_sign_in
from tests.doubles.hosted_sign_in import CAROL, FORM, Provider, redirect
from tests.drivers.client import START
from tests.engines import resources

HOME = "https://push.example.com"
CALLBACK = f"{HOME}/users/sign_in/callback"
VERIFIER = "v" * 43


@dataclass
class App:
    """An app that signs its users in by the provider."""

    provider: Provider
    pool_id: str

    def authorize(self, **changes: str | None) -> str:
        """Return the URL to begin at, with some parameters changed, or left out."""
        challenge = base64url.encode(hashlib.sha256(VERIFIER.encode()).digest())
        wanted: dict[str, str | None] = {
            "client_id": self.provider.client_id,
            "response_type": "code",
            "scope": "openid email",
            "redirect_uri": CALLBACK,
            "identity_provider": "Oidc",
            "state": "the state",
            "nonce": "the nonce",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        sent = {name: value for name, value in (wanted | changes).items() if value is not None}
        return f"{self.provider.server.url}/oauth2/authorize?{urlencode(sent)}"

    def code(self, person: Person = CAROL) -> str:
        [code] = parse_qs(urlsplit(self.provider.way_back(self.authorize(), person)).query)["code"]
        return code

    def exchange(self, code: str, *, client_id: str = "", secret: str = "", **changes: str) -> Any:
        """Return the token endpoint's response to a code, with some fields changed."""
        client_id = client_id or self.provider.client_id
        known = resources.client("cognito-idp").describe_user_pool_client(
            UserPoolId=self.pool_id, ClientId=self.provider.client_id
        )["UserPoolClient"]["ClientSecret"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        basic = base64.b64encode(f"{client_id}:{secret or known}".encode()).decode()
        url, headers = f"{self.provider.server.url}/oauth2/token", FORM | {"authorization": f"Basic {basic}"}
        answer = urllib3.request("POST", url, body=urlencode(form | changes), headers=headers)
        assert answer.status == (400 if "error" in answer.json() else 200)
        return answer.json()

    def error(self, url: str) -> str:
        """Return the error of a page that may not redirect."""
        answer = urllib3.request("GET", url, redirect=False)
        assert answer.status == 400
        return str(answer.json()["error"])


@pytest.fixture
def app(people: People) -> Iterator[App]:
    with hosted_sign_in.provider(people.pool_id, HOME) as provider:
        yield App(provider, people.pool_id)


def claims(tokens: dict[str, str]) -> dict[str, Any]:
    return dict(json.loads(base64url.decode(tokens["id_token"].split(".")[1]) or b""))


def test_a_person_comes_back_with_a_code_for_a_signed_id_token(app: App) -> None:
    back = app.provider.way_back(app.authorize())
    query = parse_qs(urlsplit(back).query)
    assert back.startswith(f"{CALLBACK}?")
    assert query["state"] == ["the state"]
    tokens = app.exchange(query["code"][0])
    signed, _, signature = tokens["id_token"].rpartition(".")
    key = id_token.key().public_key()
    key.verify(base64url.decode(signature) or b"", signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    found = claims(tokens)
    now = int(START.timestamp())
    assert found == {
        "iss": f"https://cognito-idp.us-east-1.amazonaws.com/{app.pool_id}",
        "aud": app.provider.client_id,
        "token_use": "id",
        "sub": found["sub"],
        "cognito:username": "oidc_carol-1",
        "email": "Carol@example.com",
        "email_verified": True,
        "identities": [{"userId": "Carol-1", "providerName": "Oidc", "providerType": "OIDC", "primary": "true"}],
        "nonce": "the nonce",
        "auth_time": now,
        "iat": now,
        "exp": now + 3600,
    }


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"redirect_uri": f"{CALLBACK}/"}, "redirect_mismatch"),
        ({"redirect_uri": None}, "redirect_mismatch"),
        ({"client_id": "unknown"}, "invalid_client"),
    ],
)
def test_a_request_that_may_be_anybodys_is_not_redirected(app: App, changes: dict[str, str | None], error: str) -> None:
    assert app.error(app.authorize(**changes)) == error


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unauthorized_client"),
        ({"scope": "openid profile"}, "invalid_scope"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"identity_provider": "COGNITO"}, "invalid_request"),
    ],
)
def test_a_malformed_request_comes_back_with_its_error(app: App, changes: dict[str, str], error: str) -> None:
    back = redirect("GET", app.authorize(**changes))
    assert back == f"{CALLBACK}?{urlencode({'error': error, 'state': 'the state'})}"


def test_a_refusal_at_the_provider_comes_back_with_its_error(app: App) -> None:
    back = app.provider.way_back(app.authorize(), answer="no")
    assert back == f"{CALLBACK}?error=access_denied&state=the+state"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"secret": "wrong"}, "invalid_client"),
        ({"client_id": "unknown"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"redirect_uri": HOME}, "unauthorized_client"),
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
    ],
)
def test_the_token_endpoint_refuses_whoever_did_not_begin(app: App, changes: dict[str, str], error: str) -> None:
    assert app.exchange(app.code(), **changes) == {"error": error}


def test_a_code_works_once_even_after_a_wrong_verifier(app: App) -> None:
    used, tried = app.code(), app.code()
    assert "id_token" in app.exchange(used)
    assert app.exchange(used) == {"error": "invalid_grant"}
    assert app.exchange(tried, code_verifier="w" * 43) == app.exchange(tried) == {"error": "invalid_grant"}


def test_a_code_is_for_its_own_client(app: App) -> None:
    code = app.code()
    made = resources.client("cognito-idp").create_user_pool_client(
        UserPoolId=app.pool_id, ClientName="other", GenerateSecret=True
    )["UserPoolClient"]
    refused = app.exchange(code, client_id=made["ClientId"], secret=made["ClientSecret"])
    assert refused == {"error": "invalid_grant"}


def test_a_code_lasts_five_minutes(app: App) -> None:
    early, late = app.code(), app.code()
    app.provider.endpoints.now = lambda: START.timestamp() + CODE_LIFETIME - 1
    assert "id_token" in app.exchange(early)
    app.provider.endpoints.now = lambda: START.timestamp() + CODE_LIFETIME
    assert app.exchange(late) == {"error": "invalid_grant"}


def test_a_session_at_cognito_skips_the_provider_until_it_is_logged_out(app: App) -> None:
    page = redirect("GET", app.authorize())
    form = urlencode({"request": page.partition("=")[2], "sub": "a", "email": "a@example.com"})
    came = urllib3.request("POST", page, body=form, headers=FORM, redirect=False)
    headers = {"cookie": came.headers["set-cookie"].partition(";")[0]}
    assert redirect("GET", app.authorize(), headers=headers).startswith(f"{CALLBACK}?code=")
    here = {"client_id": app.provider.client_id, "logout_uri": f"{HOME}/users/sign_in"}
    out = urllib3.request("GET", f"{app.provider.server.url}/logout?{urlencode(here)}", redirect=False)
    assert (out.status, out.headers["location"]) == (302, f"{HOME}/users/sign_in")
    assert "Max-Age=0" in out.headers["set-cookie"]
    elsewhere = urlencode(here | {"logout_uri": "https://evil.example"})
    assert app.error(f"{app.provider.server.url}/logout?{elsewhere}") == "redirect_mismatch"


def test_each_sign_in_brings_the_providers_address(app: App) -> None:
    before = claims(app.exchange(app.code()))
    after = claims(app.exchange(app.code(Person("Carol-1", "new@example.com", is_verified=False))))
    assert after["sub"] == before["sub"]
    assert (after["email"], after["email_verified"]) == ("new@example.com", False)


def test_a_disabled_user_comes_back_without_a_code(app: App) -> None:
    app.code()
    resources.client("cognito-idp").admin_disable_user(UserPoolId=app.pool_id, Username="oidc_carol-1")
    [error] = parse_qs(urlsplit(app.provider.way_back(app.authorize())).query)["error"]
    assert error == "invalid_request"


def test_a_providers_user_is_found_by_name_alone_and_has_no_password(app: App) -> None:
    cognito, which = resources.client("cognito-idp"), {"UserPoolId": app.pool_id}
    sub = claims(app.exchange(app.code()))["sub"]
    found = cognito.admin_get_user(**which, Username="oidc_carol-1")
    assert found["UserStatus"] == "EXTERNAL_PROVIDER"
    for name in (sub, "carol@example.com"):
        for call in (cognito.admin_get_user, cognito.admin_disable_user, cognito.admin_delete_user):
            with pytest.raises(cognito.exceptions.UserNotFoundException):
                call(**which, Username=name)
    local = cognito.admin_create_user(**which, Username="carol@example.com", MessageAction="SUPPRESS")["User"]
    assert cognito.admin_get_user(**which, Username="carol@example.com")["Username"] == local["Username"]
    plain = cognito.create_user_pool_client(
        **which, ClientName="plain", ExplicitAuthFlows=["ALLOW_USER_PASSWORD_AUTH"]
    )["UserPoolClient"]["ClientId"]
    for name in ("oidc_carol-1", sub):
        proof = {"USERNAME": name, "PASSWORD": PASSWORD}
        with pytest.raises(cognito.exceptions.NotAuthorizedException):
            cognito.initiate_auth(ClientId=plain, AuthFlow="USER_PASSWORD_AUTH", AuthParameters=proof)
    with pytest.raises(cognito.exceptions.NotAuthorizedException):
        cognito.forgot_password(ClientId=plain, Username="oidc_carol-1")


def test_a_server_that_never_started_is_stopped() -> None:
    server = HostedSignIn(Endpoints(UserPool(None)))

    server.stop()

    assert is_free(int(server.url.rpartition(":")[2]))
