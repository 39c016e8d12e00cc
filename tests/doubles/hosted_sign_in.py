"""Cognito's hosted sign-in in the tests, and the browser's part of the way to the provider and back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import urllib3

from infra.build import template
from infra.local.hosted_endpoints import Endpoints
from infra.local.hosted_sign_in import HostedSignIn
from infra.local.user_pool import Fields, Person, UserPool
from tests.drivers.client import START
from tests.engines import resources

CAROL = Person("Carol-1", "Carol@example.com")
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Forging(Endpoints):
    """Endpoints whose next ID tokens have the claims in `altered`; None removes one."""

    altered: dict[str, Any] = {}  # noqa: RUF012 (replaced, never changed)

    def claims(self, asked: Fields, username: str) -> dict[str, Any]:
        """Return the claims of an ID token."""
        claims = super().claims(asked, username) | self.altered
        return {name: value for name, value in claims.items() if value is not None}


@dataclass
class Provider:
    """A provider behind Cognito's hosted sign-in, with the app client for it."""

    server: HostedSignIn
    endpoints: Forging
    client_id: str

    def settings(self) -> dict[str, str]:
        """Return the settings of an installation with this provider."""
        return {"OIDC_NAME": "Example Inc", "COGNITO_DOMAIN": self.server.url, "PROVIDER_CLIENT_ID": self.client_id}

    def way_back(self, location: str, person: Person = CAROL, *, answer: str = "yes") -> str:
        """Follow a redirect to Cognito, answer the provider, and return the URL to which the browser comes back."""
        return way_back(location, person, answer)


def way_back(location: str, person: Person = CAROL, answer: str = "yes") -> str:
    """Follow a redirect to Cognito, answer the provider, and return the URL to which the browser comes back."""
    page = redirect("GET", location)
    request = urlsplit(page).query.partition("=")[2]
    form = {"request": request, "sub": person.sub, "email": person.email, "answer": answer}
    verified = {"verified": "true"} if person.is_verified else {}
    return redirect("POST", page, headers=FORM, body=urlencode(form | verified))


def redirect(method: str, url: str, **sent: Any) -> str:
    """Send a request; return the place to which its response redirects."""
    response = urllib3.request(method, url, redirect=False, **sent)
    assert response.status == 302, response.data
    return urljoin(url, response.headers["location"])


@contextmanager
def provider(pool_id: str, base_url: str, now: Callable[[], float] = START.timestamp) -> Iterator[Provider]:
    """Serve hosted sign-in for an installation at `base_url`; by default, its clock stands at the tests' start."""
    cognito = resources.client("cognito-idp")
    wanted = template.resources("AWS::Cognito::UserPoolClient")["ProviderClient"]
    there: dict[str, Any] = {"UserPoolId": pool_id, "ClientName": "provider"}
    for name in ("CallbackURLs", "LogoutURLs"):
        there[name] = [one["Fn::Sub"].replace("${BaseUrl}", base_url) for one in wanted[name]]
    client = cognito.create_user_pool_client(**wanted | there)["UserPoolClient"]
    endpoints = Forging(UserPool(cognito), now)
    server = HostedSignIn(endpoints)
    server.start()
    try:
        yield Provider(server, endpoints, client["ClientId"])
    finally:
        server.stop()
