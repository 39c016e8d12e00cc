"""The edge of the pages: event to request, domain values to HTML, sessions, and headers that let nothing in or out.

Everything works by links and forms alone; the script in the assets only makes some of it more comfortable.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from secrets import compare_digest
from typing import TYPE_CHECKING, Any

from shared.domain import errors
from shared.web import api, body, cookies, html, request
from shared.web.request import Event

# Bytes. API Gateway has 10,240 for all header values of an answer and answers 503 in our stead beyond; a passphrase of
# 2,048 bytes, percent-encoded, is 6,144.
MAX_LOCATION = 8_192

if TYPE_CHECKING:  # Assets and redirects should not wait for the store.
    from shared.domain.token import Session

# Nothing inline, nothing from elsewhere, in nobody's frame. `{uploads}` is S3, on the one page that brings files there.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'{uploads}; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = api.HEADERS | {
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Page:
    """A page to render, with headers of its own.

    `uploads` is an origin that its script may send files to; `form_secret` is the value of the cookie that its forms
    go with, where there is no session yet.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    uploads: str = ""
    form_secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class Elsewhere:
    """Another place to go to; `session` opens one, or closes it when empty."""

    path: str
    session: str | None = field(default=None, repr=False)
    status: int = 303


@dataclass(frozen=True)
class Document:
    """Something that is no page: an asset."""

    content: str = field(repr=False)
    content_type: str
    cache_control: str


Answer = Page | Elsewhere | Document

_UNAVAILABLE = Page("refused.html", {"sentence": api.UNAVAILABLE, "anonymous": True}, 503, api.LATER)


class Request(request.Request):
    """A request by a browser, which has a session instead of an API token."""

    @property
    def method(self) -> str:
        """GET or POST. A HEAD is a GET whose answer loses its body at the edge."""
        return "GET" if self.is_head else self.sent_method

    @property
    def session(self) -> str:
        """The value of the session's cookie, empty when there is none."""
        return cookies.value(cookies.SESSION, self._cookies)

    @cached_property
    def signed_in(self) -> "Session | None":
        """What is kept of the session, if it is open."""
        from shared import auth

        return auth.session(self.session, now=self.now) if self.session else None

    @property
    def own_session(self) -> "Session":
        """What is kept of the session of the owner who asks.

        Raises: Unauthenticated.
        """
        if self.signed_in is None:
            raise errors.Unauthenticated
        return self.signed_in

    @cached_property
    def form_secret(self) -> str:
        """The value of the cookie that forms before sign-in go with: the browser's, or a new one."""
        from shared import auth

        return cookies.form_secret(self._cookies) or auth.new_form_secret()

    def parameter(self, name: str) -> str:
        """A variable of the path."""
        return str(self._event["pathParameters"][name])

    @cached_property
    def form(self) -> dict[str, str]:
        """The fields of the form, once it is sure to be one of ours."""
        # Browsers say where a request comes from, whatever the referrer policy; old ones have the cookie's SameSite.
        if self._headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise errors.ForgedForm
        return body.form_fields(self._headers.get("content-type", ""), self._body)

    @property
    def owners_form(self) -> dict[str, str]:
        """The fields of a form on a page for the signed-in, which carries a token of the session."""
        from shared import auth

        auth.require_owner(self.caller)
        return self._form_with(self.session)

    @property
    def strangers_form(self) -> dict[str, str]:
        """The fields of a form before sign-in, which carries a token of a cookie that only our own page sets.

        Another site could sign a victim in to an account of its own otherwise, and read what they push there.
        """
        return self._form_with(cookies.form_secret(self._cookies))

    def _form_with(self, cookie: str) -> dict[str, str]:
        from shared import auth

        sent = self.form.get("form_token", "").encode()  # compare_digest takes no text that is not ASCII
        if not cookie or not compare_digest(sent, auth.form_token(cookie).encode()):
            raise errors.ForgedForm
        return self.form

    @property
    def _cookies(self) -> list[str]:
        sent: list[str] = self._event.get("cookies") or self._headers.get("cookie", "").split(";")
        return sent

    def _owner(self) -> str | None:
        """Whose session it is, if it is open. Pages are open to all, links even more so."""
        return self.signed_in.owner if self.signed_in else None


Handler = Callable[[Request], Answer]


def page(handler: Handler) -> Callable[[Event, object], Event]:
    """Make a handler of requests one of events: refusals become pages, and every page gets its headers."""

    @wraps(handler)
    def handle(event: Event, context: object) -> Event:
        asked = Request(event, context)
        return api.serve(
            asked,
            answer=lambda: _to_event(asked, handler(asked)),
            refused=lambda refusal: _to_event(asked, _refused(refusal)),
            failed=lambda: _to_event(asked, _UNAVAILABLE),
        )

    return handle


def with_refusal(template: str, values: Mapping[str, Any], refusal: errors.Refusal | None) -> Page:
    """A page that shows a refusal, if there is one, beside the form that caused it."""
    status, headers = (api.STATUSES[type(refusal)], api.waits(refusal)) if refusal else (200, {})
    return Page(template, {**values, "refusal": refusal}, status, headers)


def _refused(refusal: errors.Refusal) -> Answer:
    if isinstance(refusal, errors.Unauthenticated):
        return Elsewhere("/users/sign_in")
    sentence = "There is no such page." if isinstance(refusal, errors.NotFound) else str(refusal)
    return with_refusal("refused.html", {"sentence": sentence, "anonymous": True}, refusal)


def _to_event(asked: Request, answer: Answer) -> Event:
    headers = dict(_HEADERS)
    if isinstance(answer, Elsewhere):
        if len(answer.path.encode()) > MAX_LOCATION:
            raise errors.MalformedRequest("The address is too long.")
        headers |= {"location": answer.path, "content-security-policy": _POLICY.format(uploads="")}
        lifetime = asked.settings.session_lifetime
        return api.to_event(answer.status, headers, "") | _set(cookies.session(answer.session, lifetime))
    if isinstance(answer, Document):
        headers |= {"content-type": answer.content_type, "cache-control": answer.cache_control}
        return api.to_event(200, headers, answer.content)
    headers |= answer.headers
    headers["content-security-policy"] = _POLICY.format(uploads=f" {answer.uploads}" if answer.uploads else "")
    return api.to_event(answer.status, headers, _render(asked, answer)) | _set(cookies.form(answer.form_secret))


def _render(asked: Request, answer: Page) -> str:
    owner = None if answer.values.get("anonymous") else asked.caller.owner
    shared_values = {
        "owner": owner,
        "form_token": _form_token(cookie) if (cookie := answer.form_secret or (owner and asked.session)) else "",
        "settings": asked.settings,
        "path": asked.path,
    }
    return html.render(answer.template, shared_values | dict(answer.values))


def _form_token(cookie: str) -> str:
    # Loaded here, since a page for everybody, such as that of a path which does not exist, has no use for the store.
    from shared import auth

    return auth.form_token(cookie)


def _set(cookie: str | None) -> dict[str, Any]:
    return {"cookies": [cookie]} if cookie else {}
