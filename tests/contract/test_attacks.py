"""Attacks on the API; test_attacks_on_pages.py has those on the pages.

Tested elsewhere: parallel guesses (test_races.py), hostile URLs one by one (shared/domain/test_rules.py), the base URL
of links (shared/web/test_api.py), API tokens by digest (shared/identity/test_auth.py).
"""

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from infra.build import template
from shared.aws import keys
from shared.domain import digests, manage_key, notice, url_tokens
from shared.identity import auth
from tests.conftest import Issue
from tests.drivers import client
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import START, Api, filled, read
from tests.engines import resources
from tests.meters import wire_tap

pytestmark = pytest.mark.prove("all", "No known attack on the API or the pages works", "moto")

SPOOFED = "203.0.113.9"
SPOOFS = ("X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP", "Via")
HOSTILE_URLS = [
    *(
        "javascript:alert(1)",
        "JavaScript://example.com/%0aalert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "http://",
    ),
    *("http://user:pass@", "//evil.example", "http:\\\\evil.example", "https://evil.example\\@bank.example/"),
    *(
        "https://example.com/\r\nX: 1",
        "java\nscript:alert(1)",
        "\x00https://example.com",
        "https://example.com/\x1b[2J",
    ),
]
WITHOUT_A_PAGE = {"/favicon.ico", "/robots.txt"}


def similar_tokens(token: str) -> Iterator[str]:
    """Return tokens with the smallest possible differences to this one."""
    yield from (token.swapcase(), token[:-1], token[1:], token + "a", token + token, token + "-a", token[::-1])
    for place in (0, len(token) // 2, len(token) - 1):
        other = "a" if token[place] != "a" else "b"
        yield token[:place] + other + token[place + 1 :]


def spellings(url_token: str) -> list[tuple[str, str]]:
    """Return every route that checks a passphrase."""
    encoded = "".join(f"%{ord(character):02x}" for character in url_token)
    gets = [f"/api/v2/pushes/{url_token}", f"/api/v2/pushes/{url_token}.json", f"/p/{url_token}.json"]
    gets += [f"/p/{url_token}/r.json", f"/api/v2/pushes/{encoded}", f"/p/{encoded}.json"]
    gets += [f"/f/{url_token}.json", f"/r/{url_token}.json"]
    return [("GET", path) for path in gets] + [("POST", f"/p/{url_token}"), ("POST", f"/p/{url_token}/r")]


def guess(api: Api, method: str, path: str, passphrase: str) -> int:
    sent = f"passphrase={passphrase}"
    if method == "POST":
        return api.request(method, path, headers={"content-type": FORM}, body=sent.encode()).status
    return api.request(method, path, query=sent).status


# ---------------------------------------------------------------- tokens


def test_a_url_token_that_looks_alike_is_not_found(bob: Api) -> None:
    url_token = bob.push()

    for other in similar_tokens(url_token):
        assert bob.retrieve(other).status == bob.preview(other).status == bob.expire(other).status == 404, other
    assert bob.kinds(url_token) == ["creation"]


def test_an_api_token_that_looks_alike_is_nobodys(bob: Api) -> None:
    assert bob.token
    for other in (*similar_tokens(bob.token), bob.token.lower(), digests.digest(bob.token), f"{bob.token} {bob.token}"):
        assert bob.as_owner(other).active().status == 401, other


def test_unknown_and_ended_tokens_take_the_same_work(api: Api) -> None:
    over = auth.issue_api_token("name:bob@example.com", "x", now=START, expires_at=START + timedelta(days=1))
    api.tick(days=2)

    assert work(api.as_owner("x" * 65)) == work(api.as_owner(over)) == work(api.as_owner(over[:-1] + "_"))


def work(caller: Api) -> list[tuple[str, int]]:
    """Return the calls of a rejected request, and the number of items in each."""
    with wire_tap.calls() as calls:
        assert caller.active().status == 401
    return [(name, sum(len(asked["Keys"]) for asked in sent["RequestItems"].values())) for name, sent in calls]


# ---------------------------------------------------------------- passphrases


def test_guesses_count_together_over_all_paths(api: Api) -> None:
    url_token = api.push(passphrase="right")
    ways = spellings(url_token)

    guesses = [guess(api, *way, passphrase="wrong") for way in ways[-5:]]
    rights = [guess(api, *way, passphrase="right") for way in ways]

    assert guesses == [401] * 5
    assert rights == [429] * len(ways)


@pytest.mark.parametrize("method", ["OPTIONS", "POST", "PUT", "PATCH", "TRACE", "get"])
def test_no_other_method_tries_a_passphrase(bob: Api, method: str) -> None:
    url_token = bob.push(passphrase="right")

    right, wrong = (guess(bob, method, f"/api/v2/pushes/{url_token}", word) for word in ("right", "wrong"))

    assert right == wrong == 404
    assert bob.kinds(url_token) == ["creation"]


def test_a_head_answers_alike_for_any_passphrase(bob: Api) -> None:
    url_token = bob.push(passphrase="right")

    right, wrong = (guess(bob, "HEAD", f"/api/v2/pushes/{url_token}", word) for word in ("right", "wrong"))

    assert right == wrong == 200
    assert bob.kinds(url_token) == ["creation"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("//api/v2/pushes/{}", 301),
        ("/api/v2/pushes/{}/", 301),
        ("/API/v2/pushes/{}", 404),
        ("/api/v2/pushes/{}/r", 404),
    ],
)
def test_no_other_spelling_of_the_path_is_an_endpoint(bob: Api, path: str, status: int) -> None:
    url_token = bob.push(passphrase="right")

    assert guess(bob, "GET", path.format(url_token), "right") == status
    assert bob.kinds(url_token) == ["creation"]


# ---------------------------------------------------------------- forged request headers


def test_no_header_makes_an_address_in_the_audit_log(bob: Api) -> None:
    bob.headers = dict.fromkeys(SPOOFS, f"for={SPOOFED}")
    url_token = bob.push(passphrase="right", retrieval_step=False)
    for passphrase in ("wrong", "right"):
        bob.retrieve(url_token, passphrase)
    Browser(bob).visit(f"/p/{url_token}").submit(passphrase="right")
    bob.expire(url_token)
    bob.retrieve(url_token)

    entries = bob.audit(url_token).json["logs"]

    assert len(entries) == 6
    assert {entry["ip"] for entry in entries} == {bob.ip}
    assert SPOOFED not in repr(entries)


@pytest.mark.parametrize("url", HOSTILE_URLS, ids=repr)
def test_a_hostile_url_is_refused_and_nothing_is_stored(api: Api, url: str) -> None:
    before = resources.stored()

    refused = api.create(url, kind="url")

    assert (refused.status, list(refused.json)) == (422, ["payload"])
    assert resources.stored() == before


@pytest.mark.parametrize(
    "name", ['a"; filename="evil.exe', "a\r\nSet-Cookie: x=1", "a\x00b", "é\u202egpj.exe\u2028", "a%0d%0a"]
)
@pytest.mark.parametrize("content_type", ["text/html\r\nX-Evil: 1", "text/html; x=\u2028", "text/html, x", "\r\n"])
def test_a_files_name_and_type_end_no_header(bob: Api, name: str, content_type: str) -> None:
    files = [{"filename": name, "content_type": content_type, "data": ""}]
    [link] = bob.retrieve(bob.push("", files=files)).json["files"]

    asked = {key: value[0] for key, value in parse_qs(urlsplit(link["url"]).query).items()}
    disposition, media_type = asked["response-content-disposition"], asked["response-content-type"]

    assert disposition.isascii()
    assert disposition.isprintable()
    assert disposition.startswith('attachment; filename="')
    assert disposition.count('"') == 2
    assert media_type == link["content_type"]
    assert media_type.isascii()
    assert media_type.isprintable()
    assert "html" not in media_type
    assert asked["response-cache-control"] == "no-store"


FORMS = ("sign_up", "confirm", "sign_in", "password", "new_password", "sign_out")  # the last ends the session


def test_nothing_is_kept_by_a_cache_but_assets(ann: Browser) -> None:
    token = issued_to(ann)
    url_token = Api(token=token).push(retrieval_step=False)
    values = {"url_token": url_token, "id": digests.digest(url_token), "name": "site.css"}
    values["manage_key"], values["ask_token"] = manage_key.new_key(), url_tokens.new_url_token()
    values["token"] = notice.token(values["id"], keys.current())
    statuses = set()

    for key, form in sorted(every_route(), key=lambda one: FORMS.index(one[1])):
        method, path = filled(key, form=form, **values)
        event = ann.api.event(method, path, headers={"authorization": f"Bearer {token}", "content-type": FORM})
        event["cookies"] = [f"{name}={value}" for name, value in ann.cookies.items()]
        answer = read(client.handle(event["routeKey"], event))

        assert event["routeKey"] == key
        assert (answer.headers["cache-control"] == "no-store") == (path not in WITHOUT_A_PAGE), key
        assert not answer.headers.keys() & {"etag", "last-modified", "expires", "age"}
        statuses.add(answer.status)
    assert {200, 301, 403, 404} <= statuses


def every_route() -> Iterator[tuple[str, str]]:
    """Return each route with a form, and those of forms with every form."""
    for route in template.routes():
        for form in FORMS if "{form}" in route.key else FORMS[:1]:
            yield route.key, form


def issued_to(browser: Browser) -> str:
    return auth.issue_api_token(browser.owner, "test", now=START)


# ---------------------------------------------------------------- other owners' pushes


@pytest.mark.parametrize("name", ["None", "null", "anonymous", " "])
def test_an_anonymous_push_is_nobodys(api: Api, issue: Issue, name: str) -> None:
    url_token = api.push(deletable_by_viewer=False)
    namesake = api.as_owner(issue(name))

    assert [api.audit(url_token).status, namesake.audit(url_token).status] == [401, 403]
    assert [api.expire(url_token).status, namesake.expire(url_token).status] == [401, 403]
    assert [api.active().status, api.expired().status] == [401, 401]
    assert namesake.active().json == namesake.expired().json == []
    assert Browser(api).visit(f"/pushes/{digests.digest(url_token)}").at == "/users/sign_in"


def test_one_owners_token_does_nothing_to_anothers_push(bob: Api, eve: Api) -> None:
    url_token = bob.push(deletable_by_viewer=False, name="Bob's")

    assert [eve.audit(url_token).status, eve.expire(url_token).status] == [403, 403]
    assert eve.active().json == eve.expired().json == []
    assert eve.retrieve(url_token).status == 200
    assert bob.kinds(url_token) == ["creation", "view"]  # and not owner_view
