"""Sign-in by the local stack's provider, with the permissions that the template gives."""

import pytest

from infra.local.stack import Stack
from infra.local.user_pool import Person
from tests.doubles.hosted_sign_in import CAROL, way_back
from tests.drivers.browser import Browser
from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Command

DAVE = Person("dave", "dave@example.com")


def signed_in(stack: Stack, person: Person = CAROL) -> Browser:
    browser = Browser(HttpApi(base_url=stack.base_url), outside=stack.hosted.url)
    left = browser.visit("/users/sign_in/provider").page.headers["location"]
    return browser.visit(way_back(left, person))


def test_somebody_signs_in_by_the_provider_until_they_are_disabled(stack: Stack, command: Command) -> None:
    carol = signed_in(stack)
    carol.visit("/").submit("", **{"push[payload]": "s3cret", "push[name]": "of Carol"})
    listed = carol.visit("/pushes").page.text

    command("account", "disable", "--account", "oidc_carol-1")

    assert "of Carol" in listed
    assert carol.visit("/pushes").at == "/users/sign_in"
    assert "That sign-in did not work" in signed_in(stack).page.text


def test_the_emulator_too_finds_a_provider_s_user_by_name_alone(stack: Stack) -> None:
    signed_in(stack, DAVE)
    cognito = stack.emulator.client("cognito-idp")
    [pool] = cognito.list_user_pools(MaxResults=1)["UserPools"]

    user = cognito.admin_get_user(UserPoolId=pool["Id"], Username="oidc_dave")

    assert user["UserStatus"] == "EXTERNAL_PROVIDER"
    [sub] = [one["Value"] for one in user["UserAttributes"] if one["Name"] == "sub"]
    for name in (sub, DAVE.email):
        with pytest.raises(cognito.exceptions.UserNotFoundException):
            cognito.admin_get_user(UserPoolId=pool["Id"], Username=name)
