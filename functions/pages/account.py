"""GET /users/{form}: sign up, confirm, sign in with or without a one-time code, sign out, reset a password."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from shared.domain import account_rules, errors
from shared.domain.sentence import Sentence
from shared.domain.token import Challenge
from shared.identity import accounts, auth, mail_limits
from shared.service import cold_start
from shared.web import cookies, pages, paths, sign_out
from shared.web.sealed_field import SealedField

cold_start.make_clients("cognito-idp")
pages.prepare()

Act = Callable[[pages.Request, str], pages.Answer]

SIGNED_IN = "/pushes"
# The field that a refusal is about.
_FIELDS = (
    (errors.AddressRefused, "email"),
    (errors.CredentialsRefused, "email"),
    (errors.CodeRefused, "code"),
    (errors.PasswordRefused, "password"),
)
# The address, and Cognito's username and session, which is valid for three minutes after the right password.
_SECOND_STEP = SealedField("second step of a sign-in", 3, timedelta(minutes=3))
COOKIE_LOST = Sentence(
    "The cookie of this form is missing or outdated. Please send the form again. If that does not "
    "help, allow cookies, and check that the address of this page begins with https://."
)
INSECURE = Sentence(
    "You can sign in only at an address that begins with https://. Over http, browsers reject the cookie."
)


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Show a form, or handle one that was sent; if it fails, show the form again with the error above it."""
    name = request.parameter("form")
    if name == "sign_out":
        return sign_out.sign_out(request)
    pages.refuse_limited_session(request)
    if name == "deleted" and request.method == "GET":
        return pages.Page("account_deleted.html", {"anonymous": True})
    if name == "signed_out" and request.method == "GET":
        return sign_out.signed_out(request)
    # Without passwords (`PasswordSignIn`), the page with the provider's button is left.
    is_shut = not request.settings.password_sign_in and (request.method, name) != ("GET", "sign_in")
    if name not in ACTS or is_shut or (name == "sign_up" and not request.settings.sign_up):
        raise errors.NotFound
    if request.method == "GET":
        # Nothing from the query: a link may have somebody else's, and an address must not be in a URL.
        return _form(request, name, {"email": request.last_address, "next": request.readable_query.get("next", "")})
    return _act(request, name)


def _act(request: pages.Request, name: str) -> pages.Answer:
    try:
        form = request.strangers_form()
        return ACTS[name](request, _email(form))
    except errors.StaleForm:
        stale = errors.StaleForm(INSECURE if request.is_insecure else COOKIE_LOST)
        return _form(request, name, request.entered_fields(), stale)
    except REFUSALS as refusal:
        return _form(request, name, form, refusal)


def _form(
    request: pages.Request, name: str, typed: Mapping[str, str], refusal: errors.Refusal | None = None
) -> pages.Page:
    if name == "two_factor":  # cannot be shown without the first step, so start there
        name = "sign_in"
    # Never fill in a password.
    values = {
        "form": name,
        "email": _email(typed),
        "code": typed.get("code", ""),
        "next": paths.local_page(typed.get("next", "")),
        "wrong": next((field for kind, field in _FIELDS if isinstance(refusal, kind)), ""),
        "is_insecure": request.is_insecure,
        "is_reset": request.method == "GET" and request.readable_query.get("done") == "password",
    }
    return _page(request, "account.html", values, refusal)


def _page(
    request: pages.Request, template: str, values: Mapping[str, Any], refusal: errors.Refusal | None
) -> pages.Page:
    secret = request.form_cookie or auth.new_form_secret()
    return pages.with_refusal(template, {**values, "anonymous": True}, refusal)._replace(form_secret=secret)


def _sign_up(request: pages.Request, email: str) -> pages.Answer:
    _permit_mail(request, email)
    accounts.sign_up(email)
    return pages.Redirect("/users/confirm", cookie=cookies.address(email))


def _confirm(request: pages.Request, email: str) -> pages.Answer:
    proven_at = request.now
    if renewed := accounts.confirm(email, _code(request), _password(request)):
        proven_at = request.current_time()
        auth.end_all_credentials(renewed, now=proven_at)
    return _after_sign_in(request, email, proven_at=proven_at)


def _sign_in(request: pages.Request, email: str) -> pages.Answer:
    return _after_sign_in(request, email, proven_at=request.now)


def _after_sign_in(request: pages.Request, email: str, *, proven_at: datetime) -> pages.Answer:
    try:
        owner = accounts.sign_in(email, _password(request))
    except errors.OneTimeCodeWanted as wanted:
        return _second_step(request, email, wanted.challenge, proven_at=proven_at)
    return _open_session(request, owner, email, proven_at=proven_at)


def _open_session(
    request: pages.Request, owner: str, email: str, *, proven_at: datetime, second_factor: bool = False
) -> pages.Answer:
    how: dict[str, Any] = {"address": email, "proven_at": proven_at, "second_factor": second_factor}
    cookie = auth.open_session(owner, now=request.current_time(), **how)
    if request.session_cookie:
        auth.close_session(request.session_cookie)
    place = paths.local_page(request.form().get("next", "")) or SIGNED_IN
    return pages.Redirect(place, session=cookie, cookie=cookies.address("") if request.last_address else None)


def _second_step(
    request: pages.Request,
    email: str,
    challenge: Challenge,
    refusal: errors.Refusal | None = None,
    *,
    proven_at: datetime,
) -> pages.Page:
    """Return the form for the one-time code. Its hidden field has Cognito's challenge and `proven_at`.

    `proven_at` is the time at which Cognito accepted the password. The session will be dated to it. So if something
    ends all sessions between the two steps, such as a new password, it ends this session, too.
    """
    state = _SECOND_STEP.seal(request.form_cookie, [email, *challenge], at=proven_at)
    values = {"email": email, "state": state, "next": paths.local_page(request.form().get("next", ""))}
    return _page(request, "two_factor.html", values, refusal)


def _two_factor(request: pages.Request, _email: str) -> pages.Answer:
    state = request.form().get("state", "")
    proven_at, (email, *sent) = _SECOND_STEP.unseal(request.form_cookie, state, now=request.now)
    challenge = Challenge(*sent)
    try:
        owner = accounts.end_sign_in(challenge, _code(request), now=request.now)
    except errors.OneTimeCodeRefused as refusal:
        return _second_step(request, email, challenge, refusal, proven_at=proven_at)
    return _open_session(request, owner, email, proven_at=proven_at, second_factor=True)


def _send_password_code(request: pages.Request, email: str) -> pages.Answer:
    _permit_mail(request, email)
    accounts.send_password_code(email)
    return pages.Redirect("/users/new_password", cookie=cookies.address(email))


def _new_password(request: pages.Request, email: str) -> pages.Answer:
    owner = accounts.reset_password(email, _code(request), _password(request))
    # Later than this request: somebody may have signed in with the old password while Cognito set the new one.
    auth.end_all_credentials(owner, now=request.current_time())
    return pages.Redirect("/users/sign_in?done=password", session="", cookie=cookies.address(email))


def _permit_mail(request: pages.Request, email: str) -> None:
    account_rules.check_address(email)
    mail_limits.spend(email, request.ip, now=request.now)


def _email(form: Mapping[str, str]) -> str:
    return form.get("email", "").strip().lower()


def _code(request: pages.Request) -> str:
    return request.form().get("code", "").strip()


def _password(request: pages.Request) -> str:
    return request.form().get("password", "")


ACTS: dict[str, Act] = {
    "sign_up": _sign_up,
    "confirm": _confirm,
    "sign_in": _sign_in,
    "two_factor": _two_factor,
    "password": _send_password_code,
    "new_password": _new_password,
}
REFUSALS = (
    errors.AddressRefused,
    errors.CredentialsRefused,
    errors.PasswordRefused,
    errors.CodeRefused,
    errors.SignInLapsed,
    errors.TooManyTries,
    errors.QuotaSpent,
)
