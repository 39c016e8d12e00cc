"""Sign-in by the local stack's provider, with the permissions that the template gives."""

from infra.local.stack import Stack
from tests.doubles.hosted_sign_in import way_back
from tests.drivers.browser import Browser
from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Command


def signed_in(stack: Stack) -> Browser:
    browser = Browser(HttpApi(base_url=stack.base_url), outside=stack.hosted.url)
    left = browser.visit("/users/sign_in/provider").page.headers["location"]
    return browser.visit(way_back(left))


def test_somebody_signs_in_by_the_provider_until_they_are_disabled(stack: Stack, command: Command) -> None:
    carol = signed_in(stack)
    carol.visit("/").submit("", **{"push[payload]": "s3cret", "push[name]": "of Carol"})
    listed = carol.visit("/pushes").page.text

    command("account", "disable", "--account", "oidc_carol-1")

    assert "of Carol" in listed
    assert carol.visit("/pushes").at == "/users/sign_in"
    assert "That did not work" in signed_in(stack).page.text
