"""The edge of the pages: event to request, domain values to HTML, sessions, and headers that let nothing in or out.

Everything works by links and forms alone; the script in the assets only makes some of it more comfortable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.sentence import Sentence
from shared.web import answers, assets, cookies, paths, site
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
# A browser then sends the same form again, its idempotency key included; "Back" would find an empty one.
_UNAVAILABLE = Sentence(
    "The service is not available at this moment: please reload this page, and what you sent goes with it."
)
_NO_SUCH_PAGE = Sentence("There is no such page.")
_HEADERS = answers.HEADERS | {
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Page:
    """A page to render, with headers of its own.

    `uploads` is an origin that its script may send files to, `downloads` one that its forms may lead to; `form_secret`
    is the value of the cookie that its forms go with, where there is no session yet. `offers_languages` is False where
    asking for the page again would cost a view.
    """

    template: str
    values: Mapping[str, Any] = field(repr=False)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    uploads: str = ""
    downloads: str = ""
    form_secret: str = field(default="", repr=False)
    offers_languages: bool = True


@dataclass(frozen=True)
class Elsewhere:
    """Another place to go to; `session` opens one, or closes it when empty; `choices` is a cookie's header."""

    path: str = field(repr=False)  # it may hold a url_token, or be a link to a file
    session: str | None = field(default=None, repr=False)
    status: int = 303
    choices: str | None = None


@dataclass(frozen=True)
class Document:
    """Something that is no page: an asset, or what the script of a page asked for; `choices` is a cookie's header."""

    content: str = field(repr=False)
    content_type: str
    cache_control: str
    status: int = 200
    choices: str | None = None


Answer = Page | Elsewhere | Document


def with_refusal(template: str, values: Mapping[str, Any], refusal: errors.Refusal | None) -> Page:
    """A page that shows a refusal, if there is one, beside the form that caused it."""
    status, headers = (answers.STATUSES[type(refusal)], answers.waits(refusal)) if refusal else (200, {})
    return Page(template, {**values, "refusal": refusal}, status, headers)


def _authenticate(asked: Request) -> Caller:
    """The owner whose session it is, if it is open; else an anonymous caller, since pages are open to all."""
    if not asked.session_cookie:
        return asked.as_caller(None)
    # Loaded here: whoever has no session has no use for the store.
    from shared import auth

    session = auth.session(asked.session_cookie, now=asked.now)
    return asked.as_caller(session.owner if session else None, session)


def _refuse(refusal: errors.Refusal) -> Answer:
    if isinstance(refusal, errors.Unauthenticated):
        return Elsewhere("/users/sign_in")
    sentence = _NO_SUCH_PAGE if isinstance(refusal, errors.NotFound) else refusal
    return with_refusal("refused.html", {"sentence": sentence, "anonymous": True}, refusal)


def _render(asked: Request, answer: Answer) -> Event:
    headers = _HEADERS | {"content-security-policy": _policy()}
    if isinstance(answer, Elsewhere):
        if len(answer.path.encode()) > paths.MAX_LOCATION:
            raise errors.MalformedRequest(paths.TOO_LONG)
        session = cookies.session(answer.session, asked.settings.session_lifetime)
        to_set = cookies.setting(session, answer.choices, cookies.locale(asked.asked_locale))
        return answers.to_event(answer.status, headers | {"location": answer.path}, "") | to_set
    if isinstance(answer, Document):
        headers |= {"content-type": answer.content_type, "cache-control": answer.cache_control}
        return answers.to_event(answer.status, headers, answer.content) | cookies.setting(answer.choices)
    headers |= answer.headers
    if answer.uploads or answer.downloads:
        headers["content-security-policy"] = _policy(answer.uploads, answer.downloads)
    to_set = cookies.setting(cookies.form(answer.form_secret), cookies.locale(asked.asked_locale))
    return answers.to_event(answer.status, headers, _html(asked, answer)) | to_set


def _policy(uploads: str = "", downloads: str = "") -> str:
    style, script = (assets.source(content) for content in site.inline())
    named = {"uploads": f" {uploads}" if uploads else "", "downloads": f" {downloads}" if downloads else ""}
    return _POLICY.format(style=style, script=script, **named)


def prepare() -> None:
    """Load what renders pages, in Lambda's init phase (see `shared.cold_start`)."""
    from shared.web import html

    html.environment(site.directory())


def _html(asked: Request, answer: Page) -> str:
    from shared.web import html  # loaded here: assets and redirects are no pages

    owner = None if answer.values.get("anonymous") else asked.caller.owner
    shared_values = {
        "owner": owner,
        "form_token": form_token(cookie) if (cookie := answer.form_secret or (owner and asked.session_cookie)) else "",
        "settings": asked.settings,
        "path": asked.path,
        "place": asked.place,
        "offers_languages": asked.method == "GET" and answer.offers_languages,
    }
    return html.render(answer.template, shared_values | dict(answer.values), asked.locale)


_EDGE: Edge[Request, Answer] = Edge(
    read=Request,
    authenticate=_authenticate,
    render=_render,
    refuse=_refuse,
    unavailable=Page("refused.html", {"sentence": _UNAVAILABLE, "anonymous": True}, 503, answers.LATER),
)
page = _EDGE.for_all
for_owners = _EDGE.for_owners
for_nobody = _EDGE.for_nobody
