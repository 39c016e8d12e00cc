"""The HTTP edge: errors to statuses, headers and logs.

Nothing secret leaves through a log line: a line names the route, never a path, a query, a header or a message.
"""

import base64
import gzip
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from shared import deadline
from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.limits import PAGE_SIZE
from shared.web import body, dialects, request
from shared.web.logs import described, logger
from shared.web.request import Event

HEADERS = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
}

# Section 7 of the specification, and what the contract adds to it.
STATUSES: dict[type[errors.Refusal], int] = {
    errors.MalformedRequest: 400,
    errors.Unauthenticated: 401,
    errors.PassphraseRefused: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.FilesMissing: 409,
    errors.FilesReplaced: 409,
    errors.TooLarge: 413,
    errors.InvalidPush: 422,
    errors.TooManyAttempts: 429,
    errors.QuotaSpent: 429,
    errors.Contended: 503,
    errors.Prefetched: 503,  # what is no success no browser keeps (HTML, section 7.6, Speculative loading)
    # On the pages only.
    errors.CredentialsRefused: 401,
    errors.ForgedForm: 403,
    errors.AddressRefused: 422,
    errors.PasswordRefused: 422,
    errors.CodeRefused: 422,
    errors.TooManyTries: 429,
}
UNAVAILABLE = "The service is not available at this moment: please try again."
LATER = {"retry-after": "2"}  # seconds, after a 503

# Lambda refuses answers over 6 MB, escaped and all, and a view that was claimed for one of those would be lost.
_MAX_PLAIN_BODY = 1_000_000
_MAX_BASE64_BODY = 4_500_000


@dataclass(frozen=True)
class Response:
    """What an endpoint answers; `content` becomes JSON."""

    status: int
    content: Any = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)


class Request(request.Request):
    """A request by a client of the API, which has an API token or nothing."""

    @property
    def passphrase(self) -> str:
        """The passphrase of the query, empty when there is none."""
        return self.query.get("passphrase", "")

    @property
    def dialect(self) -> dialects.Dialect:
        """How this version of the API writes a push."""
        return dialects.of(self.route)

    @property
    def sender(self) -> Caller:
        """The caller of a create; Unauthenticated when they are anonymous and its path is for owners."""
        from shared import auth

        if self.dialect.is_for_owners:
            auth.require_owner(self.caller)
        return self.caller

    @property
    def push_parameters(self) -> dict[str, Any]:
        """What the body says of a push, in whichever dialect."""
        content_type = self._headers.get("content-type", "") or self.dialect.media_type
        return self.dialect.filled(body.push_parameters(content_type, self._body, self.dialect.wrapper))

    @property
    def url_token(self) -> str:
        """The url_token of the path; NotFound without `.json` where such a path is a page's, as in API v1."""
        if self.dialect is not dialects.V2 and not self.asks_for_json:
            raise errors.NotFound
        return super().url_token

    def _owner(self) -> str | None:
        """The API token's. Unauthenticated for a bad credential, or for none where anonymous access is off."""
        # Loaded here, since the endpoints that ask nobody's name should not wait for the store.
        from shared import auth

        api_token = auth.presented_token(self._headers)
        if api_token is None and not self.settings.anonymous_access:
            raise errors.Unauthenticated
        return auth.owner_of(api_token, now=self.now) if api_token else None


Handler = Callable[[Request], Response]


def endpoint(handler: Handler) -> Callable[[Event, object], Event]:
    """Make a handler of requests one of events: refusals become statuses, and every answer gets its headers."""

    @wraps(handler)
    def handle(event: Event, context: object) -> Event:
        asked = Request(event, context)
        answered = serve(
            asked,
            answer=lambda: _to_event(handler(asked)),
            refused=lambda refusal: _to_event(_refused(refusal)),
            failed=lambda: _to_event(Response(503, {"error": UNAVAILABLE}, LATER)),
        )
        return answered | {"headers": {**answered["headers"], **dialects.cross_origin(asked.route)}}

    return handle


def serve(
    asked: request.Request,
    *,
    answer: Callable[[], Event],
    refused: Callable[[errors.Refusal], Event],
    failed: Callable[[], Event],
) -> Event:
    """Answer in time, whatever happens, and log one line."""
    started = time.monotonic()
    outcome: dict[str, Any] = {}
    try:
        with deadline.within(asked.time_left()):
            event = _moved(asked) or answer()
    except errors.Refusal as refusal:
        outcome["refusal"] = type(refusal).__name__
        event = refused(refusal)
    except Exception as error:  # noqa: BLE001 (nothing else may ever escape: the gateway would answer for us)
        outcome["failure"] = described(error)
        event = failed()
    if asked.is_head:
        event |= {"body": "", "isBase64Encoded": False}
    line = outcome | {"route": asked.route, "status": event["statusCode"], "request_id": asked.request_id}
    line["milliseconds"] = round((time.monotonic() - started) * 1000)
    (logger.error if "failure" in line else logger.info)("request", extra=line)
    return event


def ok(content: Any) -> Response:
    """An answer to a request that succeeded."""
    return Response(200, content)


def created(content: Any) -> Response:
    """An answer to a request that made something."""
    return Response(201, content)


def paged(content: Any, asked: Request, *, more: bool) -> Response:
    """A page, with headers that say where the pages beside it are, if there are any."""
    page = asked.page
    beside = {"prev": page - 1 if page > 1 else None, "next": asked.next_page(more=more)}
    links = [f'<{asked.own_url}?page={number}>; rel="{rel}"' for rel, number in beside.items() if number]
    headers = {"x-page": str(page), "x-per-page": str(PAGE_SIZE)}
    return Response(200, content, headers | ({"link": ", ".join(links)} if links else {}))


def _moved(asked: request.Request) -> Event | None:
    """The answer to a path that is almost right, None where it is quite."""
    place = asked.moved_to
    if place is None:
        return None
    # Clients drop their API token, or turn a POST into a GET, where they are redirected.
    if asked.sent_method not in ("GET", "HEAD"):
        raise errors.NotFound(f"not-found: the path is {place.partition('?')[0]}")
    return to_event(301, HEADERS | {"location": place}, "")


def waits(refusal: errors.Refusal) -> Mapping[str, str]:
    """The header that says when it is worth another try, if ever."""
    if isinstance(refusal, errors.TooManyAttempts | errors.QuotaSpent):
        return {"retry-after": str(refusal.retry_after)}
    return LATER if isinstance(refusal, errors.Contended | errors.Prefetched) else {}


def _refused(refusal: errors.Refusal) -> Response:
    status = STATUSES[type(refusal)]
    sentence = str(refusal)
    match refusal:
        case errors.InvalidPush():
            return Response(status, refusal.fields)
        case errors.PassphraseRefused():
            return Response(status, {"error": sentence, "message": sentence, "status": "unauthorized"})
        case errors.Unauthenticated():
            return Response(status, {"error": sentence}, {"www-authenticate": "Bearer"})
    return Response(status, {"error": sentence}, waits(refusal))


def _to_event(response: Response) -> Event:
    has_content = response.status != 204  # noqa: PLR2004 (No Content, RFC 9110, section 15.3.5)
    text = json.dumps(response.content, ensure_ascii=False, separators=(",", ":")) if has_content else ""
    return to_event(response.status, HEADERS | dict(response.headers), text)


def to_event(status: int, headers: dict[str, str], text: str) -> Event:
    """An answer in the form that API Gateway wants, however long its text is."""
    raw = text.encode()
    if len(raw) <= _MAX_PLAIN_BODY:
        return {"statusCode": status, "headers": headers, "body": text, "isBase64Encoded": False}
    if len(raw) > _MAX_BASE64_BODY:
        # Only a body full of escaped characters gets here. A client that sends no Accept-Encoding accepts any coding
        # (RFC 9110, section 12.5.3).
        raw = gzip.compress(raw, compresslevel=1)
        headers = headers | {"content-encoding": "gzip"}
    encoded = base64.b64encode(raw).decode()
    return {"statusCode": status, "headers": headers, "body": encoded, "isBase64Encoded": True}
