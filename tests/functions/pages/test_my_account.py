"""Owners and their own accounts, on moto patched to answer like Cognito, and on MiniStack."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from botocore.exceptions import ReadTimeoutError

from shared.aws import cognito_errors
from shared.identity import auth
from shared.web import site
from tests.conftest import PASSWORD, People
from tests.doubles.cognito import Cognito
from tests.drivers.browser import Browser, forms
from tests.drivers.client import Api
from tests.engines import resources
from tests.functions.pages.test_account import ANN, resetting, signing_in, signing_up
from tests.meters import wire_tap

PAGE = "/users/account"
NEW = "another password 1"


@pytest.fixture(params=["moto", pytest.param("ministack", marks=[pytest.mark.e2e, pytest.mark.long])])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def act(browser: Browser, do: str, **fields: str) -> Browser:
    """Send the account page's form with this action."""
    browser.visit(PAGE)
    [token] = {value for form in forms(browser.page.text) for name, value in form.fields if name == "form_token"}
    return browser.submit(PAGE, **fields | {"do": do, "form_token": token})


def begin(ann: Browser) -> str:
    """Start to turn on two-factor sign-in; return the secret for the app."""
    page = act(ann, "begin", password=PASSWORD).page.text
    [secret] = re.findall(r'id="secret"[^>]*>([A-Z2-7 ]+)<', page)
    return str(secret.replace(" ", ""))


def turned_on(ann: Browser, people: People) -> str:
    secret = begin(ann)
    ann.submit(PAGE, code=people.next_code(secret))
    assert "Two-factor sign-in is on." in ann.page.text
    ann.api.tick(minutes=1)
    return secret


# ---------------------------------------------------------------- the password


def test_the_current_password_is_required_to_change_it(ann: Browser, people: People) -> None:
    act(ann, "password", password=PASSWORD, new_password=NEW)

    assert "Your password is changed." in ann.page.text
    assert signing_in(password=PASSWORD).page.status == 401
    assert signing_in(password=NEW).at == "/pushes"


def test_a_changed_password_ends_all_other_sessions_and_api_tokens(ann: Browser) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)
    other, before = Browser(cookies=dict(ann.cookies)), ann.session

    act(ann, "password", password=PASSWORD, new_password=NEW)
    ann.api.tick(minutes=1)

    assert ann.session != before
    assert ann.visit("/pushes").at == "/pushes"
    assert other.visit("/pushes").at == "/users/sign_in"
    assert Api(token=token).active().status == 401


def test_an_end_of_all_sessions_includes_one_of_a_password_change(ann: Browser) -> None:
    def ended_by_both(owner: str, *, now: datetime) -> None:
        end_all(owner, now=now)
        end_all(owner, now=now + timedelta(milliseconds=1))  # by mail, from another browser
        time.sleep(0.01)

    end_all = auth.end_all_credentials
    with mock.patch.object(auth, "end_all_credentials", ended_by_both):
        act(ann, "password", password=PASSWORD, new_password=NEW)

    assert ann.visit("/pushes").at == "/users/sign_in"


@pytest.mark.parametrize(("password", "new"), [("wrong password 1", NEW), (PASSWORD, "short"), ("", NEW)])
def test_a_password_change_needs_the_current_one_and_a_valid_new_one(ann: Browser, password: str, new: str) -> None:
    page = act(ann, "password", password=password, new_password=new).page

    assert page.status in (401, 422)
    assert 'role="alert"' in page.text
    assert (password or new) not in page.text
    assert signing_in().at == "/pushes"


def test_a_new_password_against_the_rules_costs_no_try_and_no_code(ann: Browser) -> None:
    with wire_tap.calls() as calls:
        act(ann, "password", password=PASSWORD, new_password="short")

    assert "InitiateAuth" not in [name for name, _ in calls]


def test_a_session_of_an_address_that_is_anothers_by_now_changes_nothing(ann: Browser, people: People) -> None:
    resources.client("cognito-idp").admin_delete_user(UserPoolId=people.pool_id, Username=ANN)
    signing_up().submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    from shared.domain import errors
    from shared.identity import accounts

    with pytest.raises(errors.CredentialsRefused, match="password"):
        accounts.get_access_token(ann.owner, ANN, PASSWORD, "", now=ann.api.now)


# ---------------------------------------------------------------- two-factor sign-in


def test_two_factor_sign_in_asks_for_the_code_after_the_password(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)

    browser = signing_in()
    asked, owner = browser.page, "__Host-session" in browser.cookies
    browser.submit("/users/two_factor", code=people.next_code(secret))

    assert (asked.status, "Your password is right" in asked.text, owner) == (200, True, False)
    assert (browser.at, browser.owner) == ("/pushes", ann.owner)


def test_a_wrong_code_signs_nobody_in_and_the_next_one_does(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)

    browser = signing_in().submit("/users/two_factor", code="000000")
    refused = browser.page
    browser.submit("/users/two_factor", code=people.next_code(secret))

    assert (refused.status, "is wrong, or was used" in refused.text) == (422, True)
    assert browser.at == "/pushes"


@pytest.mark.parametrize("code", ["", "12345", "1234567", "x" * 5_000, "١٢٣٤٥٦", "\ud800"])
def test_an_impossible_code_is_not_even_tried(ann: Browser, people: People, code: str) -> None:
    turned_on(ann, people)
    browser = signing_in()

    with wire_tap.calls() as calls:
        page = browser.submit("/users/two_factor", code=code.encode("utf-8", "replace").decode()).page

    assert page.status == 422
    assert "RespondToAuthChallenge" not in [name for name, _ in calls]


def test_a_code_may_be_typed_as_apps_show_it(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)
    code = people.next_code(secret)

    assert signing_in().submit("/users/two_factor", code=f" {code[:3]} {code[3:]} ").at == "/pushes"


def test_the_state_of_a_sign_in_is_worth_nothing_at_another_browser(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)
    stolen = dict(next(form for form in forms(signing_in().page.text) if "two_factor" in form.action).fields)["state"]

    thief = signing_in().submit("/users/two_factor", state=stolen, code=people.next_code(secret))
    forged = signing_in().submit("/users/two_factor", state="AAAA", code=people.next_code(secret))

    for browser in (thief, forged):
        assert (browser.page.status, "__Host-session" in browser.cookies) == (401, False)
        assert "Please begin again." in browser.page.text
        assert 'name="password"' in browser.page.text


def test_a_new_password_by_mail_leads_past_no_second_step(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)

    browser = resetting(people, NEW)
    browser.api.tick(minutes=2)
    browser.submit("/users/sign_in", password=NEW)

    assert ("__Host-session" in browser.cookies, browser.at) == (False, "/users/sign_in")
    assert browser.submit("/users/two_factor", code=people.next_code(secret)).at == "/pushes"


def test_signing_up_again_leads_past_no_second_step(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)

    later = Browser(Api(now=ann.api.now))
    browser = later.visit("/users/sign_up").submit("/users/sign_up", email=ANN)
    browser.submit("/users/confirm", code=people.code(ANN), password=NEW)

    assert ("__Host-session" in browser.cookies, browser.at) == (False, "/users/confirm")
    browser.api.tick(minutes=2)
    assert browser.submit("/users/two_factor", code=people.next_code(secret)).at == "/pushes"


def test_a_sign_in_that_began_before_a_reset_ends_with_it(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)
    thief = signing_in()
    later = Api(now=thief.api.now + timedelta(seconds=30))

    owner = Browser(later).visit("/users/password").submit("/users/password", email=ANN)
    owner.submit("/users/new_password", code=people.code(ANN), password=NEW)
    thief.api.tick(minutes=1)
    thief.submit("/users/two_factor", code=people.next_code(secret))

    assert thief.at == "/users/sign_in"


def test_nothing_is_on_before_the_app_has_shown_that_it_works(ann: Browser, people: People) -> None:
    begin(ann)
    page = ann.submit(PAGE, code="000000").page

    assert (page.status, "is wrong, or was used" in page.text, 'id="secret"' in page.text) == (422, True, True)
    assert signing_in().at == "/pushes"


def test_a_wrong_first_code_leaves_the_secret_that_was_scanned(ann: Browser, people: People) -> None:
    secret = begin(ann)

    ann.submit(PAGE, code="000000").submit(PAGE, code=people.next_code(secret))

    assert "Two-factor sign-in is on." in ann.page.text


def test_the_app_s_qr_code_names_the_account(ann: Browser) -> None:
    secret = begin(ann)

    [uri] = re.findall(r'href="(otpauth:[^"]+)"', ann.page.text)
    parts = urlsplit(uri.replace("&amp;", "&"))
    assert unquote(parts.path) == f"/{site.operator_brand().name}:{ANN}"
    assert parse_qs(parts.query) == {"secret": [secret], "issuer": [site.operator_brand().name]}


def test_the_step_for_the_code_keeps_the_place_to_go_to(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)
    browser = Browser(ann.api).visit("/users/token").submit("/users/sign_in", email=ANN, password=PASSWORD)
    browser.submit("/users/two_factor", code="000000")

    assert browser.submit("/users/two_factor", code=people.next_code(secret)).at == "/users/token"


def test_turning_two_factor_off_needs_both_password_and_code(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)
    other = Browser(ann.api, cookies=dict(ann.cookies))

    refused = [
        act(ann, "end", password=PASSWORD).page.status,
        act(ann, "end", password=PASSWORD, code="000000").page.status,
        act(ann, "end", password="wrong password 1", code=people.next_code(secret)).page.status,
    ]
    act(ann, "end", password=PASSWORD, code=people.next_code(secret))

    assert refused == [422, 422, 401]
    assert "Two-factor sign-in is off." in ann.page.text
    ann.api.tick(minutes=1)
    assert other.visit("/pushes").at == "/users/sign_in"
    assert other.submit("/users/sign_in", email=ANN, password=PASSWORD).at == "/pushes"


def test_api_tokens_go_on_working_when_two_factor_is_turned_on(ann: Browser, people: People) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)

    turned_on(ann, people)

    assert Api(token=token).active().status == 200


def test_with_two_factor_on_the_password_changes_by_both(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)

    refused = act(ann, "password", password=PASSWORD, new_password=NEW).page.status
    act(ann, "password", password=PASSWORD, new_password=NEW, code=people.next_code(secret))

    assert refused == 422
    assert "Your password is changed." in ann.page.text


# ---------------------------------------------------------------- deletion


def test_deleting_an_account_ends_its_credentials_and_keeps_its_links(ann: Browser, people: People) -> None:
    token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)
    url_token = Api(token=token).push("s3cret")
    other = Browser(cookies=dict(ann.cookies))

    act(ann, "delete", password=PASSWORD)

    assert (ann.at, "__Host-session" in ann.cookies) == ("/users/deleted", False)
    assert other.visit("/pushes").at == "/users/sign_in"
    assert Api(token=token).active().status == 401
    assert Api().retrieve(url_token).json["payload"] == "s3cret"
    assert signing_in().page.status == 401


def test_deleting_an_account_needs_its_password(ann: Browser) -> None:
    page = act(ann, "delete", password="wrong password 1").page

    assert (page.status, "Wrong password." in page.text) == (401, True)
    assert signing_in().at == "/pushes"


def test_the_page_says_how_a_deletion_affects_the_account_s_links(ann: Browser) -> None:
    said = ann.visit(PAGE).page.text.partition('id="delete-title"')[2].partition("</section>")[0]

    assert "Links that you have sent go on working until they expire." in said
    assert "nobody can see their record or delete them early any more" in said


# ---------------------------------------------------------------- the forms


@pytest.mark.parametrize("do", ["password", "begin", "confirm", "end", "delete"])
def test_a_form_without_the_sessions_token_changes_nothing(ann: Browser, do: str) -> None:
    ann.visit(PAGE)

    with wire_tap.calls() as calls:
        page = ann.submit(PAGE, do=do, password=PASSWORD, new_password=NEW, form_token="forged").page

    assert (page.status, 'role="alert"' in page.text) == (403, True)
    assert {name for name, _ in calls} <= {"BatchGetItem", "AdminGetUser", "UpdateItem"}


def test_an_unknown_action_of_the_page_is_rejected(ann: Browser) -> None:
    assert act(ann, "promote", password=PASSWORD).page.status == 403


def test_a_state_of_another_form_turns_nothing_on(ann: Browser, people: People) -> None:
    secret = turned_on(ann, people)
    act(ann, "end", password=PASSWORD, code=people.next_code(secret))

    page = act(ann, "confirm", state="AAAA", code=people.next_code(secret)).page

    assert (page.status, "Please begin again." in page.text) == (401, True)


def test_only_the_signed_in_see_the_page() -> None:
    assert Browser().visit(PAGE).at == "/users/sign_in"


def test_an_operators_name_has_no_account(aws: None) -> None:
    session = auth.open_session("name:bob", now=Api().now, address="bob")

    assert Browser(cookies={"__Host-session": session}).visit(PAGE).page.status == 404


class TestCodes:
    """Cognito does not document its limits for codes, so we have one."""

    @pytest.fixture
    def backend(self) -> str:
        return "moto"

    def test_a_code_counts_once(self, ann: Browser, people: Cognito) -> None:
        secret = turned_on(ann, people)
        code = people.next_code(secret)
        signing_in().submit("/users/two_factor", code=code)

        assert signing_in().submit("/users/two_factor", code=code).page.status == 422

    def test_a_sign_in_that_took_too_long_begins_again(self, ann: Browser, people: Cognito) -> None:
        secret = turned_on(ann, people)
        browser = signing_in()
        people.apps.lapse()

        page = browser.submit("/users/two_factor", code=people.next_code(secret)).page

        assert (page.status, "Please begin again." in page.text, 'name="password"' in page.text) == (401, True, True)

    def test_nothing_is_on_where_cognito_answers_that_it_failed(self, ann: Browser, people: Cognito) -> None:
        secret = begin(ann)
        people.apps.status = "ERROR"

        page = ann.submit(PAGE, code=people.next_code(secret)).page

        assert (page.status, "is wrong, or was used" in page.text) == (422, True)
        assert signing_in().at == "/pushes"

    def test_codes_can_not_be_guessed_on_and_on(self, ann: Browser, people: Cognito) -> None:
        secret = turned_on(ann, people)

        tried = [signing_in().submit("/users/two_factor", code=f"00000{n}").page.status for n in range(10)]
        right = signing_in().submit("/users/two_factor", code=people.next_code(secret)).page

        assert set(tried) == {422}
        assert right.status == 429


class TestLostAnswers:
    """Cognito did its work, its response was lost, and the SDK sent the call again."""

    @pytest.fixture
    def backend(self) -> str:
        return "moto"

    @pytest.mark.parametrize("has_two_factor", [False, True])
    def test_a_password_that_was_changed_counts_as_changed(
        self, ann: Browser, people: People, has_two_factor: bool
    ) -> None:
        code = people.next_code(turned_on(ann, people)) if has_two_factor else ""
        other = Browser(ann.api, cookies=dict(ann.cookies))

        with asked_twice("ChangePassword"):
            act(ann, "password", password=PASSWORD, new_password=NEW, code=code)
        ann.api.tick(minutes=1)

        assert "Your password is changed." in ann.page.text
        assert other.visit("/pushes").at == "/users/sign_in"

    def test_after_a_concurrent_change_of_password_the_form_starts_again(self, ann: Browser, people: People) -> None:
        def change() -> None:
            others = {"Username": ANN, "Password": "somebody else's 1", "Permanent": True}
            resources.client("cognito-idp").admin_set_user_password(UserPoolId=people.pool_id, **others)

        with wire_tap.before_first("ChangePassword", change):
            page = act(ann, "password", password=PASSWORD, new_password=NEW).page

        assert (page.status, "Please begin again." in page.text) == (401, True)

    def test_no_other_session_outlives_a_switch_to_two_factor_whose_answer_is_lost(
        self, ann: Browser, people: People
    ) -> None:
        other = signing_in()
        ann.api.tick(minutes=1)
        code = people.next_code(begin(ann))

        with lost_from("SetUserMFAPreference"):
            status = ann.submit(PAGE, code=code).page.status
        other.api.now = ann.api.now

        assert status == 503
        assert "Your password is right." in signing_in().page.text
        assert other.visit("/pushes").at == "/users/sign_in"

    def test_a_wrong_code_for_the_app_ends_no_other_session(self, ann: Browser) -> None:
        other = signing_in()
        ann.api.tick(minutes=1)
        begin(ann)

        ann.submit(PAGE, code="000000")
        other.api.now = ann.api.now

        assert other.visit("/pushes").at == "/pushes"

    def test_an_account_that_is_deleted_counts_as_deleted(self, ann: Browser) -> None:
        token = auth.issue_api_token(ann.owner, "test", now=ann.api.now)

        with asked_twice("DeleteUser"):
            act(ann, "delete", password=PASSWORD)

        assert ann.at == "/users/deleted"
        assert Api(token=token).active().status == 401

    @pytest.mark.parametrize("code", cognito_errors.ONE_TIME_CODE_REFUSED)
    def test_other_code_errors_of_cognito_are_no_server_error(self, ann: Browser, people: People, code: str) -> None:
        turned_on(ann, people)
        browser = signing_in()

        with wire_tap.answering("RespondToAuthChallenge", code):
            page = browser.submit("/users/two_factor", code="123456").page

        assert (page.status in (401, 422, 429), 'role="alert"' in page.text) == (True, True)


def asked_twice(operation: str) -> AbstractContextManager[None]:
    """Let each call of an operation reach AWS twice."""

    def ask(_client: object, call: Callable[[], Any], name: str, _parameters: dict[str, Any]) -> Any:
        if name == operation:
            call()
        return call()

    return wire_tap.around(ask)


@contextmanager
def lost_from(operation: str) -> Iterator[None]:
    """Lose the answer of an operation that took effect; no later call arrives."""
    lost: list[bool] = []

    def lose(_client: Any, call: Callable[[], Any], name: str, _parameters: dict[str, Any]) -> Any:
        if not lost and name != operation:
            return call()
        if not lost:
            call()
        lost.append(True)
        raise ReadTimeoutError(endpoint_url="http://aws.test")

    with wire_tap.around(lose):
        yield
    assert lost
