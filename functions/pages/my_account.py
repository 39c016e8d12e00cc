"""GET /users/account: the owner's account: password, two-factor sign-in, notices, deletion."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from shared.domain import errors, two_factor
from shared.domain.sentence import Sentence
from shared.domain.token import Session
from shared.identity import auth, own_account
from shared.service import asks, cold_start
from shared.web import pages, qr, site
from shared.web.sealed_field import SealedField

cold_start.make_clients("cognito-idp", "dynamodb")
pages.prepare()

PATH = pages.TWO_FACTOR
_SET_UP = ("begin", "confirm")  # the only actions of a limited session
_WITHOUT_PASSWORD = ("notices",)  # the only actions of an account of the OIDC provider, or without passwords
_DONE = ("password", "on", "off", "notices")  # the values of `?done=`, each with a message on the page
# Cognito's access token, valid for an hour, and the app's secret. Long, because some must install an app first.
_SETTING_UP = SealedField("two-factor set-up", 2, timedelta(minutes=30))

REQUIRED = Sentence("This service requires two-factor sign-in, so you can't turn it off.")

Act = Callable[[pages.Request, Session, Mapping[str, str]], pages.Answer]


@pages.for_owners
def handler(request: pages.Request) -> pages.Answer:
    """Show the account, or handle a form that was sent; if it fails, show the error above that form."""
    session = auth.require_session(request.caller)
    if request.method == "GET":
        return _page(request, session)
    try:
        form = request.owners_form()
    except errors.StaleForm as refusal:
        return _page(request, session, refusal)
    action = form.get("do", "")
    if action not in ACTS:
        raise errors.ForgedForm
    if not _has_password(request, session) and action not in _WITHOUT_PASSWORD:
        raise errors.Forbidden
    if auth.lacks_second_factor(session) and action not in _SET_UP:
        return pages.Redirect(PATH)
    try:
        return ACTS[action](request, session, form)
    except REFUSALS as refusal:
        return _page(request, session, refusal, action)


def _page(
    request: pages.Request, session: Session, refusal: errors.Refusal | None = None, action: str = ""
) -> pages.Page:
    done = request.query().get("done") if request.method == "GET" else None
    account = own_account.find(session)
    values = {
        "address": session.address,
        "notify_when_viewed": session.notify_when_viewed,
        "is_limited": auth.lacks_second_factor(session),
        "has_password": _has_password(request, session),
        "has_two_factor": account.has_two_factor,
        "is_verified": account.is_verified,
        "is_provider_s": bool(session.username),
        "done": done if done in _DONE else None,
        "action": action,
        "wrong": _wrong_field(refusal, action),
    }
    return pages.with_refusal("my_account.html", values, refusal)


def _has_password(request: pages.Request, session: Session) -> bool:
    return request.settings.password_sign_in and not session.username


def _wrong_field(refusal: errors.Refusal | None, action: str) -> str:
    """Return the id of the field that a refusal is about; empty if it is about none."""
    match refusal:
        case errors.CredentialsRefused():
            return f"{action}-password"
        case errors.OneTimeCodeRefused():
            return f"{action}-code"
        case errors.PasswordRefused():
            return "new-password"
    return ""


def _change_password(request: pages.Request, session: Session, form: Mapping[str, str]) -> pages.Answer:
    password, code = _password_and_code(form)
    own_account.change_password(session, password, code, form.get("new_password", ""), now=request.now)
    return _renew_session(request, session, "password", second_factor=session.second_factor)


def _begin_two_factor(request: pages.Request, session: Session, form: Mapping[str, str]) -> pages.Answer:
    password, _ = _password_and_code(form)
    token, secret = own_account.begin_two_factor(session, password, now=request.now)
    return _set_up_page(request, session, token, secret, begun_at=request.now)


def _confirm_two_factor(request: pages.Request, session: Session, form: Mapping[str, str]) -> pages.Answer:
    begun_at, (token, secret) = _SETTING_UP.unseal(request.session_cookie, form.get("state", ""), now=request.now)
    try:
        own_account.confirm_two_factor(session, token, form.get("code", ""), now=request.current_time())
    except errors.OneTimeCodeRefused as refusal:
        return _set_up_page(request, session, token, secret, refusal, begun_at=begun_at)
    return _renew_session(request, session, "on", second_factor=True, keeps_tokens=True)


def _end_two_factor(request: pages.Request, session: Session, form: Mapping[str, str]) -> pages.Answer:
    if request.settings.require_two_factor:
        raise errors.Forbidden(REQUIRED)
    own_account.end_two_factor(session, *_password_and_code(form), now=request.now)
    return _renew_session(request, session, "off", second_factor=False)


def _set_notice_default(request: pages.Request, session: Session, form: Mapping[str, str]) -> pages.Answer:
    # The mails are in the language of this page, because Cognito stores none.
    is_on = form.get("notify_when_viewed") == "true"
    auth.set_notice_default(session.owner, notify_when_viewed=is_on, locale=request.locale)
    return pages.Redirect(f"{PATH}?done=notices")


def _delete(request: pages.Request, session: Session, form: Mapping[str, str]) -> pages.Answer:
    own_account.delete(session, *_password_and_code(form), now=request.now)
    auth.end_all_credentials(session.owner, now=request.current_time())
    asks.remove_all(session.owner)
    return pages.Redirect("/users/deleted", session="")


def _set_up_page(
    request: pages.Request,
    session: Session,
    token: str,
    secret: str,
    refusal: errors.Refusal | None = None,
    *,
    begun_at: datetime,
) -> pages.Page:
    """Return the page with the secret for the authenticator app, and the form for the app's first code.

    The form's hidden field has the access token and the secret. It expires 30 minutes after `begun_at`.
    """
    uri = two_factor.uri(secret, session.address, site.operator_brand().name)
    values = {
        "secret": two_factor.in_groups(secret),
        "picture": qr.draw(uri),
        "uri": uri,
        "state": _SETTING_UP.seal(request.session_cookie, [token, secret], at=begun_at),
    }
    return pages.with_refusal("two_factor_set_up.html", values, refusal)


def _renew_session(
    request: pages.Request, session: Session, done: str, *, second_factor: bool, keeps_tokens: bool = False
) -> pages.Answer:
    """End all sessions of the owner, and give this browser a new one; then redirect to the account page.

    Also ends all API tokens, unless `keeps_tokens` is true. `done` says what the page reports as done.
    """
    now = request.current_time()
    (auth.end_sessions if keeps_tokens else auth.end_all_credentials)(session.owner, now=now)
    # Dated to `now`: if something ends all sessions meanwhile, such as a password reset, it ends this one, too.
    cookie = auth.open_session(session.owner, now=now, address=session.address, second_factor=second_factor)
    return pages.Redirect(f"{PATH}?done={done}", session=cookie)


def _password_and_code(form: Mapping[str, str]) -> tuple[str, str]:
    return form.get("password", ""), form.get("code", "")


ACTS: dict[str, Act] = {
    "password": _change_password,
    "begin": _begin_two_factor,
    "confirm": _confirm_two_factor,
    "end": _end_two_factor,
    "notices": _set_notice_default,
    "delete": _delete,
}
REFUSALS = (
    errors.CredentialsRefused,
    errors.PasswordRefused,
    errors.OneTimeCodeRefused,
    errors.SignInLapsed,
    errors.TooManyTries,
    errors.QuotaSpent,
)
