import pytest

from shared import auth
from tests import engine
from tests.browser import Browser
from tests.client import Api
from tests.conftest import PASSWORD, Configure


@pytest.mark.usefixtures("people")
def test_somebody_signs_up_confirms_and_signs_in() -> None:
    browser = Browser()

    browser.visit("/users/sign_up").submit(email="Ann@example.com", password=PASSWORD)
    confirming = browser.at
    browser.submit("/users/confirm", code="123456").submit("/users/sign_in", password=PASSWORD)

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
