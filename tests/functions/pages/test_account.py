"""Accounts, on moto patched to answer like Cognito, and on MiniStack, which does so by itself."""

from datetime import timedelta
from urllib.parse import urlencode

import pytest

from shared.identity import auth
from shared.web.cookies import SESSION as SESSION_COOKIE
from tests.conftest import PASSWORD, Configure, People, signed_up
from tests.drivers.browser import FORM, Browser
from tests.drivers.client import START, Api, Context, read
from tests.engines import resources
from tests.meters import wire_tap

STRANGERS = "the stranger's own"
ANN = "ann@example.com"


@pytest.fixture(params=["moto", pytest.param("ministack", marks=[pytest.mark.e2e, pytest.mark.long])])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def signing_up(email: str = ANN, **fields: str) -> Browser:
    return Browser().visit("/users/sign_up").submit("/users/sign_up", email=email, **fields)


def signing_in(email: str = ANN, password: str = PASSWORD) -> Browser:
    later = Api(now=START + timedelta(minutes=1))  # after everything above
    return Browser(later).visit("/users/sign_in").submit("/users/sign_in", email=email, password=password)


def resetting(people: People, password: str) -> Browser:
    browser = Browser().visit("/users/password").submit("/users/password", email=ANN)
    return browser.submit("/users/new_password", code=people.code(ANN), password=password)


def test_a_stranger_s_sign_up_with_anns_address_gives_them_nothing(people: People) -> None:
    signing_up(password=STRANGERS)

    ann = signing_up().submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    assert (ann.at, ann.page.status) == ("/pushes", 200)
    stranger = signing_in(password=STRANGERS)
    assert (stranger.at, stranger.page.status, SESSION_COOKIE in stranger.cookies) == ("/users/sign_in", 401, False)


def test_a_later_sign_up_by_a_stranger_changes_nothing(people: People) -> None:
    ann = signing_up()
    signing_up(password=STRANGERS)

    ann.submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    assert ann.at == "/pushes"
    assert signing_in(password=STRANGERS).page.status == 401


def test_nobody_signs_in_before_the_code_with_any_password(people: People) -> None:
    signing_up(password=STRANGERS)

    pages = [signing_in(password=password).page for password in (STRANGERS, PASSWORD)]
    unknown = signing_in("nobody@example.com").page

    assert [page.status for page in pages] == [401, 401]
    assert {page.text.count("Wrong e-mail address or password.") for page in [*pages, unknown]} == {1}


def test_somebody_signs_up_confirms_and_signs_in(people: People) -> None:
    browser = signing_up("Ann@example.com")
    confirming = browser.at

    browser.submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    assert confirming == "/users/confirm"
    assert (browser.at, browser.page.status) == ("/pushes", 200)
    assert signing_in("ANN@example.com").owner == browser.owner


def test_after_a_crash_past_the_confirmation_the_next_code_works(people: People) -> None:
    browser = signing_up(password=STRANGERS)
    with wire_tap.answering("AdminSetUserPassword", "InternalErrorException"):
        killed = browser.submit("/users/confirm", code=people.code(ANN), password=PASSWORD).page
    tried = [signing_in(password=password).page.status for password in (PASSWORD, STRANGERS)]

    again = signing_up().submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    assert (killed.status, tried) == (503, [401, 401])
    assert again.at == signing_in().at == "/pushes"


def test_after_a_crash_before_the_confirmation_the_same_code_works(people: People) -> None:
    browser = signing_up(password=STRANGERS)
    code, form = people.code(ANN), browser.page
    with wire_tap.answering("ConfirmSignUp", "InternalErrorException"):
        killed = browser.submit("/users/confirm", code=code, password=PASSWORD).page
    tried = [signing_in(password=password).page.status for password in (PASSWORD, STRANGERS)]

    browser.page = form
    browser.submit("/users/confirm", code=code, password=PASSWORD)

    assert (killed.status, tried) == (503, [401, 401])
    assert browser.at == "/pushes"


@pytest.mark.parametrize("password", ["short", "x" * 257, " " + PASSWORD, PASSWORD + "\t", "a\nb" * 8, "😀" * 129])
def test_a_password_against_the_rules_leaves_the_code_unused(people: People, password: str) -> None:
    browser = signing_up()

    refused = browser.submit("/users/confirm", code=people.code(ANN), password=password).page
    browser.submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    assert refused.status == 422
    assert browser.at == "/pushes"


@pytest.mark.parametrize("password", ["x" * 256, "😀" * 128, "é x" * 4, "a\u200db" * 4])
def test_a_password_within_the_rules_is_taken_and_works(people: People, password: str) -> None:
    browser = signing_up().submit("/users/confirm", code=people.code(ANN), password=password)

    assert browser.at == signing_in(password=password).at == "/pushes"


def test_a_wrong_code_confirms_nothing(people: People) -> None:
    browser = signing_up().submit("/users/confirm", code="000000", password=PASSWORD)

    assert browser.page.status == 422
    assert signing_in().page.status == 401


def test_the_cookie_is_for_this_host_over_tls_and_no_script(ann: Browser) -> None:
    form = Browser().visit("/users/sign_in")
    event = form.api.event("POST", "/users/sign_in", headers={"content-type": FORM})
    event["cookies"] = [f"{name}={value}" for name, value in form.cookies.items()]
    event["body"] = f"email=ann%40example.com&password={PASSWORD}&form_token={auth.form_token(*form.cookies.values())}"
    from functions.pages import account

    [cookie] = account.handler(event, Context())["cookies"]

    name, *attributes = cookie.split("; ")
    assert name.startswith("__Host-session=")
    assert attributes == ["Max-Age=43200", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"]


@pytest.mark.parametrize(("email", "password"), [(ANN, "wrong"), ("nobody@example.com", PASSWORD)])
def test_a_wrong_password_and_an_unknown_address_are_refused_alike(ann: Browser, email: str, password: str) -> None:
    page = signing_in(email, password).page

    assert page.status == 401
    assert "Wrong e-mail address or password." in page.text
    assert password not in page.text


def test_signing_up_again_does_not_disclose_an_account(ann: Browser) -> None:
    known, fresh = signing_up(), signing_up("eve@example.com")

    assert known.at == fresh.at == "/users/confirm"
    assert without(known) == without(fresh).replace("eve@", "ann@")
    assert signing_in().at == "/pushes"


@pytest.mark.parametrize("form", ["confirm", "new_password", "sign_in"])
def test_a_link_fills_in_neither_an_address_nor_a_code(api: Api, form: str) -> None:
    page = Browser(api).visit(f"/users/{form}?email={ANN}&code=424242424242").page.text

    assert (f'value="{ANN}"' in page, "424242424242" in page) == (False, False)


@pytest.mark.parametrize("form", ["sign_up", "password"])
def test_the_next_form_knows_the_address_but_its_url_does_not(people: People, form: str) -> None:
    browser = Browser().visit(f"/users/{form}").submit(f"/users/{form}", email="Ann+1@example.com")

    assert browser.query == ""
    assert 'value="ann+1@example.com"' in browser.page.text


def test_after_a_reset_the_page_says_that_it_worked_without_the_address_in_its_url(
    ann: Browser, people: People
) -> None:
    browser = resetting(people, "another good password")

    assert (browser.at, browser.query) == ("/users/sign_in", "done=password")
    assert "Your new password is set. Please sign in with it." in browser.page.text
    assert f'value="{ANN}"' in browser.page.text


def test_a_sign_in_forgets_the_address(ann: Browser, people: People) -> None:
    browser = resetting(people, "another good password")
    browser.api.tick(minutes=1)

    browser.submit("/users/sign_in", password="another good password")

    assert browser.at == "/pushes"
    assert "__Host-address" not in browser.cookies


@pytest.mark.parametrize(
    "place", ["/users/token", "/users/account", f"/pushes/{'0' * 64}", "/pushes?state=expired&page=2"]
)
def test_sign_in_leads_to_where_one_was_going(ann: Browser, place: str) -> None:
    browser = Browser(Api(now=START + timedelta(minutes=1))).visit(place)
    browser.submit("/users/sign_in", email=ANN, password="not the password")

    browser.submit("/users/sign_in", email=ANN, password=PASSWORD)

    assert place == browser.at + (f"?{browser.query}" if browser.query else "")


ELSEWHERE = ["//evil.example", "/\\evil.example", "/%09/evil.example", "/\t/evil.example", "https://evil.example/"]
ELSEWHERE += [
    "/pushes\r\nset-cookie: a=b",
    "/pushes\n",
    "\\\\evil.example",
    "/p/x",
    "/pushes/../p/x",
    "/pushes//x",
    "javascript:1",
]
ELSEWHERE += [
    "/users/sign_out",
    "/pushes?x=//evil.example",
    "/pushes/a/b/c",
    "pushes",
    "/pushes\u2028",
    "/@evil.example",
]


@pytest.mark.parametrize("place", ELSEWHERE, ids=repr)
def test_a_forged_place_after_sign_in_is_ignored(ann: Browser, place: str) -> None:
    browser = Browser(Api(now=START + timedelta(minutes=1))).visit(f"/users/sign_in?{urlencode({'next': place})}")

    assert 'name="next"' not in browser.page.text

    browser.submit("/users/sign_in", email=ANN, password=PASSWORD, next=place)

    assert browser.at == "/pushes"


def test_requesting_a_code_does_not_disclose_an_account(ann: Browser) -> None:
    signing_up("eve@example.com")

    asked = [
        Browser().visit("/users/password").submit("/users/password", email=email)
        for email in (ANN, "eve@example.com", "nobody@example.com")
    ]

    assert {browser.at for browser in asked} == {"/users/new_password"}
    pages = {without(browser).replace("eve@", "ann@").replace("nobody@", "ann@") for browser in asked}
    assert len(pages) == 1


def without(browser: Browser) -> str:
    """Return the page without the fields that differ in every form."""
    return browser.page.text.replace(auth.form_token(browser.cookies["__Host-form"]), "")


def test_signing_out_ends_the_session_itself(ann: Browser) -> None:
    stolen = Browser(cookies=dict(ann.cookies))

    ann.submit("/users/sign_out")

    assert stolen.visit("/pushes").at == "/users/sign_in"
    assert ann.visit("/pushes").at == "/users/sign_in"


def test_signing_in_ends_the_session_that_was_there(ann: Browser, people: People) -> None:
    signed_up("eve@example.com", people)
    before = Browser(cookies=dict(ann.cookies))

    ann.visit("/users/sign_in").submit("/users/sign_in", email="eve@example.com", password=PASSWORD)

    assert ann.at == "/pushes"
    assert before.visit("/pushes").at == "/users/sign_in"


def test_a_session_ends_by_itself(ann: Browser) -> None:
    ann.api.tick(hours=12)

    assert ann.visit("/pushes").at == "/users/sign_in"


def test_a_link_signs_nobody_out(ann: Browser) -> None:
    ann.visit("/users/sign_out")

    assert ann.page.status == 404
    assert ann.visit("/pushes").at == "/pushes"


def test_a_password_reset_ends_all_sessions_and_api_tokens(ann: Browser, people: People) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)

    browser = resetting(people, "new password 123")

    browser.api.tick(minutes=1)
    assert ann.visit("/pushes").at == "/users/sign_in"
    assert Api(token=token).active().status == 401
    assert browser.submit("/users/sign_in", password="new password 123").at == "/pushes"


def test_signing_up_again_resets_the_password_of_a_confirmed_account(ann: Browser, people: People) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)

    again = signing_up().submit("/users/confirm", code=people.code(ANN), password="new password 123")

    assert (again.at, again.owner) == ("/pushes", owner_of(people))
    assert ann.visit("/pushes").at == "/users/sign_in"
    assert Api(token=token).active().status == 401


def owner_of(people: People) -> str:
    from shared.aws import cognito

    account = cognito.find(ANN)
    assert account is not None
    return account.owner


def test_a_session_is_no_api_token_and_an_api_token_no_session(ann: Browser) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)

    assert Api(token=ann.session).active().status == 401
    assert Browser(cookies={SESSION_COOKIE: token}).visit("/pushes").at == "/users/sign_in"


def test_only_digests_of_sessions_are_kept(ann: Browser) -> None:
    assert ann.session not in repr(resources.items("ApiTokens"))


def test_a_session_that_comes_twice_is_none(ann: Browser, people: People) -> None:
    eve = signed_up("eve@example.com", people)

    for values in ((ann.session, eve.session), (eve.session, ann.session), (ann.session, ann.session)):
        event = Api().event("GET", "/pushes")
        event["cookies"] = [f"{SESSION_COOKIE}={value}" for value in values]
        from functions.pages import my_pushes

        assert read(my_pushes.handler(event, Context())).headers["location"] == "/users/sign_in"


def test_a_cookie_of_the_old_name_is_no_session(ann: Browser) -> None:
    assert Browser(cookies={"session": ann.session}).visit("/pushes").at == "/users/sign_in"


def test_sign_up_can_be_switched_off(people: People, configure: Configure) -> None:
    configure(SIGN_UP="false")

    assert Browser().visit("/users/sign_up").page.status == 404
    assert "sign_up" not in Browser().visit("/users/sign_in").page.text


def test_an_account_that_is_deleted_and_made_again_is_another_owner(ann: Browser, people: People) -> None:
    first = ann.owner
    Api(token=auth.issue_api_token(first, "test", now=ann.api.now)).push(name="Of the first")
    resources.client("cognito-idp").admin_delete_user(UserPoolId=people.pool_id, Username=ANN)

    again = signed_up(ANN, people)

    assert again.owner != first
    assert "Of the first" not in again.visit("/pushes").page.text
