import html
import re
from urllib.parse import urlencode

import pytest

from shared import auth
from shared.web.cookies import SESSION as SESSION_COOKIE
from tests import client, engine
from tests.browser import FORM, Browser
from tests.client import Api


def made(browser: Browser, **fields: str) -> str:
    page = browser.visit("/users/token").submit("", **fields).page.text
    [token] = re.findall(r'id="token"[^>]*value="([^"]+)"', page)
    return html.unescape(token)


def test_a_token_is_shown_once_and_works(ann: Browser) -> None:
    token = made(ann, name="laptop")

    assert Api(token=token).active().status == 200
    assert token not in ann.visit("/users/token").page.text
    assert "laptop" in ann.page.text


def test_a_revoked_token_is_refused_from_the_next_request_on(ann: Browser) -> None:
    token = made(ann)
    [digest] = re.findall(r'name="revoke" value="(\w+)"', ann.visit("/users/token").page.text)

    ann.submit("", revoke=digest)

    assert Api(token=token).active().status == 401
    assert "You have no API tokens." in ann.page.text


def test_a_token_may_have_an_end(ann: Browser) -> None:
    token = made(ann, days="2")
    caller = Api(token=token)

    before = caller.active().status
    caller.tick(days=2)

    assert (before, caller.active().status) == (200, 401)


@pytest.mark.parametrize("days", ["0", "-1", "3651", "soon", "1.5", "9" * 5000, "0000136500", "00001" + "9" * 20, "٣"])
def test_an_end_must_be_a_number_of_days(ann: Browser, days: str) -> None:
    before = len(engine.items("ApiTokens"))

    page = ann.visit("/users/token").submit("", days=days).page

    assert page.status == 422
    assert len(engine.items("ApiTokens")) == before


def test_nobody_revokes_another_owners_token(ann: Browser, bob: Api) -> None:
    digest = next(
        item["digest"]["S"] for item in engine.items("ApiTokens") if item.get("owner") == {"S": "name:bob@example.com"}
    )
    made(ann)

    ann.submit("", revoke=digest)

    assert bob.active().status == 200


@pytest.mark.parametrize("fields", [{"name": "x"}, {"revoke": "0"}])
def test_a_form_without_the_sessions_token_does_nothing(ann: Browser, fields: dict[str, str]) -> None:
    before = len(engine.items("ApiTokens"))

    page = ann.visit("/users/token").submit("", form_token="forged", **fields).page

    assert page.status == 403
    assert len(engine.items("ApiTokens")) == before


def test_a_name_is_shown_as_text(ann: Browser) -> None:
    made(ann, name="<b>\u202e")

    assert "<bdi>&lt;b&gt;\u202e</bdi>" in ann.visit("/users/token").page.text


@pytest.mark.parametrize("digest", ["", "0", "x" * 64, "0" * 3_000, "é", "\ud800"])
def test_what_is_no_digest_revokes_nothing(ann: Browser, digest: str) -> None:
    made(ann)
    before = engine.items("ApiTokens")

    body = urlencode({"revoke": digest, "form_token": auth.form_token(ann.session)}, errors="surrogatepass")
    event = ann.api.event("POST", "/users/token", headers={"content-type": FORM}, body=body.encode())
    event["cookies"] = [f"{SESSION_COOKIE}={ann.session}"]
    status = client.read(client.handle(event["routeKey"], event)).status

    assert status in (303, 400)
    assert engine.items("ApiTokens") == before


@pytest.mark.parametrize("form_token", ["é", "", "\x00"])
@pytest.mark.parametrize("path", ["/users/token", "/"])
def test_a_token_of_a_form_that_is_none_is_refused(ann: Browser, path: str, form_token: str) -> None:
    assert ann.visit(path).submit("", form_token=form_token, name="x").page.status == 403
