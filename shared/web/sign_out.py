"""The end of a session in a browser, and the page after it."""

from shared.domain import errors
from shared.identity import auth
from shared.web import pages


def sign_out(request: pages.Request) -> pages.Answer:
    """End the session, for a form with the session's CSRF token; without a valid token, ask again.

    Raises: NotFound, for a GET: a link must not sign anybody out.
    """
    if request.method == "GET":
        raise errors.NotFound
    try:
        request.owners_form()
    except errors.StaleForm as refusal:
        return _ask_again(request, refusal)
    session = auth.find_session(request.session_cookie, now=request.now) if request.settings.oidc_name else None
    auth.close_session(request.session_cookie)
    return pages.Redirect("/users/signed_out" if session and session.username else "/", session="")


def signed_out(request: pages.Request) -> pages.Page:
    """Return the page after a sign-out of a provider's account: Cognito and the provider have sessions of their own.

    Raises: NotFound, without a provider.
    """
    from shared.identity import provider_sign_in  # loaded here: most installations have no provider

    if not request.settings.oidc_name:
        raise errors.NotFound
    return pages.Page("signed_out.html", {"anonymous": True, "logout_url": provider_sign_in.logout_url()})


def _ask_again(request: pages.Request, refusal: errors.StaleForm) -> pages.Answer:
    if not request.session_cookie:
        return pages.Redirect("/")  # signed out in another tab
    values = {"form_token": auth.form_token(request.session_cookie), "anonymous": True}
    return pages.with_refusal("sign_out.html", values, refusal)
