"""The responses of Cognito's hosted sign-in endpoints, and of an OIDC provider behind them.

They refuse what AWS refuses: tests/doubles/README.md has the sources. The user pool and its app clients are read over
AWS's API, and the provider's users are created there.
"""

import base64
import binascii
import hashlib
import hmac
import html
import json
import secrets
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlencode

from infra.local import id_token
from infra.local.user_pool import Fields, Person, Refused, UserPool
from shared.domain import base64url

CODE_LIFETIME: Final = 300  # seconds
PROVIDER_PAGE: Final = "/provider"
FIRST_PARTS: Final = ("oauth2", "logout", "provider")  # of every path
_PAGE: Final = Path(__file__).with_name("demo_provider.html")


class Answer(NamedTuple):
    """A response: a page, JSON, or a redirect to `location`; `session` is the cookie to set, empty to delete it."""

    status: int
    body: str = ""
    content_type: str = "text/html"
    location: str = ""
    session: str | None = None


class _Grant(NamedTuple):
    asked: Fields
    username: str
    issued_at: float


class Endpoints:
    """The endpoints of one user pool; `now` is the clock, in seconds."""

    def __init__(self, pool: UserPool, now: Callable[[], float] = time.time) -> None:
        self._pool, self.now = pool, now
        self._asked: dict[str, Fields] = {}
        self._grants: dict[str, _Grant] = {}
        self._sessions: dict[str, Person] = {}

    def authorize(self, asked: Fields, session: str) -> Answer:
        """GET /oauth2/authorize: lead to the provider, or straight back if Cognito has a session."""
        client = self._pool.client(asked.get("client_id", ""))
        if asked.get("redirect_uri") not in client.get("CallbackURLs", []):
            raise Refused("redirect_mismatch")
        if error := _fault(asked, client):
            return _back(asked, error=error)
        if person := self._sessions.get(session):
            return self._grant(asked, person)
        request = secrets.token_urlsafe()
        self._asked[request] = asked
        return Answer(HTTPStatus.FOUND, location=f"{PROVIDER_PAGE}?{urlencode({'request': request})}")

    def show_provider(self, query: Fields) -> Answer:
        """GET /provider: ask who is there."""
        request = html.escape(query.get("request", ""))
        return Answer(HTTPStatus.OK, _PAGE.read_text().replace("$request", request))

    def answer_provider(self, form: Fields) -> Answer:
        """POST /provider: lead back with a code, or with the provider's refusal."""
        asked = self._asked.pop(form.get("request", ""), None)
        if asked is None:
            raise Refused("invalid_request")
        if form.get("answer") == "no":
            return _back(asked, error="access_denied")
        person = Person(form.get("sub", ""), form.get("email", ""), form.get("verified") == "true")
        session = secrets.token_urlsafe()
        self._sessions[session] = person
        return self._grant(asked, person)._replace(session=session)

    def end_session(self, query: Fields) -> Answer:
        """GET /logout: end Cognito's session, and not the provider's, which this double does not have."""
        if query.get("logout_uri") not in self._pool.client(query.get("client_id", "")).get("LogoutURLs", []):
            raise Refused("redirect_mismatch")
        return Answer(HTTPStatus.FOUND, location=query["logout_uri"], session="")

    def exchange(self, form: Fields, authorization: str) -> Answer:
        """POST /oauth2/token: tokens for a code, once."""
        client_id, secret = _credentials(form, authorization)
        if not hmac.compare_digest(self._pool.client(client_id).get("ClientSecret", ""), secret):
            raise Refused("invalid_client")
        if form.get("grant_type") != "authorization_code":
            raise Refused("unsupported_grant_type")
        grant = self._grants.pop(form.get("code", ""), None)  # used up, even if a check below fails
        if grant is None or grant.asked["client_id"] != client_id or self.now() - grant.issued_at >= CODE_LIFETIME:
            raise Refused("invalid_grant")
        if form.get("redirect_uri") != grant.asked["redirect_uri"]:
            raise Refused("unauthorized_client")
        challenge = grant.asked.get("code_challenge", "")
        if challenge and not hmac.compare_digest(challenge, _challenge(form.get("code_verifier", ""))):
            raise Refused("invalid_grant")
        tokens = {"id_token": id_token.sign(self.claims(grant.asked, grant.username)), "access_token": "opaque"}
        body = json.dumps(tokens | {"token_type": "Bearer", "expires_in": 3600})
        return Answer(HTTPStatus.OK, body, "application/json")

    def claims(self, asked: Fields, username: str) -> dict[str, Any]:
        """Return the claims of an ID token, from the user's attributes in the pool."""
        kept = {one["Name"]: one["Value"] for one in self._pool.user(username)["UserAttributes"]}
        now, pool_id = int(self.now()), self._pool.id
        nonce = {"nonce": asked["nonce"]} if "nonce" in asked else {}
        return nonce | {
            "iss": f"https://cognito-idp.{pool_id.partition('_')[0]}.amazonaws.com/{pool_id}",
            "aud": asked["client_id"],
            "token_use": "id",
            "sub": kept["sub"],
            "cognito:username": username,
            "email": kept["email"],
            "email_verified": kept["email_verified"] == "true",
            "identities": json.loads(kept["identities"]),
            "auth_time": now,
            "iat": now,
            "exp": now + 3600,
        }

    def _grant(self, asked: Fields, person: Person) -> Answer:
        username = self._pool.federate(person)
        if not self._pool.user(username)["Enabled"]:
            return _back(asked, error="invalid_request", error_description="User is not enabled")
        code = secrets.token_urlsafe()
        self._grants[code] = _Grant(asked, username, self.now())
        return _back(asked, code=code)


def _fault(asked: Fields, client: Mapping[str, Any]) -> str:
    """Return the error that the app gets for a malformed request, or an empty string."""
    if asked.get("response_type") != "code" or "code" not in client.get("AllowedOAuthFlows", []):
        return "unauthorized_client"
    if not set(asked.get("scope", "").split()) <= set(client.get("AllowedOAuthScopes", [])):
        return "invalid_scope"
    if asked.get("identity_provider") not in client.get("SupportedIdentityProviders", []):
        return "invalid_request"
    is_plain = "code_challenge" in asked and asked.get("code_challenge_method") != "S256"
    return "invalid_request" if is_plain else ""


def _back(asked: Fields, **values: str) -> Answer:
    state = {"state": asked["state"]} if "state" in asked else {}
    return Answer(HTTPStatus.FOUND, location=f"{asked['redirect_uri']}?{urlencode(values | state)}")


def _credentials(form: Fields, authorization: str) -> tuple[str, str]:
    """Return the client's id and secret: from the header (client_secret_basic), or the form (client_secret_post)."""
    kind, _, encoded = authorization.partition(" ")
    if kind.lower() != "basic":
        return form.get("client_id", ""), form.get("client_secret", "")
    try:
        client_id, _, secret = base64.b64decode(encoded).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refused("invalid_client") from None
    return unquote(client_id), unquote(secret)


def _challenge(verifier: str) -> str:
    return base64url.encode(hashlib.sha256(verifier.encode()).digest())
