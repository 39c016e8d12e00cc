"""Sign-in by an OIDC provider, on the double of Cognito's hosted pages; test_provider_attacks.py has the attacks."""

import re
from html import unescape

import pytest

from shared.identity import auth
from shared.service import delivery
from shared.web import cookies
from shared.web.cookies import SESSION
from tests.conftest import HOME, PASSWORD, Configure, People, signed_up
from tests.doubles import hosted_sign_in
from tests.doubles.cognito import Cognito
from tests.doubles.hosted_sign_in import CAROL, Provider
from tests.drivers.browser import Browser
from tests.drivers.client import Answer, Api
from tests.drivers.provider_sign_in import leave, signed_in, way_back
from tests.engines import resources
from tests.functions.pages import test_my_account
from tests.meters import emf, wire_tap

UNVERIFIED = CAROL._replace(is_verified=False)


def record(owner: str) -> dict[str, dict[str, str]]:
    """Return an owner's record."""
    from shared.domain import owners

    key = f"owner {owners.locator(owner)}"
    return next(item for item in resources.items("ApiTokens") if item["digest"]["S"] == key)


def test_somebody_signs_in_by_the_provider(provider: Provider) -> None:
    carol = signed_in(provider)

    assert (carol.at, carol.page.status) == ("/pushes", 200)
    session = auth.find_session(carol.session, now=carol.api.now)
    assert session
    assert (session.address, session.username) == ("carol@example.com", "oidc_carol-1")
    assert re.fullmatch("account:[0-9a-f-]{36}", session.owner)
    assert record(session.owner)["username"] == {"S": "oidc_carol-1"}


def test_the_same_person_is_the_same_owner_with_another_address_too(provider: Provider) -> None:
    before = signed_in(provider)
    push = Api(token=auth.issue_api_token(before.owner, "test", now=before.api.now)).push()

    after = signed_in(provider, CAROL._replace(email="married@example.com"))

    assert after.owner == before.owner
    assert "married@example.com" in after.visit("/users/account").page.text
    assert push


def test_an_account_with_the_same_address_is_never_joined(provider: Provider, people: People) -> None:
    local = signed_up("carol@example.com", people)
    local.visit("/").submit("", **{"push[payload]": "s3cret", "push[name]": "Carol's own"})

    carol = signed_in(provider)

    assert carol.owner != local.owner
    assert "Carol&#39;s own" in local.visit("/pushes").page.text
    assert "Carol&#39;s own" not in carol.visit("/pushes").page.text


def test_a_sign_in_leads_to_where_one_was_going(provider: Provider) -> None:
    assert signed_in(provider, start="/users/token").at == "/users/token"
    assert signed_in(provider, start="/pushes?state=expired").query == "state=expired"


def test_a_sign_in_ends_the_session_before_it(provider: Provider, ann: Browser) -> None:
    before = ann.session

    carol = signed_in(provider, browser=ann)

    assert carol.owner != before
    assert auth.find_session(before, now=carol.api.now) is None


def test_the_button_has_the_provider_s_name_and_nothing_is_there_without_one(
    provider: Provider, configure: Configure
) -> None:
    assert "Sign in with <bdi>Example Inc</bdi>" in Browser().visit("/users/sign_in").page.text
    configure(OIDC_NAME="")

    assert "Sign in with" not in Browser().visit("/users/sign_in").page.text
    for path in ("/users/sign_in/provider", "/users/sign_in/callback", "/users/signed_out"):
        assert Browser().visit(path).page.status == 404


def test_a_refusal_by_the_provider_is_a_page_with_a_way_on(
    provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = leave(provider, start="/users/token")

    browser.visit(way_back(provider, browser, answer="no"))

    assert browser.page.status == 401
    assert emf.values(capsys.readouterr().out, "ProviderFailed", reason="access_denied") == [1.0]
    assert "That sign-in did not work. Please try again, or ask whoever runs this service." in browser.page.text
    assert 'href="/users/sign_in?next=%2Fusers%2Ftoken"' in browser.page.text
    assert SESSION not in browser.cookies


def test_signing_out_offers_cognito_s_end_of_its_session(provider: Provider) -> None:
    carol = signed_in(provider)

    carol.submit("/users/sign_out")

    assert (carol.at, SESSION in carol.cookies) == ("/users/signed_out", False)
    [link] = re.findall(f'href="({re.escape(provider.server.url)}[^"]*)"', carol.page.text)
    assert hosted_sign_in.redirect("GET", unescape(link)) == f"{HOME}/users/sign_in"


def test_signing_out_of_a_local_account_does_not(provider: Provider, ann: Browser) -> None:
    assert ann.visit("/pushes").submit("/users/sign_out").at == "/"


def test_an_account_of_the_provider_has_no_password_two_factor_or_delete_form(provider: Provider) -> None:
    carol = signed_in(provider).visit(test_my_account.PAGE)

    assert "You sign in with <bdi>Example Inc</bdi>." in carol.page.text
    assert "password" not in carol.page.text.partition("<main")[2].lower()
    assert "Two-factor" not in carol.page.text
    for action in ("password", "begin", "confirm", "end", "delete"):
        form = {
            "do": action,
            "password": PASSWORD,
            "new_password": PASSWORD,
            "form_token": auth.form_token(carol.session),
        }
        fields = "&".join(f"{name}={value}" for name, value in form.items()).encode()
        assert carol._request("POST", test_my_account.PAGE, fields).page.status == 403


def test_an_account_that_an_operator_linked_to_the_provider_keeps_its_password(
    provider: Provider, ann: Browser
) -> None:
    sub = ann.owner.removeprefix("account:")
    provider.endpoints.altered = {"sub": sub, "cognito:username": sub}

    linked = signed_in(provider)

    assert linked.owner == ann.owner
    assert 'name="new_password"' in linked.visit(test_my_account.PAGE).page.text


def test_whether_to_ask_for_a_second_factor_is_the_provider_s_decision(
    provider: Provider, configure: Configure
) -> None:
    configure(REQUIRE_TWO_FACTOR="true")

    assert signed_in(provider).at == "/pushes"


def test_an_address_that_is_not_verified_gets_no_mail_and_the_page_says_so(
    provider: Provider, configure: Configure
) -> None:
    configure(MAIL_FROM="push@example.com")
    carol = signed_in(provider, UNVERIFIED).visit(test_my_account.PAGE)

    assert "This e-mail address is not verified" in carol.page.text
    assert "notify_when_viewed" not in carol.page.text
    assert delivery.owner_address(carol.owner) == ""
    bearer = Api(token=auth.issue_api_token(carol.owner, "test", now=carol.api.now))
    for refused in (bearer.create(notify_emails_to="a@example.com"), mail_link(bearer, bearer.push())):
        assert refused.status == 422
        assert "your own address is not verified" in refused.text


@pytest.mark.parametrize(
    "address", ["ceo@a.example, carol@b.example", "carol@b.example\r\nBcc: x@a.example", "a" * 129]
)
def test_text_that_is_no_address_is_not_verified_whatever_the_provider_says(provider: Provider, address: str) -> None:
    carol = signed_in(provider, CAROL._replace(email=address)).visit("/asks/new")

    assert carol.page.status == 403
    assert delivery.owner_address(carol.owner) == ""


def mail_link(bearer: Api, url_token: str) -> Answer:
    return bearer.post(f"/api/v2/pushes/{url_token}/notify_emails", {"notify_emails_to": "a@example.com"})


def test_a_verified_address_is_that_of_mails_and_notices(provider: Provider, configure: Configure) -> None:
    configure(MAIL_FROM="push@example.com")
    carol = signed_in(provider).visit(test_my_account.PAGE)

    test_my_account.act(carol, "notices", notify_when_viewed="true")

    assert "Saved." in carol.page.text
    assert delivery.owner_address(carol.owner) == "carol@example.com"
    bearer = Api(token=auth.issue_api_token(carol.owner, "test", now=carol.api.now))
    assert mail_link(bearer, bearer.push()).status == 201


def test_without_passwords_there_is_only_the_button(provider: Provider, configure: Configure) -> None:
    configure(PASSWORD_SIGN_IN="false")

    browser = Browser().visit("/users/sign_in")

    assert "Sign in with" in browser.page.text
    assert "<form" not in browser.page.text
    assert "/users/sign_up" not in browser.page.text + browser.visit("/").page.text
    assert signed_in(provider).at == "/pushes"


@pytest.mark.parametrize("form", ["sign_in", "two_factor", "sign_up", "confirm", "password", "new_password"])
def test_without_passwords_every_local_way_is_shut(
    provider: Provider, ann: Browser, people: Cognito, configure: Configure, form: str
) -> None:
    stranger = Browser().visit("/users/sign_in")
    configure(PASSWORD_SIGN_IN="false")
    mails = len(people.mails)

    fields = {"email": "ann@example.com", "password": PASSWORD, "code": "1", "form_token": ""}
    fields["form_token"] = auth.form_token(stranger.cookies[cookies.FORM])
    sent = "&".join(f"{name}={value}" for name, value in fields.items()).encode()
    posted = stranger._request("POST", f"/users/{form}", sent).page.status

    assert posted == 404
    assert form == "sign_in" or stranger.visit(f"/users/{form}").page.status == 404
    assert SESSION not in stranger.cookies
    assert len(people.mails) == mails


def test_without_passwords_a_local_account_s_page_has_no_form_for_one(
    provider: Provider, ann: Browser, configure: Configure
) -> None:
    configure(PASSWORD_SIGN_IN="false")

    ann.visit(test_my_account.PAGE)

    assert 'type="password"' not in ann.page.text
    assert Browser().visit("/.well-known/change-password").page.status == 404


def test_a_disabled_account_ends_within_the_hour_and_signs_in_no_more(provider: Provider, people: People) -> None:
    carol = signed_in(provider)
    resources.client("cognito-idp").admin_disable_user(UserPoolId=people.pool_id, Username="oidc_carol-1")

    again = signed_in(provider)
    carol.api.tick(hours=1)

    assert again.page.status == 401
    assert carol.visit("/pushes").at == "/users/sign_in"


def test_cognito_is_asked_by_the_name_once_an_hour_and_for_api_tokens_too(provider: Provider) -> None:
    carol = signed_in(provider)
    bearer = Api(token=auth.issue_api_token(carol.owner, "test", now=carol.api.now))
    bearer.tick(hours=1)

    with wire_tap.calls() as calls:
        assert (bearer.active().status, bearer.active().status) == (200, 200)

    assert [sent["Username"] for name, sent in calls if name == "AdminGetUser"] == ["oidc_carol-1"]


def test_an_account_disabled_between_code_and_callback_is_refused(provider: Provider, people: People) -> None:
    browser = leave(provider)
    back = way_back(provider, browser)
    resources.client("cognito-idp").admin_disable_user(UserPoolId=people.pool_id, Username="oidc_carol-1")

    assert browser.visit(back).page.status == 401


def test_a_new_account_of_the_same_name_is_another_owner(provider: Provider, people: People) -> None:
    """Deleted and signed in again, the person has the same name in Cognito, and another `sub`."""
    before = signed_in(provider)
    owner = before.owner
    resources.client("cognito-idp").admin_delete_user(UserPoolId=people.pool_id, Username="oidc_carol-1")

    after = signed_in(provider)
    before.api.tick(hours=1)

    assert after.owner != owner
    assert before.visit("/pushes").at == "/users/sign_in"
    assert delivery.owner_address(owner) == ""
    assert delivery.owner_address(after.owner) == "carol@example.com"
