"""GET /users/sign_in/provider: sign in by the OIDC provider; it leads back to /users/sign_in/callback."""

import secrets
from urllib.parse import urlencode

from shared.domain import errors
from shared.identity import auth, provider_sign_in
from shared.service import cold_start
from shared.web import cookies, pages, paths

cold_start.make_clients("cognito-idp", "dynamodb")
pages.prepare()

_SIGNED_IN = "/pushes"
_STATE_BYTES = 32


@pages.public
def handler(request: pages.Request) -> pages.Answer:
    """Redirect to the provider; for a callback, open a session and delete the state."""
    used_up = cookies.state("") if request.route.endswith("/callback") else None
    try:
        pages.refuse_limited_session(request)
    except errors.SecondFactorRequired:
        return pages.Redirect(pages.TWO_FACTOR, cookie=used_up)
    if not request.settings.oidc_name:
        raise errors.NotFound
    return _come_back(request)._replace(cookie=used_up) if used_up else _leave(request)


def _leave(request: pages.Request) -> pages.Answer:
    place = paths.local_page(request.readable_query.get("next", ""))
    if not request.is_from_our_page:  # another site could sign the visitor in, or switch the account
        return pages.Redirect(_sign_in_page(place))
    state = secrets.token_urlsafe(_STATE_BYTES)
    return pages.Redirect(provider_sign_in.authorize_url(state), cookie=cookies.state(state, place))


def _come_back(request: pages.Request) -> pages.Page | pages.Redirect:
    place = paths.local_page(request.sign_in_state[1])
    try:
        return pages.Redirect(place or _SIGNED_IN, session=_open_session(request))
    except REFUSALS as refusal:
        values = {"sentence": refusal, "sign_in": _sign_in_page(place), "anonymous": True}
        page = pages.with_refusal("refused.html", values, refusal)
        return page._replace(offers_languages=False)  # its links would repeat the query


def _open_session(request: pages.Request) -> str:
    """Return the cookie of a new session, for the browser that began this sign-in. The old session ends.

    Raises: SignInLapsed, if this browser did not begin it; ProviderRefused, ProviderUnavailable.
    """
    state, query = request.sign_in_state[0], request.readable_query
    is_ours = state and secrets.compare_digest(query.get("state", "").encode(), state.encode())
    if not is_ours or request.is_head:
        raise errors.SignInLapsed
    signed_in = provider_sign_in.finish(state, query, now=request.now)
    cookie = auth.open_session(
        signed_in.owner,
        now=request.current_time(),
        address=signed_in.address,
        proven_at=request.now,
        username=signed_in.username,
    )
    if request.session_cookie:
        auth.close_session(request.session_cookie)
    return cookie


def _sign_in_page(place: str) -> str:
    return "/users/sign_in" + (f"?{urlencode({'next': place})}" if place else "")


REFUSALS = (errors.ProviderRefused, errors.SignInLapsed)
