import json

import pytest

from shared.web import push_links
from tests.drivers.client import DOMAIN, Api

TOKEN = "a1b2c3d4e5f6g7h8i9j0k1l2m3"

TYPED = [
    *".,;:!?)]}>»”\"'`*_~|\\…\u3002\u3001\uff09\u300d/ =-+^$#@&\u00a0\u200b\u2060\u202c\n\t",
    ").",
    '">.',
    " .",
    "\r\n",
]
ESCAPED = [
    "%20",
    "%20%20",
    "%2E",
    "%0A",
    "%0d%0a",
    "%E2%80%A6",
    "%c2%a0",
    "%22%3E",
    "&gt;",
    "&gt",
    "&quot;",
    "&nbsp;",
    "&#39;",
    "&gt;&gt;.",
    "&amp;",
]
TAILS = [*TYPED, *ESCAPED]


@pytest.mark.parametrize("segment", [TOKEN, f"{TOKEN}.json"])
def test_added_text_is_removed_from_a_url_token(segment: str) -> None:
    assert {tail: push_links.strip_punctuation(segment + tail) for tail in TAILS} == dict.fromkeys(TAILS, segment)


SEGMENTS = "T T.json T.xml T.jsonp T.a. TA Té T%2 .T (T) T.json.json . .. A. &gt;".replace("T", TOKEN).split()


@pytest.mark.parametrize("segment", ["", *SEGMENTS], ids=ascii)
def test_text_that_belongs_to_a_url_token_stays(segment: str) -> None:
    assert push_links.strip_punctuation(segment) == segment


@pytest.mark.parametrize(
    "path",
    [
        "/p/T/r",
        "/p/T/r.json",
        "/p/T/preview",
        "/f/T/r",
        "/de/p/T/r",
        "/pt-BR/r/T/r",
        "/api/v2/pushes/T/preview",
        "/api/v2/pushes/T/audit.json",
    ],
)
def test_a_link_with_text_after_its_url_token_is_repaired(path: str) -> None:
    path = path.replace("T", TOKEN)

    assert {tail: push_links.trim_path(path + tail) for tail in TAILS} == dict.fromkeys(TAILS, path)


NOTHING = (
    "/p/T/r /p/T/x. /p/T/rr. /p/T/r/x /x/T/r. //p/T/r. /p//T/r. /evil.example/p/T/r. /\\evil/p/T/r. /p/r. /users/token."
)


@pytest.mark.parametrize("path", ["", "/", "/p/T/expire.", "/api/v2/T/preview.", *NOTHING.split()])
def test_no_other_link_is_repaired(path: str) -> None:
    assert push_links.trim_path(path.replace("T", TOKEN)) is None


def test_a_long_tail_takes_no_long_time() -> None:
    for tail in ("&gt" * 3_000, "%20" * 3_000, "&#1" * 3_000, "&;" * 3_000, "._" * 3_000):
        assert push_links.strip_punctuation(TOKEN + tail + "x") == TOKEN + tail + "x"


@pytest.mark.parametrize("step", [True, False])
def test_a_link_keeps_the_requested_language(api: Api, step: bool) -> None:
    url_token = api.push(retrieval_step=step)

    def links(query: str) -> tuple[str, str]:
        return (
            api.request("GET", f"/api/v2/pushes/{url_token}/preview", query=query).json["url"],
            api.request("GET", f"/api/v2/pushes/{url_token}", query=query).json["html_url"],
        )

    plain = f"https://{DOMAIN}/p/{url_token}" + ("/r" if step else "")
    assert links("push_locale=pt-BR") == (f"{plain}?locale=pt-BR",) * 2
    for query in ("", "push_locale=", "push_locale=ko", "locale=de", "push_locale=%22%3E"):
        assert links(query) == (plain,) * 2


@pytest.mark.parametrize(
    ("query", "beside", "locale"),
    [
        ("", "de", "de"),
        ("", "PT_br", "pt-BR"),
        ("", "en-GB", "en"),
        ("push_locale=fr-CA", "de", "fr"),
        ("push_locale=tlh", "de", "de"),
        ("", "tlh", None),
        ("", 7, None),
    ],
)
def test_a_create_takes_the_language_beside_the_push(api: Api, query: str, beside: object, locale: str | None) -> None:
    sent = json.dumps({"push": {"payload": "s3cret"}, "push_locale": beside}).encode()

    answer = api.request("POST", "/api/v2/pushes", query=query, headers={"content-type": "application/json"}, body=sent)

    assert answer.json["html_url"].partition("?locale=")[2] == (locale or "")


def test_a_link_for_a_program_has_no_language(api: Api) -> None:
    as_json, body = {"content-type": "application/json"}, b'{"push": {"payload": "s3cret"}}'

    answer = api.request("POST", "/api/v2/pushes", query="push_locale=de", headers=as_json, body=body).json

    assert answer["html_url"].endswith("?locale=de")
    assert answer["json_url"].endswith(f"/p/{answer['url_token']}.json")
