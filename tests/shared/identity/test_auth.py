import base64
from collections.abc import Callable
from datetime import timedelta

import pytest

from shared.aws import tokens
from shared.domain import digests, errors
from shared.domain.audit import Caller
from shared.domain.token import ApiToken
from shared.identity import auth
from tests.drivers.client import START, Api
from tests.engines import resources

Issue = Callable[..., str]

CREDENTIALS = [
    ({"authorization": "Bearer t0ken"}, "t0ken"),
    ({"authorization": "bearer t0ken"}, "t0ken"),
    ({"authorization": "BEARER  t0ken "}, "t0ken"),
    ({"x-user-token": "t0ken"}, "t0ken"),
    ({"x-user-token": "t0ken", "x-user-email": "whoever@example.com"}, "t0ken"),
    ({"x-user-token": "t0ken", "authorization": "Bearer other"}, "t0ken"),
    ({"x-user-token": "t0ken", "authorization": "Basic other"}, "t0ken"),
    ({"x-user-token": " ", "authorization": "Bearer t0ken"}, "t0ken"),
    ({}, None),
    ({"authorization": ""}, None),
    ({"authorization": " "}, None),
    ({"x-user-email": "bob@example.com"}, None),
    ({"cookie": "token=t0ken"}, None),
]


@pytest.mark.parametrize(("headers", "presented"), CREDENTIALS, ids=repr)
def test_an_api_token_can_be_sent_in_two_ways(headers: dict[str, str], presented: str | None) -> None:
    assert auth.token_from_headers(headers) == presented


@pytest.mark.parametrize("value", ["Bearer", "Bearer ", "Bearer a b", "Bearera", "Token a", "Basic YTpi", "t0ken"])
def test_a_credential_of_another_kind_is_refused(value: str) -> None:
    with pytest.raises(errors.Unauthenticated):
        auth.token_from_headers({"authorization": value})


def test_no_pattern_gets_a_credential_of_over_a_thousand_characters() -> None:
    longest = "t" * (1_000 - len("Bearer "))

    assert auth.token_from_headers({"authorization": f"Bearer {longest}"}) == longest
    with pytest.raises(errors.Unauthenticated):
        auth.token_from_headers({"authorization": f"Bearer {longest}t"})


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "bEARER {}"},
        {"X-User-Token": "{}"},
        {"X-User-Email": "eve@example.com", "X-User-Token": "{}", "Authorization": "Bearer nonsense"},
    ],
    ids=["bearer", "legacy", "all at once, as the CLI sends them"],
)
def test_a_caller_with_an_owner_s_token_is_that_owner(api: Api, bob: Api, headers: dict[str, str]) -> None:
    url_token = bob.push()
    sent = {name: value.format(bob.token) for name, value in headers.items()}

    listed = api.request("GET", "/api/v2/pushes/active", headers=sent)

    assert [push["url_token"] for push in listed.json] == [url_token]


def test_the_legacy_token_wins_even_if_it_is_invalid(api: Api, bob: Api) -> None:
    headers = {"X-User-Token": "nonsense", "Authorization": f"Bearer {bob.token}"}

    assert api.request("GET", "/api/v2/pushes/active", headers=headers).status == 401


@pytest.mark.parametrize("ask", [auth.require_owner, auth.require_session])
def test_an_endpoint_with_authentication_rejects_the_anonymous(ask: Callable[[Caller], object]) -> None:
    with pytest.raises(errors.Unauthenticated):
        ask(Caller())


def test_an_owner_without_a_session_is_not_signed_in() -> None:
    with pytest.raises(errors.Unauthenticated):
        auth.require_session(Caller("name:bob@example.com"))


def test_an_api_token_has_no_end_unless_requested(bob: Api) -> None:
    bob.tick(days=10_000)

    assert bob.active().status == 200


def test_an_api_token_ends_at_the_requested_time(api: Api, issue: Issue) -> None:
    owner = api.as_owner(issue("name:bob@example.com", expires_at=START + timedelta(hours=1)))
    owner.tick(hours=1, milliseconds=-1)
    before = owner.active().status
    owner.tick(milliseconds=1)

    assert (before, owner.active().status, owner.create().status) == (200, 401, 401)


@pytest.mark.parametrize("milliseconds", [0, 1, 500, 999])
def test_a_revoked_api_token_is_refused_at_once_whenever_it_was_made(aws: None, milliseconds: int) -> None:
    moment = START + timedelta(milliseconds=milliseconds)
    token = auth.issue_api_token("name:bob", "test", now=moment)
    auth.revoke_api_token("name:bob", digests.digest(token))

    answer = Api(token=token, now=moment).active()

    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_revoking_an_ended_api_token_does_not_bring_it_back(aws: None) -> None:
    token, _ = tokens.find(digests.digest(auth.issue_api_token("name:bob", "test", now=START)))
    assert isinstance(token, ApiToken)
    tokens.remove(token.digest)

    tokens.revoke(token)

    assert resources.items("ApiTokens") == []


def test_an_owner_may_have_several_api_tokens_and_lose_one(bob: Api, issue: Issue) -> None:
    other = bob.as_owner(issue("name:bob@example.com"))

    tokens.remove(digests.digest(str(bob.token)))

    assert other.active().status == 200


def test_an_api_token_has_256_random_bits(issue: Issue) -> None:
    api_tokens = {issue("name:bob@example.com") for _ in range(20)}

    assert len(api_tokens) == 20
    assert {len(base64.urlsafe_b64decode(f"{api_token[22:]}=")) for api_token in api_tokens} == {32}


def test_only_a_digest_and_four_characters_are_kept_of_an_api_token(issue: Issue) -> None:
    api_token = issue("name:bob@example.com")

    (item,) = resources.items("ApiTokens")

    assert item["digest"] == {"S": digests.digest(api_token)}
    assert item["last_four"] == {"S": api_token[-4:]}
    assert api_token not in repr(item)


@pytest.mark.parametrize("change", [str.upper, lambda token: token[:-1], lambda token: token + "A"])
def test_an_api_token_is_right_as_a_whole_or_not_at_all(api: Api, bob: Api, change: Callable[[str], str]) -> None:
    assert api.as_owner(change(str(bob.token))).active().status == 401
