"""The edge of the pages: event to request, domain values to HTML, sessions, and headers that let nothing in or out.

Everything works by links and forms alone; the script in the assets only makes some of it more comfortable.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.safe_repr import hide_fields
from shared.domain.sentence import Sentence
from shared.web import assets, cookies, paths, site, statuses
from shared.web.edge import Edge
from shared.web.page_request import Request as Request  # noqa: PLC0414 (for the pages, as `pages.Request`)
from shared.web.page_request import form_token
from shared.web.request import Event

# Nothing from elsewhere, nothing inline but the style and the script of every page, in nobody's frame. `{uploads}` and
# `{downloads}` are S3, on the one page that brings files there, and on the one whose forms are led there.
_POLICY = (
    "default-src 'none'; script-src 'self' {script}; style-src {style}; img-src 'self' data:; "
    "connect-src 'self'{uploads}; form-action 'self'{downloads}; base-uri 'none'; frame-ancestors 'none'"
)
# What is no page loads nothing, and names no style or script, so that an asset or a redirect need not read them.
_POLICY_OF_NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# A browser then sends the same form again, its idempotency key included; "Back" would find an empty one.
_UNAVAILABLE = Sentence(
    "The service is not available at this moment: please reload this page, and what you sent goes with it."
)
_NO_SUCH_PAGE = Sentence("There is no such page.")
_HEADERS = statuses.HEADERS | {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": _POLICY_OF_NO_PAGE,
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}


@hide_fields("values", "form_secret")
class Page(NamedTuple):
    """A page to render, with headers of its own.

    `uploads` is an origin that its script may send files to, `downloads` one that its forms may lead to; `form_secret`
    is the value of the cookie that its forms go with, where there is no session yet. `offers_languages` is False where
    asking for the page again would cost a view.
    """

    template: str
    values: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = {}
    uploads: str = ""
    downloads: str = ""
    form_secret: str = ""
    offers_languages: bool = True


@hide_fields("path", "session")
class Redirect(NamedTuple):
    """Another place to go to; `session` opens one, or closes it when empty; `choices` is a cookie's header."""

    path: str  # it may hold a url_token, or be a link to a file
    session: str | None = None
    status: int = 303
    choices: str | None = None


@hide_fields("content")
class Asset(NamedTuple):
    """Something that is no page: an asset, or what the script of a page asked for; `choices` is a cookie's header."""

    content: str
    content_type: str
    cache_control: str
    status: int = 200
    choices: str | None = None


Answer = Page | Redirect | Asset


def with_refusal(template: str, values: Mapping[str, Any], refusal: errors.Refusal | None) -> Page:
    """A page that shows a refusal, if there is one, beside the form that caused it."""
    status, headers = (statuses.STATUSES[type(refusal)], statuses.retry_headers(refusal)) if refusal else (200, {})
    return Page(template, {**values, "refusal": refusal}, status, headers)


def _authenticate(request: Request) -> Caller:
    """The owner whose session it is, if it is open; else an anonymous caller, since pages are open to all."""
    if not request.session_cookie:
        return request.build_caller(None)
    # Loaded here: whoever has no session has no use for the store.
    from shared.identity import auth

    return request.build_caller(auth.find_session(request.session_cookie, now=request.now))


def _refuse(refusal: errors.Refusal) -> Answer:
    if isinstance(refusal, errors.Unauthenticated):
        return Redirect("/users/sign_in")
    sentence = _NO_SUCH_PAGE if isinstance(refusal, errors.NotFound) else refusal
    return with_refusal("refused.html", {"sentence": sentence, "anonymous": True}, refusal)


def _render(request: Request, answer: Answer) -> Event:
    if isinstance(answer, Redirect):
        if len(answer.path.encode()) > paths.MAX_LOCATION:
            raise errors.MalformedRequest(paths.TOO_LONG)
        session = cookies.session(answer.session, request.settings.session_lifetime)
        to_set = cookies.setting(session, answer.choices, cookies.locale(request.requested_locale))
        return statuses.to_event(answer.status, _HEADERS | {"location": answer.path}, "") | to_set
    if isinstance(answer, Asset):
        headers = _HEADERS | {"content-type": answer.content_type, "cache-control": answer.cache_control}
        return statuses.to_event(answer.status, headers, answer.content) | cookies.setting(answer.choices)
    headers = {**_HEADERS, "content-security-policy": _policy(answer.uploads, answer.downloads), **answer.headers}
    to_set = cookies.setting(cookies.form(answer.form_secret), cookies.locale(request.requested_locale))
    return statuses.to_event(answer.status, headers, _html(request, answer)) | to_set


def _policy(uploads: str, downloads: str) -> str:
    style, script = (assets.source(content) for content in site.inline())
    named = {"uploads": f" {uploads}" if uploads else "", "downloads": f" {downloads}" if downloads else ""}
    return _POLICY.format(style=style, script=script, **named)


def prepare() -> None:
    """Load what renders pages, in Lambda's init phase (see `shared.service.cold_start`)."""
    from shared.web import html

    html.environment(site.directory())


def _html(request: Request, answer: Page) -> str:
    from shared.web import html  # loaded here: assets and redirects are no pages

    owner = None if answer.values.get("anonymous") else request.caller.owner
    cookie = answer.form_secret or (request.session_cookie if owner else "")
    shared_values = {
        "owner": owner,
        "form_token": form_token(cookie) if cookie else "",
        "settings": request.settings,
        "path": request.path,
        "place": request.place,
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
