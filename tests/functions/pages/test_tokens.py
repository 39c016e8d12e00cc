import html
import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from infra.operator import issue_token
from shared.domain import digests
from shared.identity import auth
from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.conftest import PASSWORD
from tests.drivers import client
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import START, Api
from tests.engines import resources


def create_token(browser: Browser, **fields: str) -> str:
    return shown(browser.visit("/users/token").submit("", **fields).page.text)


def receipt(browser: Browser) -> str:
    """Return the query of the page of a new token."""
    return f"?{browser.query}"


def of_ann(ann: Browser) -> list[object]:
    return list(auth.list_api_tokens(ann.owner, now=ann.api.now))


def shown(page: str) -> str:
    [token] = re.findall(r'id="token"[^>]*value="([^"]+)"', page)
    return html.unescape(token)


def test_a_token_is_shown_once_and_works(ann: Browser) -> None:
    token = create_token(ann, name="laptop")

    assert Api(token=token).active().status == 200
    assert token not in ann.visit("/users/token").page.text
    assert "laptop" in ann.page.text


def test_a_reload_makes_no_other_token(ann: Browser) -> None:
    token = create_token(ann, name="laptop")

    ann.visit(ann.at + receipt(ann))

    assert len(of_ann(ann)) == 1
    assert token in ann.page.text  # the response may have been lost


def test_the_same_form_sent_twice_makes_one_token_and_shows_it_to_both(ann: Browser) -> None:
    form = ann.visit("/users/token").page
    first = ann.submit("", name="laptop").page.text
    ann.page = form

    second = ann.submit("", name="laptop").page.text

    assert shown(first) == shown(second)
    assert len(of_ann(ann)) == 1


def test_a_minute_later_the_token_is_not_shown_again(ann: Browser) -> None:
    form = ann.visit("/users/token").page
    token, address = shown(ann.submit("").page.text), receipt(ann)
    ann.api.tick(minutes=1)

    reloaded = ann.visit(f"/users/token{address}").page.text
    ann.page = form
    sent_again = ann.submit("").page.text

    for page in (reloaded, sent_again):
        assert token not in page
        assert "was shown already" in page
    assert len(of_ann(ann)) == 1


@pytest.mark.parametrize("other", [{"name": "phone"}, {"name": "laptop", "days": "7"}])
def test_the_same_form_with_another_name_or_end_makes_another_token(ann: Browser, other: dict[str, str]) -> None:
    form = ann.visit("/users/token").page
    first = shown(ann.submit("", name="laptop").page.text)
    ann.page = form

    second = shown(ann.submit("", **other).page.text)

    assert first != second
    assert len(of_ann(ann)) == 2


def test_the_form_of_a_revoked_token_does_not_make_it_again(ann: Browser) -> None:
    form = ann.visit("/users/token").page
    token = shown(ann.submit("", name="laptop").page.text)
    [digest] = re.findall(r'name="revoke" value="(\w+)"', ann.page.text)
    ann.submit("", revoke=digest)
    ann.page = form

    page = ann.submit("", name="laptop").page.text

    assert Api(token=token).active().status == 401
    assert token not in page
    assert "You have no API tokens." in page


def test_the_record_of_a_revoked_token_outlives_the_session(ann: Browser) -> None:
    token = create_token(ann)
    auth.revoke_api_token(ann.owner, digests.digest(token))

    [record] = [item for item in resources.items("ApiTokens") if item["digest"]["S"] == digests.digest(token)]
    assert int(record["expires_at"]["N"]) > (START + timedelta(hours=720)).timestamp()  # TTL


def test_a_revoked_token_s_form_does_not_create_it_again(ann: Browser) -> None:
    form = ann.visit("/users/token").page
    token = shown(ann.submit("", name="laptop").page.text)
    revoke = issue_token._parser().parse_args(
        ["revoke", "--account", "ann@example.com", "--digest", digests.digest(token)]
    )
    revoke.act(revoke)
    ann.page = form

    ann.submit("", name="laptop")

    assert Api(token=token).active().status == 401


def test_the_address_of_a_token_is_worth_nothing_in_another_session(ann: Browser) -> None:
    token, address = create_token(ann), receipt(ann)
    other = Browser().visit("/users/sign_in").submit("/users/sign_in", email="ann@example.com", password=PASSWORD)

    page = other.visit(f"/users/token{address}").page.text

    assert other.owner == ann.owner
    assert token not in page


def test_a_page_with_a_token_offers_no_other_language(ann: Browser) -> None:
    create_token(ann)

    assert 'class="languages"' not in ann.page.text
    assert 'class="languages"' in ann.visit("/users/token").page.text


def test_no_token_is_kept(ann: Browser) -> None:
    assert create_token(ann) not in repr(resources.items("ApiTokens"))


def test_a_revoked_token_is_refused_from_the_next_request_on(ann: Browser) -> None:
    token = create_token(ann)
    [digest] = re.findall(r'name="revoke" value="(\w+)"', ann.visit("/users/token").page.text)

    ann.submit("", revoke=digest)

    assert Api(token=token).active().status == 401
    assert "You have no API tokens." in ann.page.text


def test_revoking_needs_a_confirmation(ann: Browser) -> None:
    create_token(ann)

    assert re.search(
        r'<details><summary[^>]*>Revoke</summary>(?:(?!</details>).)*name="revoke"', ann.page.text, re.DOTALL
    )


def test_a_token_may_have_an_end(ann: Browser) -> None:
    token = create_token(ann, days="2")
    caller = Api(token=token)

    before = caller.active().status
    caller.tick(days=2)

    assert (before, caller.active().status) == (200, 401)


@pytest.mark.parametrize("days", ["0", "-1", "3651", "soon", "1.5", "9" * 5000, "0000136500", "00001" + "9" * 20, "٣"])
def test_an_end_must_be_a_number_of_days(ann: Browser, days: str) -> None:
    before = len(resources.items("ApiTokens"))

    page = ann.visit("/users/token").submit("", days=days).page

    assert page.status == 422
    assert len(resources.items("ApiTokens")) == before


def test_nobody_revokes_another_owners_token(ann: Browser, bob: Api) -> None:
    digest = next(
        item["digest"]["S"]
        for item in resources.items("ApiTokens")
        if item.get("owner") == {"S": "name:bob@example.com"}
    )
    create_token(ann)

    ann.submit("", revoke=digest)

    assert bob.active().status == 200


@pytest.mark.parametrize("fields", [{"name": "x"}, {"revoke": "0"}])
def test_a_form_without_the_sessions_token_does_nothing(ann: Browser, fields: dict[str, str]) -> None:
    before = len(resources.items("ApiTokens"))

    page = ann.visit("/users/token").submit("", form_token="forged", **fields).page

    assert page.status == 403
    assert len(resources.items("ApiTokens")) == before


def test_a_stale_form_keeps_its_input_and_then_works(ann: Browser) -> None:
    ann.visit("/users/token")

    page = ann.submit("", form_token="of another session", name="my laptop", days="7").page
    ann.submit("")

    assert page.status == 403
    assert 'value="my laptop"' in page.text
    assert "signed in or out since" in page.text
    assert "<bdi>my laptop</bdi>" in ann.page.text


def test_invalid_days_keep_the_typed_name(ann: Browser) -> None:
    page = ann.visit("/users/token").submit("", name="my laptop", days="soon").page

    assert (page.status, 'value="my laptop"' in page.text, 'value="soon"' in page.text) == (422, True, True)


def test_an_ended_session_loses_no_typed_input(ann: Browser) -> None:
    typing = ann.visit("/users/token")
    auth.close_session(ann.session)

    page = typing.submit("", name="my laptop", days="7").page
    in_another_tab = Browser(cookies=ann.cookies).visit("/users/sign_in")
    in_another_tab.submit("/users/sign_in", email="ann@example.com", password=PASSWORD)
    typing.cookies = in_another_tab.cookies
    once_more = typing.submit("").page
    made = typing.submit("").page

    assert (page.status, 'value="my laptop"' in page.text) == (403, True)
    assert '<a href="/users/sign_in" target="_blank" rel="noopener">' in page.text
    assert "You have no API tokens" not in page.text
    assert (once_more.status, 'value="my laptop"' in once_more.text) == (403, True)
    assert (made.status, "<bdi>my laptop</bdi>" in made.text) == (200, True)


@pytest.mark.parametrize("fields", [{"revoke": "0" * 64}, {"name": "", "days": ""}])
def test_an_ended_session_without_input_leads_to_sign_in(ann: Browser, fields: dict[str, str]) -> None:
    ann.visit("/users/token")
    auth.close_session(ann.session)

    assert ann.submit("", **fields).at == "/users/sign_in"


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", ""])
@pytest.mark.parametrize("is_signed_in", [True, False])
def test_a_form_that_may_be_another_site_s_shows_nothing_again(ann: Browser, site: str, is_signed_in: bool) -> None:
    ann.visit("/users/token")
    if not is_signed_in:
        auth.close_session(ann.session)

    page = ann.submit("", {"sec-fetch-site": site}, form_token="", name="mallory").page

    assert page.status == (403 if is_signed_in else 200)  # otherwise it is the sign-in form
    assert "mallory" not in page.text


def test_a_name_is_shown_as_text(ann: Browser) -> None:
    create_token(ann, name="<b>\u202e")

    assert "<bdi>&lt;b&gt;\u202e</bdi>" in ann.visit("/users/token").page.text


@pytest.mark.parametrize("digest", ["", "0", "x" * 64, "0" * 3_000, "é", "\ud800"])
def test_an_invalid_digest_revokes_nothing(ann: Browser, digest: str) -> None:
    create_token(ann)
    before = resources.items("ApiTokens")

    body = urlencode({"revoke": digest, "form_token": auth.form_token(ann.session)}, errors="surrogatepass")
    event = ann.api.event("POST", "/users/token", headers={"content-type": FORM}, body=body.encode())
    event["cookies"] = [f"{SESSION_COOKIE}={ann.session}"]
    status = client.read(client.handle(event["routeKey"], event)).status

    assert status in (303, 400)
    assert resources.items("ApiTokens") == before


@pytest.mark.parametrize("form_token", ["é", "", "\x00"])
@pytest.mark.parametrize("path", ["/users/token", "/"])
def test_a_token_of_a_form_that_is_none_is_refused(ann: Browser, path: str, form_token: str) -> None:
    assert ann.visit(path).submit("", form_token=form_token, name="x").page.status == 403
