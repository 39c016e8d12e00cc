import pytest

from infra import template
from shared import accounts, auth, errors
from tests import engine, wire_tap
from tests.browser import Browser
from tests.client import Api
from tests.conftest import PASSWORD, Configure

RESEND = "ResendConfirmationCode"  # moto does not know it
FORMS = ["sign_up", "confirm", "sign_in", "password", "new_password"]
FIELDS = {"email": "ann@example.com", "code": "123456", "password": PASSWORD}


@pytest.mark.usefixtures("people")
def test_somebody_signs_up_confirms_and_signs_in() -> None:
    browser = Browser()

    browser.visit("/users/sign_up").submit(email="Ann@example.com", password=PASSWORD)
    confirming = browser.at
    browser.submit("/users/confirm", code="123456", password=PASSWORD)

    assert confirming == "/users/confirm"
    assert (browser.at, browser.page.status) == ("/pushes", 200)


def test_the_cookie_is_for_this_host_and_no_script(ann: Browser) -> None:
    event = ann.api.event(
        "POST",
        "/users/sign_in",
        headers={"content-type": "application/x-www-form-urlencoded"},
        body=f"email=ann%40example.com&password={PASSWORD}".encode(),
    )
    from functions.pages import account

    [cookie] = account.handler(event, None)["cookies"]

    name, *attributes = cookie.split("; ")
    assert name.startswith("session=")
    assert attributes == ["Path=/", "Max-Age=43200", "HttpOnly", "Secure", "SameSite=Lax"]


@pytest.mark.parametrize(("email", "password"), [("ann@example.com", "wrong"), ("nobody@example.com", PASSWORD)])
def test_a_wrong_password_and_an_unknown_address_are_refused_alike(ann: Browser, email: str, password: str) -> None:
    page = Browser().visit("/users/sign_in").submit(email=email, password=password).page

    assert page.status == 401
    assert "The e-mail address or the password is not right." in page.text
    assert password not in page.text


def test_signing_up_again_tells_nobody_that_there_is_an_account(ann: Browser) -> None:
    with wire_tap.answering(RESEND, "InvalidParameterException"):  # as Cognito does of an account that is confirmed
        known = Browser().visit("/users/sign_up").submit(email="ann@example.com", password="another password")
    fresh = Browser().visit("/users/sign_up").submit(email="eve@example.com", password="another password")

    assert known.at == fresh.at == "/users/confirm"
    assert (
        Browser().visit("/users/sign_in").submit(email="ann@example.com", password="another password").page.status
        == 401
    )


def test_signing_out_ends_the_session_itself(ann: Browser) -> None:
    stolen = Browser(cookies=dict(ann.cookies))

    ann.submit("/users/sign_out")

    assert stolen.visit("/pushes").at == "/users/sign_in"
    assert ann.visit("/pushes").at == "/users/sign_in"


def test_a_session_ends_by_itself(ann: Browser) -> None:
    ann.api.tick(hours=12)

    assert ann.visit("/pushes").at == "/users/sign_in"


def test_a_link_signs_nobody_out(ann: Browser) -> None:
    ann.visit("/users/sign_out")

    assert ann.page.status == 404
    assert ann.visit("/pushes").at == "/pushes"


def test_a_forgotten_password_is_set_anew_and_ends_all_sessions(ann: Browser) -> None:
    browser = Browser().visit("/users/password").submit(email="ann@example.com")

    browser.submit("/users/new_password", code="123456", password="new password 123")

    assert ann.visit("/pushes").at == "/users/sign_in"
    assert browser.submit("/users/sign_in", password="new password 123").at == "/pushes"


@pytest.mark.usefixtures("people")
def test_a_code_for_an_unknown_address_looks_like_any() -> None:
    assert Browser().visit("/users/password").submit(email="nobody@example.com").at == "/users/new_password"


@pytest.mark.usefixtures("people")
def test_sign_up_can_be_switched_off(configure: Configure) -> None:
    configure(SIGN_UP="false")

    assert Browser().visit("/users/sign_up").page.status == 404
    assert "sign_up" not in Browser().visit("/users/sign_in").page.text


def test_a_session_is_no_api_token_and_an_api_token_no_session(ann: Browser) -> None:
    token = auth.issue_api_token("ann@example.com", "test", now=ann.api.now)

    assert Api(token=ann.cookies["session"]).active().status == 401
    assert Browser(cookies={"session": token}).visit("/pushes").at == "/users/sign_in"


def test_only_digests_of_sessions_are_kept(ann: Browser) -> None:
    assert ann.cookies["session"] not in repr(engine.items("ApiTokens"))


@pytest.mark.parametrize("path", ["/pushes", "/users/token", f"/pushes/{'0' * 64}"])
def test_pages_of_owners_ask_strangers_to_sign_in(api: Api, path: str) -> None:
    assert Browser(api).visit(path).at == "/users/sign_in"


@pytest.mark.parametrize("form", ["sign_in", "sign_up", "password", "new_password", "confirm"])
@pytest.mark.usefixtures("people")
def test_a_form_on_another_site_signs_nobody_in(form: str) -> None:
    browser = Browser().visit(f"/users/{form}")

    page = browser.submit(None, {"sec-fetch-site": "cross-site"}, email="ann@example.com", password=PASSWORD).page

    assert page.status == 403
    assert browser.cookies == {}


def test_an_address_in_a_link_is_shown_as_text(api: Api) -> None:
    page = Browser(api).visit("/users/sign_in?email=%22%3E%3Cscript%3E").page.text

    assert "<script>" not in page


@pytest.mark.usefixtures("people")
def test_signing_up_again_sends_whoever_lost_the_code_a_new_one() -> None:
    Browser().visit("/users/sign_up").submit(email="ann@example.com", password=PASSWORD)

    with wire_tap.answering(RESEND) as sent:
        browser = Browser().visit("/users/sign_up").submit(email="ann@example.com", password=PASSWORD)

    assert sent == [RESEND]
    assert browser.at == "/users/confirm"


@pytest.mark.usefixtures("people")
def test_nobody_confirms_an_account_that_a_stranger_made_with_their_address() -> None:
    Browser().visit("/users/sign_up").submit(email="ann@example.com", password="the stranger's")
    with wire_tap.answering(RESEND):
        ann = Browser().visit("/users/sign_up").submit(email="ann@example.com", password=PASSWORD)

    refused = ann.submit("/users/confirm", code="123456", password=PASSWORD).page
    stranger = Browser().visit("/users/sign_in").submit(email="ann@example.com", password="the stranger's")

    assert refused.status == 401
    assert stranger.page.status == 403
    assert stranger.cookies == {}


def test_a_password_that_is_too_short_is_refused_alike_whether_there_is_an_account_or_not(ann: Browser) -> None:
    for form in ("sign_up", "new_password"):
        pages = [
            Browser().visit(f"/users/{form}").submit(email=email, code="1", password="short").page
            for email in ("ann@example.com", "nobody@example.com")
        ]
        assert [page.status for page in pages] == [422, 422]
        assert pages[0].text.replace("ann@", "nobody@") == pages[1].text


def test_the_password_is_as_long_as_the_pool_asks_for() -> None:
    [pool] = template.resources("AWS::Cognito::UserPool").values()
    shown = Browser().visit("/users/sign_up").page.text

    assert pool["Policies"]["PasswordPolicy"]["MinimumLength"] == accounts.MIN_PASSWORD
    assert f"at least {accounts.MIN_PASSWORD} characters" in shown
    assert f"at least {accounts.MIN_PASSWORD} characters" in errors.PasswordRefused.sentence


def test_where_sign_up_is_off_cognito_itself_takes_none() -> None:
    [pool] = template.resources("AWS::Cognito::UserPool").values()

    assert pool["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": {"Fn::If": ["SignsUp", False, True]}}
    assert template.load()["Conditions"]["SignsUp"] == {"Fn::Equals": [{"Ref": "SignUp"}, "true"]}


@pytest.mark.parametrize("blank", ["", " "], ids=repr)
@pytest.mark.parametrize(
    ("form", "field"),
    [
        *[(form, "email") for form in ("sign_up", "confirm", "sign_in", "new_password")],
        *[(form, "code") for form in ("confirm", "new_password")],
        *[(form, "password") for form in ("sign_up", "confirm", "sign_in", "new_password")],
    ],
)
def test_a_blank_field_is_refused(ann: Browser, form: str, field: str, blank: str) -> None:
    with wire_tap.answering(RESEND):
        browser = Browser().visit(f"/users/{form}").submit(**FIELDS | {field: blank})

    assert browser.page.status in {401, 403, 422}
    assert browser.cookies == {}


@pytest.mark.usefixtures("people")
def test_a_code_for_no_address_at_all_looks_like_any() -> None:
    assert Browser().visit("/users/password").submit(email="").at == "/users/new_password"


@pytest.mark.parametrize("form", ["sign_up", "password"])
def test_who_asks_too_often_learns_nothing_of_an_account(ann: Browser, form: str) -> None:
    with (
        wire_tap.answering("ForgotPassword", "LimitExceededException"),
        wire_tap.answering(RESEND, "LimitExceededException"),
    ):
        browser = Browser().visit(f"/users/{form}").submit(**FIELDS)

    assert browser.page.status == 200
    assert browser.at in ("/users/confirm", "/users/new_password")


def test_a_password_that_an_operator_set_for_a_while_signs_nobody_in(ann: Browser) -> None:
    with wire_tap.answering("InitiateAuth"):  # with a challenge, and no tokens
        browser = Browser().visit("/users/sign_in").submit(**FIELDS)

    assert browser.page.status == 401
    assert browser.cookies == {}


OPERATIONS = {
    "sign_up": "SignUp",
    "confirm": "ConfirmSignUp",
    "sign_in": "InitiateAuth",
    "password": "ForgotPassword",
    "new_password": "ConfirmForgotPassword",
}


@pytest.mark.parametrize("code", accounts._REFUSALS)
@pytest.mark.parametrize("form", FORMS)
def test_whatever_cognito_refuses_is_said_beside_the_form(ann: Browser, form: str, code: str) -> None:
    shown = Browser().visit(f"/users/{form}")

    with wire_tap.answering(OPERATIONS[form], code):
        page = shown.submit(**FIELDS).page

    assert page.status in {200, 401, 403, 422, 429}
    assert page.status != 200 or form == "password"  # which tells nobody whether there is such an account
    assert page.status == 200 or 'role="alert"' in page.text


@pytest.mark.parametrize("form", FORMS)
def test_when_cognito_fails_the_page_says_when_to_try_again(ann: Browser, form: str) -> None:
    shown = Browser().visit(f"/users/{form}")

    with wire_tap.answering(OPERATIONS[form], "InternalErrorException"):
        page = shown.submit(**FIELDS).page

    assert (page.status, page.headers["retry-after"]) == (503, "2")


def test_a_session_is_no_api_token_by_any_header(ann: Browser) -> None:
    value = ann.cookies["session"]

    for sent in (value, f"session {value}"):
        for name in ("x-user-token", "authorization"):
            headers = {name: sent if name == "x-user-token" else f"Bearer {sent}"}
            assert Api().request("GET", "/api/v2/pushes/active", headers=headers).status == 401
