"""The edge of the pages: sessions, HTML responses, redirects, assets, content security policy and other headers.

All pages work without JavaScript.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.safe_repr import hide_fields
from shared.domain.sentence import Sentence
from shared.web import assets, cookies, paths, site, statuses
from shared.web.edge import Edge
from shared.web.page_request import Request as Request  # noqa: PLC0414 (for the pages, as `pages.Request`)
from shared.web.page_request import form_token
from shared.web.request import Event

# No other origins, no frames, and no inline code except the common style and script. `{uploads}` and `{downloads}` are
# S3's origin, on the page that uploads files and on the page whose forms redirect to downloads.
_POLICY = (
    "default-src 'none'; script-src 'self' {script}; style-src {style}; img-src 'self' data:; "
    "connect-src 'self'{uploads}; form-action 'self'{downloads}; base-uri 'none'; frame-ancestors 'none'"
)
# Assets and redirects load nothing. Their policy lists no style or script, so these files need not be read.
_POLICY_OF_NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# A reload sends the same form again, with its idempotency key; "Back" would show an empty form.
_UNAVAILABLE = Sentence(
    "The service is not available at this moment: please reload this page; your form is then sent again."
)
TWO_FACTOR = "/users/account"  # the page to set up two-factor sign-in
_REFUSED = 400  # and above
_HEADERS = statuses.HEADERS | {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": _POLICY_OF_NO_PAGE,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",  # no other site may embed a page or an asset (Fetch, section 3.7)
    "x-frame-options": "DENY",
}


@hide_fields("values", "form_secret", "cookie")
class Page(NamedTuple):
    """A page to render from a template.

    `uploads` is an origin that scripts may send files to, `downloads` an origin that forms may lead to (both for the
    content security policy). `form_secret` is the value to set for the cookie that protects forms from CSRF while
    nobody is signed in; empty to set none. `offers_languages` is False if a second request for the page would cost a
    view. `cookie` is another Set-Cookie header.
    """

    template: str
    values: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = {}
    uploads: str = ""
    downloads: str = ""
    form_secret: str = ""
    offers_languages: bool = True
    cookie: str | None = None


@hide_fields("path", "session", "cookie")
class Redirect(NamedTuple):
    """A redirect. `session` sets the session cookie, or deletes it if empty; `cookie` is another Set-Cookie header."""

    path: str  # may contain a url_token, or be a link to a file
    session: str | None = None
    status: int = 303
    cookie: str | None = None


@hide_fields("content", "filename")
class Asset(NamedTuple):
    """A response that is not a page: an asset, or JSON. With a `filename`, browsers save it as a file.

    `cookie` is a Set-Cookie header.
    """

    content: str
    content_type: str
    cache_control: str
    status: int = 200
    cookie: str | None = None
    filename: str | None = None


Answer = Page | Redirect | Asset


def with_refusal(template: str, values: Mapping[str, Any], refusal: errors.Refusal | None) -> Page:
    """Return a page that shows a refusal, if there is one, with the refusal's status and headers."""
    status, headers = (statuses.STATUSES[type(refusal)], statuses.retry_headers(refusal)) if refusal else (200, {})
    return Page(template, {**values, "refusal": refusal}, status, headers)


def _authenticate(request: Request) -> Caller:
    """Return the owner of the session, or an anonymous caller if there is no valid session.

    On a recipient's page, a limited session is nobody's: the page shows owners more, such as whom they mailed a link.

    Raises: SecondFactorRequired, unless the page is a recipient's, or the one to set up two-factor sign-in.
    """
    if not request.session_cookie:
        return request.build_caller(None)
    # Imported here: without a session, no store is needed.
    from shared.identity import auth

    session = auth.find_session(request.session_cookie, now=request.now)
    path = request.route.partition(" ")[2]
    if session and auth.lacks_second_factor(session) and not path.startswith(TWO_FACTOR):
        if not path.startswith("/p/"):
            raise errors.SecondFactorRequired
        session = None
    return request.build_caller(session)


def refuse_limited_session(request: Request) -> None:
    """Check a session where a page does not need one.

    Raises: SecondFactorRequired.
    """
    if request.settings.require_two_factor:
        _authenticate(request)


def _refuse(request: Request, refusal: errors.Refusal) -> Answer:
    if isinstance(refusal, errors.Unauthenticated):
        return Redirect(f"/users/sign_in{_query_to_return(request)}")
    if isinstance(refusal, errors.SecondFactorRequired):
        return Redirect(TWO_FACTOR)
    template = "not_found.html" if isinstance(refusal, errors.NotFound) else "refused.html"
    return with_refusal(template, {"sentence": refusal, "anonymous": True}, refusal)


def _query_to_return(request: Request) -> str:
    """Return the query with which a sign-in leads back to this page; empty for the page that it leads to anyway."""
    place = paths.local_page(request.path + (f"?{urlencode(request.place)}" if request.place else ""))
    return f"?{urlencode({'next': place})}" if place and place != "/pushes" else ""


def _render(request: Request, answer: Answer) -> Event:
    if isinstance(answer, Redirect):
        if len(answer.path.encode()) > paths.MAX_LOCATION:
            raise errors.MalformedRequest(paths.TOO_LONG)
        session = cookies.session(answer.session, request.settings.session_lifetime)
        to_set = cookies.setting(session, answer.cookie, cookies.locale(request.chosen_locale))
        return statuses.to_event(answer.status, _HEADERS | {"location": answer.path}, "") | to_set
    if isinstance(answer, Asset):
        headers = _HEADERS | {"content-type": answer.content_type, "cache-control": answer.cache_control}
        if answer.filename:
            headers["content-disposition"] = f'attachment; filename="{answer.filename}"'
        return statuses.to_event(answer.status, headers, answer.content) | cookies.setting(answer.cookie)
    policy = _policy(answer.uploads, answer.downloads)
    headers = {**_HEADERS, "content-security-policy": policy, "content-language": request.locale, **answer.headers}
    to_set = cookies.setting(cookies.form(answer.form_secret), answer.cookie, cookies.locale(request.chosen_locale))
    return statuses.to_event(answer.status, headers, _html(request, answer)) | to_set


def _policy(uploads: str, downloads: str) -> str:
    style, script = (assets.source(content) for content in site.inline())
    style = " ".join([style, *map(assets.source, site.page_styles().values())])
    named = {"uploads": f" {uploads}" if uploads else "", "downloads": f" {downloads}" if downloads else ""}
    return _POLICY.format(style=style, script=script, **named)


def prepare() -> None:
    """Load Jinja2 and the templates in Lambda's init phase (see `shared.service.cold_start`)."""
    from shared.web import html

    html.environment(site.directory())


def _html(request: Request, answer: Page) -> str:
    from shared.web import html  # imported here: assets and redirects render no template

    owner = None if answer.values.get("anonymous") else request.caller.owner
    cookie = answer.form_secret or (request.session_cookie if owner else "")
    shared_values = {
        "owner": owner,
        "form_token": form_token(cookie) if cookie else "",
        "settings": request.settings,
        "path": request.path,
        "place": request.place,
        "locale_query": request.locale_query,
        "is_refused": request.method == "POST" and answer.status >= _REFUSED,
        "offers_languages": request.method == "GET" and answer.offers_languages,
    }
    return html.render(answer.template, shared_values | dict(answer.values), request.locale)


_EDGE: Edge[Request, Answer] = Edge(
    read=Request,
    authenticate=_authenticate,
    render=_render,
    refuse=_refuse,
    unavailable=Page("refused.html", {"sentence": _UNAVAILABLE, "anonymous": True}, 503, statuses.RETRY_LATER),
)
page = _EDGE.for_anyone
for_owners = _EDGE.for_owners
public = _EDGE.public
