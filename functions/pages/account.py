"""GET /users/{form}: sign up, confirm, sign in, sign out, set a forgotten password anew."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlencode

from shared import accounts, auth, mail_limits, site
from shared.domain import account_rules, errors

Act = Callable[[site.Request, str], site.Answer]

SIGNED_IN = "/pushes"


@site.page
def handler(request: site.Request) -> site.Answer:
    """Show a form, or do what it says; a refusal stands above the form that caused it."""
    name = request.parameter("form")
    act = ACTS.get(name)
    if act is None or (name == "sign_up" and not request.settings.sign_up):
        raise errors.NotFound
    if request.method == "GET":
        return _form(request, name)
    form = request.owners_form if name == "sign_out" else request.strangers_form
    email = form.get("email", "").strip().lower()
    try:
        return act(request, email)
    except REFUSALS as refusal:
        return _form(request, name, email, refusal)


def _form(request: site.Request, name: str, email: str = "", refusal: errors.Refusal | None = None) -> site.Page:
    if name == "sign_out":
        raise errors.NotFound  # a link must not sign anybody out
    values = {"form": name, "email": email or request.query.get("email", ""), "anonymous": True}
    return replace(site.with_refusal("account.html", values, refusal), form_secret=request.form_secret)


def _sign_up(request: site.Request, email: str) -> site.Answer:
    _permit_mail(request, email)
    accounts.sign_up(email)
    return site.Elsewhere(f"/users/confirm?{urlencode({'email': email})}")


def _confirm(request: site.Request, email: str) -> site.Answer:
    now = request.now
    if renewed := accounts.confirm(email, _code(request), _password_of(request)):
        now = request.later()
        auth.end_all(renewed, now=now)
    return _signed_in(request, email, now=now)


def _sign_in(request: site.Request, email: str) -> site.Answer:
    return _signed_in(request, email, now=request.now)


def _signed_in(request: site.Request, email: str, *, now: datetime) -> site.Answer:
    owner = accounts.sign_in(email, _password_of(request))
    if request.session:
        auth.close_session(request.session)
    return site.Elsewhere(SIGNED_IN, session=auth.open_session(owner, now=now, address=email))


def _sign_out(request: site.Request, _email: str) -> site.Answer:
    auth.close_session(request.session)
    return site.Elsewhere("/", session="")


def _password(request: site.Request, email: str) -> site.Answer:
    _permit_mail(request, email)
    accounts.send_password_code(email)
    return site.Elsewhere(f"/users/new_password?{urlencode({'email': email})}")


def _new_password(request: site.Request, email: str) -> site.Answer:
    owner = accounts.set_password(email, _code(request), _password_of(request))
    # Later than this request: somebody may have signed in with the old password while Cognito set the new one.
    auth.end_all(owner, now=request.later())
    return site.Elsewhere(f"/users/sign_in?{urlencode({'email': email})}", session="")


def _permit_mail(request: site.Request, email: str) -> None:
    account_rules.check_address(email)
    mail_limits.spend(email, request.caller.ip, now=request.now)


def _code(request: site.Request) -> str:
    return request.form.get("code", "").strip()


def _password_of(request: site.Request) -> str:
    return request.form.get("password", "")


ACTS: dict[str, Act] = {
    "sign_up": _sign_up,
    "confirm": _confirm,
    "sign_in": _sign_in,
    "sign_out": _sign_out,
    "password": _password,
    "new_password": _new_password,
}
REFUSALS = (
    errors.AddressRefused,
    errors.CredentialsRefused,
    errors.PasswordRefused,
    errors.CodeRefused,
    errors.TooManyTries,
    errors.QuotaSpent,
)
