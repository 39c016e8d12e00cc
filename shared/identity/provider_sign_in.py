"""Sign-in by the OIDC provider, through Cognito: authorization code with PKCE (RFC 7636), state and nonce.

`state` is random, and kept in a cookie of the browser that began. Verifier and nonce are derived from it with a key
that no visitor has. So a code works only for the browser that it was issued to, and nothing needs to be stored.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlencode

from shared.aws import cognito, token_endpoint
from shared.domain import base64url, cipher, errors, id_token
from shared.runtime import metrics
from shared.runtime.settings import current

PROVIDER = "Oidc"  # the provider's name in template.yaml
# What the provider or Cognito may say (RFC 6749, section 4.1.2.1), as a metric's reason.
_REASONS = {"access_denied", "invalid_request", "server_error", "temporarily_unavailable", "unauthorized_client"}


class SignedIn(NamedTuple):
    """Who signed in: owner, e-mail address (may be empty), and Cognito's name for the account."""

    owner: str
    address: str
    username: str


def authorize_url(state: str) -> str:
    """Return the address to send the browser to, for a new random `state` of at least 256 bits."""
    challenge = base64url.encode(hashlib.sha256(_derive("verifier", state).encode()).digest())
    query = {
        "identity_provider": PROVIDER,
        "response_type": "code",
        "client_id": current().provider_client_id,
        "redirect_uri": _redirect_uri(),
        "scope": "openid email",
        "state": state,
        "nonce": _derive("nonce", state),
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{current().cognito_domain}/oauth2/authorize?{urlencode(query)}"


def logout_url() -> str:
    """Return the address that ends Cognito's own session in a browser, and leads back to our sign-in page."""
    query = {"client_id": current().provider_client_id, "logout_uri": f"{current().base_url}/users/sign_in"}
    return f"{current().cognito_domain}/logout?{urlencode(query)}"


def finish(state: str, query: Mapping[str, str], *, now: datetime) -> SignedIn:
    """Return who signed in, for the query of the callback; the caller has compared its `state` with the cookie's.

    Raises: ProviderRefused, ProviderUnavailable.
    """
    code = query.get("code", "")
    if not code:
        reason = query.get("error", "")
        metrics.count("ProviderFailed", reason if reason in _REASONS else "Other")
        raise errors.ProviderRefused
    settings = current()
    identity = id_token.check(
        token_endpoint.exchange(code, _derive("verifier", state), _redirect_uri()),
        issuer=f"https://cognito-idp.{settings.region}.amazonaws.com/{settings.user_pool_id}",
        client_id=settings.provider_client_id,
        nonce=_derive("nonce", state),
        now=now,
    )
    account = cognito.find_by_sub(identity.sub, identity.username)
    if account is None or not account.is_enabled:  # disabled or deleted after the code was issued
        raise errors.ProviderRefused
    # An operator may link the provider to an account with a password, whose name is its `sub`. It stays one of those.
    is_linked = identity.username == identity.sub
    return SignedIn(account.owner, account.address, "" if is_linked else identity.username)


def _derive(purpose: str, state: str) -> str:
    key = cognito.client_secret(current().provider_client_id).encode()
    message = cipher.join_parts([b"secret-sharing provider v1", purpose.encode(), state.encode()])
    return base64url.encode(hmac.digest(key, message, "sha256"))


def _redirect_uri() -> str:
    return f"{current().base_url}/users/sign_in/callback"
