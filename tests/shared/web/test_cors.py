"""CORS: pages of other origins can read nothing, except what a setting allows and API v1's create."""

import pytest

from tests.conftest import Configure
from tests.drivers.client import Api

OURS, ANOTHERS = "https://intranet.example", "https://evil.example"
PATHS = ["/api/v2/version", "/api/v2/pushes/active", "/api/v2/pushes/unknown", "/api/v2/nothing"]
ALLOW = "access-control-allow-origin"


@pytest.mark.parametrize("path", [*PATHS, "/", "/p/unknown.json"])
def test_without_the_setting_a_page_of_another_origin_reads_nothing(bob: Api, path: str) -> None:
    asked = bob.request("OPTIONS", path, headers={"origin": OURS})
    answer = bob.request("GET", path, headers={"origin": OURS})

    assert asked.status == 404
    assert ALLOW not in asked.headers | answer.headers


@pytest.mark.parametrize("path", PATHS)
def test_an_origin_that_the_setting_names_may_ask_and_read_and_no_other(
    bob: Api, configure: Configure, path: str
) -> None:
    configure(CORS_ORIGINS=f"https://a.example,{OURS}")

    asked = bob.request("OPTIONS", path, headers={"origin": OURS})
    answers = [bob.request("GET", path, headers={"origin": origin}) for origin in (OURS, ANOTHERS)]

    assert (asked.status, asked.text, asked.headers[ALLOW]) == (204, "", OURS)
    assert "authorization" in asked.headers["access-control-allow-headers"]
    assert [answer.headers.get(ALLOW) for answer in answers] == [OURS, None]
    assert {answer.headers["vary"] for answer in answers} == {"origin"}


def test_a_star_is_for_pages_of_any_origin_and_never_with_credentials(bob: Api, configure: Configure) -> None:
    configure(CORS_ORIGINS="*")

    asked = bob.request("OPTIONS", "/api/v2/pushes", headers={"origin": ANOTHERS})
    created = bob.create()

    assert (asked.headers[ALLOW], created.headers[ALLOW]) == ("*", "*")
    assert "access-control-allow-credentials" not in asked.headers | created.headers


@pytest.mark.parametrize("path", ["/", "/users/sign_in", "/pushes", "/p/unknown", "/p/unknown.json", "/nowhere"])
def test_no_page_allows_other_origins_with_any_setting(bob: Api, configure: Configure, path: str) -> None:
    configure(CORS_ORIGINS="*")

    asked = bob.request("OPTIONS", path, headers={"origin": OURS, "accept": "text/html"})
    answer = bob.request("GET", path, headers={"origin": OURS, "accept": "text/html"})

    assert asked.status == 404
    assert ALLOW not in asked.headers | answer.headers


def test_a_refusal_can_be_read_too(api: Api, configure: Configure) -> None:
    configure(CORS_ORIGINS=OURS)

    refused = api.request("GET", "/api/v2/pushes/active", headers={"origin": OURS})

    assert (refused.status, refused.headers[ALLOW]) == (401, OURS)
