"""Rejected account forms, undisclosed errors, and the number of mails; on moto patched to answer like AWS."""

import json

import pytest

from infra.build import conditions, template
from shared.aws import cognito_errors
from shared.domain import account_rules, errors
from shared.domain.account_rules import MAX_ADDRESS
from shared.identity import mail_limits
from tests.conftest import PASSWORD
from tests.doubles.cognito import RESET, SIGN_UP, Cognito
from tests.drivers.browser import Browser
from tests.drivers.client import Api
from tests.functions.pages.test_account import ANN, resetting, signing_in, signing_up
from tests.meters import emf, wire_tap

FORMS = ["sign_up", "confirm", "sign_in", "password", "new_password"]
FIELDS = {"email": ANN, "code": "123456", "password": PASSWORD}
OPERATIONS = {
    "sign_up": "SignUp",
    "confirm": "ConfirmSignUp",
    "sign_in": "InitiateAuth",
    "password": "ForgotPassword",
    "new_password": "ConfirmForgotPassword",
}
MAILING = ["sign_up", "password"]


def sending(form: str, ip: str = "192.0.2.1", **fields: str) -> Browser:
    return Browser(Api(ip=ip)).visit(f"/users/{form}").submit(f"/users/{form}", **FIELDS | fields)


# ---------------------------------------------------------------- mails and their timing


def test_signing_up_again_sends_another_code(people: Cognito) -> None:
    signing_up()
    signing_up()

    assert [mail.purpose for mail in people.mails] == [SIGN_UP, SIGN_UP]


def test_signing_up_with_a_confirmed_address_mails_a_reset_code(ann: Browser, people: Cognito) -> None:
    signing_up()

    assert [mail.purpose for mail in people.mails] == [SIGN_UP, RESET]


def test_no_mail_goes_to_an_address_without_an_account(people: Cognito) -> None:
    sending("password", email="nobody@example.com")

    assert people.mails == []


@pytest.mark.parametrize("form", ["confirm", "new_password"])
def test_a_form_with_a_short_password_keeps_the_typed_code(people: Cognito, form: str) -> None:
    page = sending(form, code="424242", password="short").page

    assert (
        page.status,
        'value="424242"' in page.text,
        "short" in page.text.partition("<form")[2].partition("</form>")[0],
    ) == (
        422,
        True,
        False,
    )


@pytest.mark.parametrize("form", ["confirm", "new_password"])
def test_a_code_sets_a_password_once(ann: Browser, people: Cognito, form: str) -> None:
    resetting(people, "new password 123")

    again = sending(form, code=people.code(ANN), password="newer password 123")

    assert again.page.status == 422
    assert signing_in(password="newer password 123").page.status == 401


def test_cognito_gets_the_hash_of_a_secret_that_no_environment_holds(people: Cognito) -> None:
    app = template.resources("AWS::Cognito::UserPoolClient")["UserPoolClient"]
    with wire_tap.calls() as calls:
        signing_up().submit("/users/confirm", code=people.code(ANN), password=PASSWORD)
        resetting(people, PASSWORD)
        signing_in()

    assert app["GenerateSecret"] is True
    assert "ClientSecret" not in json.dumps(template.environment())
    seen = [name for name, _ in calls]
    assert set(OPERATIONS.values()) <= set(seen)
    assert seen.count("DescribeUserPoolClient") == 1


# ---------------------------------------------------------------- number of mails


@pytest.mark.parametrize(("form", "entry"), [("sign_up", "confirm"), ("password", "new_password")])
def test_an_address_with_or_without_account_gets_five_mails_an_hour_then_a_link_for_the_code(
    ann: Browser, form: str, entry: str
) -> None:
    for email in (ANN, "nobody@example.com"):
        spent = 1 if email == ANN else 0  # ann has had one
        pages = [sending(form, f"192.0.2.{number}", email=email).page for number in range(6 - spent)]

        assert [page.status for page in pages] == [200] * (5 - spent) + [429]
        assert pages[-1].headers["retry-after"] == "3600"
        assert f'id="problem">{mail_limits._SENTENCE}' in pages[-1].text
        assert f'href="/users/{entry}"' in pages[-1].text


def test_subaddresses_share_a_quota_of_mails_with_their_address(people: Cognito) -> None:
    pages = [sending("sign_up", f"192.0.2.{n}", email=f"Ann+{n}@example.com").page for n in range(6)]

    assert [page.status for page in pages] == [200] * 5 + [429]


@pytest.mark.parametrize("form", MAILING)
def test_an_address_with_a_dot_at_its_end_gets_no_mail(people: Cognito, form: str) -> None:
    page = sending(form, email=f"{ANN}.").page

    assert (page.status, people.mails) == (422, [])


def test_sign_up_and_reset_share_a_quota_of_mails(people: Cognito) -> None:
    pages = [sending(form).page for form in ["sign_up", "password"] * 3]

    assert [page.status for page in pages] == [200] * 5 + [429]
    assert [mail.purpose for mail in people.mails] == [SIGN_UP] * 3  # a reset needs a confirmed address


@pytest.mark.parametrize("network", ["192.0.2.1", "2001:db8:1:2:{}::1"])
def test_a_source_may_ask_for_twenty_mails_an_hour(people: Cognito, network: str) -> None:
    statuses = [
        sending("sign_up", network.format(number), email=f"{number}@example.com").page.status for number in range(21)
    ]

    assert statuses == [200] * 20 + [429]
    assert len(people.mails) == 20
    assert sending("sign_up", "198.51.100.7").page.status == 200


def test_an_hour_later_there_are_mails_again(people: Cognito) -> None:
    for _ in range(6):
        sending("sign_up")
    later = Api()
    later.tick(hours=1)

    page = Browser(later).visit("/users/sign_up").submit("/users/sign_up", email=ANN).page

    assert page.status == 200


# ---------------------------------------------------------------- counted, but not disclosed


def test_signing_up_makes_the_same_calls_with_or_without_an_account(ann: Browser, people: Cognito) -> None:
    made: dict[str, list[list[str]]] = {}
    for email in ("new@example.com", ANN, "new@example.com"):  # unknown, confirmed, and unconfirmed
        with wire_tap.calls() as calls:
            page = sending("sign_up", email=email).page
        made.setdefault(email, []).append([name for name, _ in calls])
        assert page.status == 200

    (unknown, waiting), [confirmed] = made["new@example.com"], made[ANN]
    assert unknown == confirmed
    assert waiting == [*confirmed[:-1], "ResendConfirmationCode"]
    assert [(mail.address, mail.purpose) for mail in people.mails[1:]] == [
        ("new@example.com", SIGN_UP),
        (ANN, RESET),
        ("new@example.com", SIGN_UP),
    ]


@pytest.mark.parametrize("code", sorted(cognito_errors._MAIL_REFUSED))
@pytest.mark.parametrize("form", MAILING)
def test_a_mail_rejected_by_cognito_is_counted_but_not_disclosed(
    ann: Browser, form: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    with wire_tap.answering(OPERATIONS[form], code):
        browser = sending(form)

    assert (browser.page.status, browser.at) == (200, f"/users/{'confirm' if form == 'sign_up' else 'new_password'}")
    printed = capsys.readouterr().out
    assert emf.values(printed, "MailRefused", reason=code) == [1.0]
    assert emf.values(printed, "MailRefused") == [1.0]
    assert "example.com" not in printed


@pytest.mark.parametrize("operation", ["ResendConfirmationCode", "ForgotPassword"])
def test_a_failed_resend_of_a_code_is_counted_but_not_disclosed(
    people: Cognito, operation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = signing_up()
    if operation == "ForgotPassword":
        browser.submit("/users/confirm", code=people.code(ANN), password=PASSWORD)

    with wire_tap.answering(operation, "LimitExceededException"):
        again = signing_up()

    assert again.at == "/users/confirm"
    assert emf.values(capsys.readouterr().out, "MailRefused") == [1.0]


# ---------------------------------------------------------------- rejected input


@pytest.mark.parametrize("blank", ["", " "], ids=repr)
@pytest.mark.parametrize(
    ("form", "field"),
    [
        *[(form, "email") for form in FORMS],
        *[(form, "code") for form in ("confirm", "new_password")],
        *[(form, "password") for form in ("confirm", "sign_in", "new_password")],
    ],
)
def test_a_blank_field_is_refused(ann: Browser, form: str, field: str, blank: str) -> None:
    browser = sending(form, **{field: blank})

    assert browser.page.status in {401, 422}
    assert "__Host-session" not in browser.cookies


NO_ADDRESSES = ["ann", "@", "a@", "@b", "a b@c", "a@b@c", f"{'a' * 65}@b", f"a@{'b' * 127}", "a\x00@b", "a\u200b@b.c"]


@pytest.mark.parametrize("form", MAILING)
@pytest.mark.parametrize("email", NO_ADDRESSES)
def test_an_invalid_address_gets_no_mail(people: Cognito, form: str, email: str) -> None:
    browser = sending(form, email=email)

    is_too_long = len(email) > MAX_ADDRESS
    refusal = errors.AddressTooLong if is_too_long else errors.AddressRefused
    assert browser.page.status == (400 if is_too_long else 422)
    assert refusal.sentence in browser.page.text
    assert people.mails == []


@pytest.mark.parametrize("form", ["confirm", "sign_in", "new_password"])
@pytest.mark.parametrize("email", NO_ADDRESSES)
def test_no_form_fails_on_an_invalid_address(people: Cognito, form: str, email: str) -> None:
    refused = 400 if len(email) > MAX_ADDRESS else 422

    assert sending(form, email=email).page.status == (401 if form == "sign_in" else refused)


@pytest.mark.parametrize("form", ["confirm", "new_password"])
def test_codes_are_refused_alike_whether_there_is_an_account_or_not(ann: Browser, people: Cognito, form: str) -> None:
    signing_up("eve@example.com")

    pages = [sending(form, email=email).page for email in (ANN, "eve@example.com", "nobody@example.com")]

    assert {page.status for page in pages} == {422}
    assert all(errors.CodeRefused.sentence in page.text for page in pages)


@pytest.mark.parametrize("code", cognito_errors.CODE_REFUSED)
@pytest.mark.parametrize("form", ["confirm", "new_password"])
def test_all_code_errors_of_cognito_read_the_same(ann: Browser, form: str, code: str) -> None:
    with wire_tap.answering(OPERATIONS[form], code):
        page = sending(form).page

    assert (page.status, 'role="alert"' in page.text) == (422, True)


@pytest.mark.parametrize("code", cognito_errors.SIGN_IN_REFUSED)
def test_cognito_s_password_errors_are_shown_at_the_form(ann: Browser, code: str) -> None:
    with wire_tap.answering("InitiateAuth", code):
        page = sending("sign_in").page

    assert page.status == (429 if code == "TooManyRequestsException" else 401)
    assert 'role="alert"' in page.text


@pytest.mark.parametrize("form", FORMS)
def test_when_cognito_fails_the_page_says_when_to_try_again(ann: Browser, form: str) -> None:
    with wire_tap.answering(OPERATIONS[form], "InternalErrorException"):
        page = sending(form).page

    assert (page.status, page.headers["retry-after"]) == (503, "2")


def test_a_temporary_password_signs_nobody_in(ann: Browser) -> None:
    with wire_tap.answering("InitiateAuth"):  # with a challenge, and no tokens
        browser = sending("sign_in")

    assert browser.page.status == 401
    assert "__Host-session" not in browser.cookies


def test_the_password_is_as_long_as_the_pool_requires(people: Cognito) -> None:
    [pool] = template.resources("AWS::Cognito::UserPool").values()
    shown = Browser().visit("/users/confirm").page.text

    assert pool["Policies"]["PasswordPolicy"]["MinimumLength"] == account_rules.MIN_PASSWORD
    assert f"At least {account_rules.MIN_PASSWORD} characters" in shown
    assert f"at least {account_rules.MIN_PASSWORD} characters" in errors.PasswordRefused.sentence
    assert str(account_rules.MAX_PASSWORD) in errors.PasswordRefused.sentence


def test_a_stricter_pool_s_password_error_is_shown_at_the_form(people: Cognito) -> None:
    browser = signing_up()

    with wire_tap.answering("AdminSetUserPassword", "InvalidPasswordException"):
        page = browser.submit("/users/confirm", code=people.code(ANN), password=PASSWORD).page

    assert page.status == 422


@pytest.mark.parametrize(
    ("given", "is_shut"),
    [
        ({}, False),
        ({"SignUp": "false"}, True),
        # Whether Cognito then creates the provider's people, sources differ. Strangers lack the app clients' secrets.
        ({"SignUp": "false", "OidcIssuer": "https://example.okta.com"}, False),
        ({"PasswordSignIn": "false", "OidcIssuer": "https://example.okta.com"}, False),
    ],
)
def test_without_sign_up_cognito_itself_rejects_one_unless_a_provider_s_people_come(
    given: dict[str, str], is_shut: bool
) -> None:
    resources = conditions.resolve(template.load(), template.defaults() | given)["Resources"]

    assert resources["UserPool"]["Properties"]["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": is_shut}
    clients = [one["Properties"] for one in resources.values() if one["Type"] == "AWS::Cognito::UserPoolClient"]
    assert all(client["GenerateSecret"] for client in clients)


def test_mails_come_from_ses_if_it_has_an_identity_else_from_cognito() -> None:
    [pool] = template.resources("AWS::Cognito::UserPool").values()
    parameters, none = template.load()["Parameters"], {"Ref": "AWS::NoValue"}

    assert pool["EmailConfiguration"] == {
        "EmailSendingAccount": {"Fn::If": ["HasMailIdentity", "DEVELOPER", "COGNITO_DEFAULT"]},
        "SourceArn": {"Fn::If": ["HasMailIdentity", {"Ref": "MailIdentityArn"}, none]},
        "From": {"Fn::If": ["HasMailIdentity", {"Ref": "MailFrom"}, none]},
    }
    assert parameters["MailIdentityArn"]["Default"] == parameters["MailFrom"]["Default"] == ""


def test_a_session_lasts_a_month_at_most() -> None:
    assert template.load()["Parameters"]["SessionHours"]["MaxValue"] == 720
