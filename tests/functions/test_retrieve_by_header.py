"""A passphrase in the header X-Passphrase, so that no proxy logs it with the query (contract, section 3)."""

from urllib.parse import quote

import pytest

from tests.drivers.client import Answer, Api

PASSPHRASE = "pässwörd & 100% +1"


def retrieve(api: Api, path: str, header: str, query: str = "") -> Answer:
    return api.request("GET", path, query=query, headers={"X-Passphrase": header})


@pytest.mark.parametrize("path", ["/api/v2/pushes/{}", "/api/v2/pushes/{}.json", "/p/{}.json", "/f/{}.json"])
def test_a_passphrase_may_come_in_a_header(api: Api, path: str) -> None:
    url_token = api.push(passphrase=PASSPHRASE)

    answer = retrieve(api, path.format(url_token), quote(PASSPHRASE))

    assert (answer.status, answer.json["payload"]) == (200, "s3cret")


def test_only_what_must_be_needs_encoding(api: Api) -> None:
    url_token = api.push(passphrase="a b+c&d=e")

    assert retrieve(api, f"/api/v2/pushes/{url_token}", "a b+c&d=e").status == 200


def test_header_and_query_may_agree_but_not_differ(bob: Api) -> None:
    url_token = bob.push(passphrase="right")
    path = f"/api/v2/pushes/{url_token}"

    assert retrieve(bob, path, "right", "passphrase=right").status == 200
    for header, query in (("right", "wrong"), ("wrong", "right"), ("", "right"), ("right", "")):
        assert retrieve(bob, path, header, f"passphrase={query}").status == 400
    assert bob.kinds(url_token) == ["creation", "owner_view"]


def test_a_wrong_header_is_a_guess_and_an_empty_one_none(bob: Api) -> None:
    path = f"/api/v2/pushes/{bob.push(passphrase='right')}"

    assert [retrieve(bob, path, header).status for header in ("", *["wrong"] * 5, "right")] == [401] * 6 + [429]


@pytest.mark.parametrize("header", ["%", "100%", "%zz", "%ff", "ä", "a\tb"])
def test_a_header_that_is_no_percent_encoded_utf_8_is_refused_unquoted(bob: Api, header: str) -> None:
    url_token = bob.push(passphrase="right")

    answer = retrieve(bob, f"/api/v2/pushes/{url_token}", header)

    assert (answer.status, answer.json) == (400, {"error": "The header X-Passphrase must be UTF-8, percent-encoded."})
    assert bob.kinds(url_token) == ["creation"]
