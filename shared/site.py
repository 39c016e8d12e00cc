"""The edge of the pages: event to request, domain values to HTML, sessions, and headers that let nothing in or out.

Everything works by links and forms alone; the script in the assets only makes some of it more comfortable.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, wraps
from pathlib import Path
from secrets import compare_digest
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from shared import api, body, deadline, errors
from shared.logs import described
from shared.push import Caller

TEMPLATES = Path(__file__).parent.parent / "functions" / "pages" / "templates"
SESSION_COOKIE = "session"

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
    """A page to render. `uploads` is an origin that its script may send files to."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    uploads: str = ""


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


class Request(api.Request):
    """A request by a browser, which has a session instead of an API token."""

    @property
    def method(self) -> str:
        """GET or POST."""
        return self.route.partition(" ")[0]

    @property
    def session(self) -> str:
        """The value of the session's cookie, empty when there is none."""
        sent = self._event.get("cookies") or self._headers.get("cookie", "").split(";")
        cookies = dict(cookie.strip().partition("=")[::2] for cookie in sent)
        return str(cookies.get(SESSION_COOKIE, ""))

    @cached_property
    def caller(self) -> Caller:
        """Who asks; anonymous without a session that is still open. Pages are open to all, links even more so."""
        from shared import auth

        return Caller(
            owner=auth.session_owner(self.session, now=self.now) if self.session else None,
            ip=self._event["requestContext"]["http"]["sourceIp"],
            user_agent=self._header("user-agent"),
            referrer=self.referrer,
        )

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
        sent = self.form.get("form_token", "").encode()  # compare_digest takes no text that is not ASCII
        if not compare_digest(sent, auth.form_token(self.session).encode()):
            raise errors.ForgedForm
        return self.form


Handler = Callable[[Request], Answer]


def page(handler: Handler) -> Callable[[api.Event, object], api.Event]:
    """Make a handler of requests one of events: refusals become pages, and every page gets its headers."""

    @wraps(handler)
    def handle(event: api.Event, context: object) -> api.Event:
        started = time.monotonic()
        request = Request(event, context)
        outcome: dict[str, Any] = {}
        try:
            with deadline.within(request.time_left()):
                answer = _to_event(request, handler(request))
        except errors.Refusal as refusal:
            outcome["refusal"] = type(refusal).__name__
            answer = _to_event(request, _refused(refusal))
        except Exception as error:  # noqa: BLE001 (nothing else may ever escape: the gateway would answer for us)
            outcome["failure"] = described(error)
            values = {"sentence": api.UNAVAILABLE, "anonymous": True}
            answer = _to_event(request, Page("refused.html", values, 503, api.LATER))
        api.report(request, answer["statusCode"], started, outcome)
        return answer

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


def _to_event(request: Request, answer: Answer) -> api.Event:
    headers = dict(_HEADERS)
    if isinstance(answer, Elsewhere):
        headers |= {"location": answer.path, "content-security-policy": _POLICY.format(uploads="")}
        return api.to_event(answer.status, headers, "") | _cookies(request, answer.session)
    if isinstance(answer, Document):
        headers |= {"content-type": answer.content_type, "cache-control": answer.cache_control}
        return api.to_event(200, headers, answer.content)
    headers |= answer.headers
    headers["content-security-policy"] = _POLICY.format(uploads=f" {answer.uploads}" if answer.uploads else "")
    return api.to_event(answer.status, headers, _render(request, answer))


def _render(request: Request, answer: Page) -> str:
    from shared import auth

    owner = None if answer.values.get("anonymous") else request.caller.owner
    shared_values = {
        "owner": owner,
        "form_token": auth.form_token(request.session) if owner else "",
        "settings": request.settings,
        "path": request.path,
    }
    return _templates().get_template(answer.template).render(shared_values | dict(answer.values))


def _cookies(request: Request, session: str | None) -> dict[str, Any]:
    if session is None:
        return {}
    lifetime = int(request.settings.session_lifetime.total_seconds()) if session else 0
    attributes = f"Path=/; Max-Age={lifetime}; HttpOnly; Secure; SameSite=Lax"
    return {"cookies": [f"{SESSION_COOKIE}={session}; {attributes}"]}


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"exact": _exact, "moment": _moment, "bytes": _bytes}
    return environment


def _exact(text: str) -> Markup:
    """Text for a pre element, from which a browser reads just this text again: it would drop a first line break."""
    return Markup("\n") + escape(text).replace("\r", Markup("&#13;"))


def _moment(moment: Any) -> Markup:
    """A moment, which the script turns into the reader's zone."""
    shown = f"{moment:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), shown)


def _bytes(size: int) -> str:
    """A size in words."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:  # noqa: PLR2004 (it is what the units say)
            return f"{size:,.0f} {unit}"
        size = round(size / 1024)
    return f"{size:,.0f} GiB"
