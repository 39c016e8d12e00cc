"""GET /users/{form}: sign up, confirm, sign in, sign out, set a forgotten password anew."""

from collections.abc import Callable
from urllib.parse import urlencode

from shared import accounts, auth, errors, site

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
    email = request.email
    try:
        return act(request, email)
    except errors.NotConfirmed as refusal:
        return _form(request, "confirm", email, refusal)
    except REFUSALS as refusal:
        return _form(request, name, email, refusal)


def _form(request: site.Request, name: str, email: str = "", refusal: errors.Refusal | None = None) -> site.Page:
    if name == "sign_out":
        raise errors.NotFound  # a link must not sign anybody out
    values = {"form": name, "email": email or request.query.get("email", ""), "anonymous": True}
    return site.with_refusal("account.html", values, refusal)


def _sign_up(request: site.Request, email: str) -> site.Answer:
    accounts.sign_up(email, request.form.get("password", ""))
    return site.Elsewhere(f"/users/confirm?{urlencode({'email': email})}")


def _confirm(request: site.Request, email: str) -> site.Answer:
    accounts.confirm(email, request.form.get("code", "").strip(), request.form.get("password", ""))
    return _sign_in(request, email)


def _sign_in(request: site.Request, email: str) -> site.Answer:
    accounts.check_password(email, request.form.get("password", ""))
    return site.Elsewhere(SIGNED_IN, session=auth.open_session(email, now=request.now))


def _sign_out(request: site.Request, _email: str) -> site.Answer:
    if request.owners_form:
        auth.close_session(request.session)
    return site.Elsewhere("/", session="")


def _password(_request: site.Request, email: str) -> site.Answer:
    accounts.send_password_code(email)
    return site.Elsewhere(f"/users/new_password?{urlencode({'email': email})}")


def _new_password(request: site.Request, email: str) -> site.Answer:
    accounts.set_password(email, request.form.get("code", "").strip(), request.form.get("password", ""))
    auth.close_sessions(email)
    return site.Elsewhere(f"/users/sign_in?{urlencode({'email': email})}", session="")


ACTS: dict[str, Act] = {
    "sign_up": _sign_up,
    "confirm": _confirm,
    "sign_in": _sign_in,
    "sign_out": _sign_out,
    "password": _password,
    "new_password": _new_password,
}
REFUSALS = (
    errors.CredentialsRefused,
    errors.PasswordRefused,
    errors.CodeRefused,
    errors.TooManyTries,
)
