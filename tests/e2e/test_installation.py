"""The promises as a caller sees them, over HTTP only, so that `make verify` can check any installation.

At most five concurrent requests, because a new AWS account runs ten functions at once.
"""

import base64
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest

from shared.domain.limits import MAX_GUESSES
from tests.drivers import form_data, sender_key
from tests.drivers.browser import Browser
from tests.drivers.client import Answer
from tests.drivers.http_client import HttpApi
from tests.e2e.conftest import Offered
from tests.verify.installation import fresh_key

pytestmark = pytest.mark.black_box

AT_ONCE = 5
PATIENCE = 10  # seconds that an index may lag


def at_once(api: HttpApi, url_token: str, key: str | None = None) -> list[Answer]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda _: api.retrieve(url_token, key=key), range(AT_ONCE)))


def test_the_service_is_up(api: HttpApi) -> None:
    up = api.get("/up")

    assert up.status == 200


def test_five_at_once_get_the_two_views_there_are(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", expire_after_views=2)

    answers = at_once(api, url_token)

    assert Counter(answer.json["payload"] for answer in answers) == {"s3cret": 2, None: 3}
    assert Counter(bob.kinds(url_token)) == {"creation": 1, "view": 2, "failed_view": 3}


def test_a_request_sent_five_times_with_its_key_is_one_view(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", expire_after_views=1)

    answers = at_once(api, url_token, fresh_key())

    assert {answer.json["payload"] for answer in answers} == {"s3cret"}
    assert bob.kinds(url_token) == ["creation", "view"]


def test_a_create_sent_twice_with_its_key_makes_one_push(bob: HttpApi) -> None:
    key = fresh_key()

    first, again = bob.create("s3cret", key=key), bob.create("s3cret", key=key)

    assert first.json["url_token"] == again.json["url_token"]


def test_a_wrong_passphrase_costs_no_view(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", passphrase="right", expire_after_views=1)

    answers = [api.retrieve(url_token, passphrase) for passphrase in (None, "wrong", "right")]

    assert [answer.status for answer in answers] == [401, 401, 200]
    assert answers[-1].json["payload"] == "s3cret"


def test_a_stranger_cannot_end_what_viewers_may_not_delete(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", deletable_by_viewer=False)

    refused = api.as_owner(None).request("DELETE", f"/api/v2/pushes/{url_token}")

    assert refused.status in (401, 403)
    assert api.retrieve(url_token).json["payload"] == "s3cret"


def test_the_sixth_wrong_passphrase_in_a_minute_is_not_tried(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", passphrase="right")

    answers = [api.retrieve(url_token, "wrong") for _ in range(MAX_GUESSES + 1)]

    assert [answer.status for answer in answers] == [401] * MAX_GUESSES + [429]


def test_a_sign_in_with_a_wrong_password_is_a_page_that_says_so(api: HttpApi) -> None:
    browser = Browser(api.as_owner(None)).visit("/users/sign_in")

    browser.submit("/users/sign_in", email="nobody@example.com", password="correct horse battery")

    assert (browser.at, browser.page.status) == ("/users/sign_in", 401)
    assert 'role="alert"' in browser.page.text


def test_ten_guesses_beside_a_lease_are_tried_and_then_none_is(api: HttpApi, bob: HttpApi) -> None:
    url_token, key = bob.push("s3cret", passphrase="right", expire_after_views=1), fresh_key()
    first = api.retrieve(url_token, "right", key=key)

    answers = [api.retrieve(url_token, passphrase, key=key) for passphrase in [*["wrong"] * 9, "right", "right"]]

    assert [answer.status for answer in answers] == [401] * 9 + [200, 429]
    assert answers[9].json == first.json


@pytest.mark.parametrize("size", [6, 100_000], ids=["in a table", "in the bucket"])
def test_a_push_that_its_sender_expires_is_gone(api: HttpApi, bob: HttpApi, size: int) -> None:
    url_token = bob.push("s" * size)

    ended = bob.expire(url_token)

    after = api.retrieve(url_token)
    assert (ended.status, after.json["expired"], after.json["payload"]) == (200, True, None)


def test_a_payload_in_the_bucket_comes_back(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s" * 100_000)

    retrieved = api.retrieve(url_token)

    assert retrieved.json["payload"] == "s" * 100_000


def test_an_owner_s_list_has_their_pushes_and_rejects_other_tokens(bob: HttpApi) -> None:
    created = bob.create("s3cret", name="Of make verify").json

    assert lists(bob, created["url_token"])
    assert bob.as_owner("no such API token").active().status == 401


def lists(bob: HttpApi, url_token: str) -> bool:
    """Return whether the list of active pushes contains one, waiting for its index."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if any(push["url_token"] == url_token for push in bob.active().json):
            return True
        time.sleep(0.5)
    return False


def test_a_file_comes_back_as_it_was_sent(api: HttpApi, bob: HttpApi, offered: Offered) -> None:
    offered("file_attachments")
    sent = {"filename": "a.txt", "content_type": "text/plain", "data": base64.b64encode(b"hello").decode()}
    url_token = bob.push("", files=[sent])

    [link] = api.retrieve(url_token).json["files"]

    with urlopen(link["url"], timeout=30) as answer:
        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert answer.read() == b"hello"


def test_a_percent_encoded_file_name_of_a_form_is_decoded(api: HttpApi, bob: HttpApi, offered: Offered) -> None:
    offered("file_attachments")
    form = form_data.form(form_data.file("r%C3%A9sum%C3%A9.txt", "hello"))
    created = bob.request("POST", "/api/v2/pushes", headers={"content-type": form_data.TYPE}, body=form)

    [link] = api.retrieve(created.json["url_token"]).json["files"]

    assert link["filename"] == "résumé.txt"


def test_the_description_has_the_limits_that_hold(bob: HttpApi) -> None:
    fields = bob.get("/api/v2/openapi.json").json["components"]["schemas"]["NewPush"]["properties"]

    for name in ("expire_after_days", "expire_after_views"):
        lowest, highest = fields[name]["minimum"], fields[name]["maximum"]
        answer = bob.create("s3cret", **{name: highest + 1})
        assert answer.json == {name: [f"must be between {lowest} and {highest}"]}


def test_the_pages_lead_from_a_secret_to_its_recipient(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", retrieval_step=True, expire_after_views=1)
    recipient = Browser(api)

    before = recipient.visit(f"/p/{url_token}/r").page.text
    after = recipient.submit().page.text

    assert ("s3cret" in before, "s3cret" in after) == (False, True)
    assert bob.kinds(url_token) == ["creation", "view"]


def test_the_sender_s_page_loads_nothing_from_other_hosts(api: HttpApi) -> None:
    page = Browser(api).visit("/").page

    policy = page.headers["content-security-policy"]
    assets = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page.text)
    assert "default-src 'none'" in policy
    assert assets
    assert {api.get(path).status for path in assets} == {200}


def test_a_text_that_its_sender_sealed_comes_back_sealed_and_no_get_of_its_page_opens_it(bob: HttpApi) -> None:
    jwe = sender_key.seal()
    url_token = bob.push(jwe, sealed_by="sender", retrieval_step=False)

    assert bob.create("s3cret", sealed_by="sender").status == 422
    assert jwe not in Browser(bob.as_owner(None)).visit(f"/p/{url_token}").page.text
    assert bob.preview(url_token).json["sealed_key_id"] == sender_key.key_id()
    assert sender_key.open_jwe(bob.retrieve(url_token).json["payload"]) == "s3cret"
    assert bob.kinds(url_token) == ["creation", "owner_view"]


def test_a_push_for_other_networks_does_not_open_here(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", allowed_ips="192.0.2.0/24, 2001:db8::/32")

    refused = [api.retrieve(url_token), bob.retrieve(url_token), api.as_owner(None).get(f"/p/{url_token}")]

    assert [answer.status for answer in refused] == [403, 403, 403]
    assert Counter(bob.kinds(url_token)) == {"creation": 1, "failed_view": 2}
    assert bob.expire(url_token).json["deleted"] is True


def test_a_push_for_every_network_opens_here(api: HttpApi, bob: HttpApi) -> None:
    url_token = bob.push("s3cret", allowed_ips=["0.0.0.0/0", "::/0"])

    assert api.retrieve(url_token).json["payload"] == "s3cret"


def test_protections_that_are_not_here_are_refused_and_unknown_fields_named(bob: HttpApi) -> None:
    refused = bob.create("s3cret", allowed_countries=["DE"], authenticated_recipients=True)

    assert (refused.status, sorted(refused.json)) == (422, ["allowed_countries", "authenticated_recipients"])
    assert bob.create("s3cret", allowed_ip="192.0.2.1").json["ignored"] == ["allowed_ip"]


def test_a_passphrase_may_come_in_a_header(api: HttpApi, bob: HttpApi) -> None:
    path = f"/api/v2/pushes/{bob.push('s3cret', passphrase='päss & 1')}"

    differing = api.request("GET", path, query="passphrase=other", headers={"x-passphrase": "p%C3%A4ss%20%26%201"})
    answer = api.request("GET", path, headers={"x-passphrase": "p%C3%A4ss%20%26%201"})

    assert (differing.status, answer.status, answer.json["payload"]) == (400, 200, "s3cret")
