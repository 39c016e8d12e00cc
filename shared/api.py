"""The HTTP edge: event to request, errors to statuses, headers and logs.

Nothing secret leaves through a log line: a line names the route, never a path, a query, a header or a message.
"""

import base64
import gzip
import json
import math
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property, wraps
from typing import Any
from urllib.parse import parse_qsl

from shared import body, deadline, errors, settings
from shared.logs import described, logger
from shared.push import Caller

Event = dict[str, Any]

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
    errors.TooLarge: 413,
    errors.InvalidPush: 422,
    errors.TooManyAttempts: 429,
    errors.Contended: 503,
    # On the pages only.
    errors.CredentialsRefused: 401,
    errors.NotConfirmed: 403,
    errors.ForgedForm: 403,
    errors.PasswordRefused: 422,
    errors.CodeRefused: 422,
    errors.TooManyTries: 429,
}
UNAVAILABLE = "The service is not available at this moment: please try again."
LATER = {"retry-after": "2"}  # seconds, after a 503

MAX_PAGE = 200
PER_PAGE = 50
_MAX_HEADER = 255
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_JSON = ".json"
_PAGE_NUMBER = re.compile(r" *0*([0-9]{1,3}) *")

# Lambda refuses answers over 6 MB, escaped and all, and a view that was claimed for one of those would be lost.
_MAX_PLAIN_BODY = 1_000_000
_MAX_BASE64_BODY = 4_500_000


@dataclass(frozen=True)
class Response:
    """What an endpoint answers; `content` becomes JSON."""

    status: int
    content: Any = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)


class Request:
    """An HTTP API event (payload format 2.0), read only as far as the endpoint asks."""

    def __init__(self, event: Event, context: Any = None) -> None:
        self._event = event
        self._context = context
        self._headers: Mapping[str, str] = event.get("headers") or {}
        self.settings = settings.current()

    @property
    def route(self) -> str:
        """The route's key: a template, never the path itself."""
        return str(self._event["routeKey"])

    @property
    def request_id(self) -> str:
        """The gateway's name for this request."""
        return str(self._event["requestContext"]["requestId"])

    @property
    def path(self) -> str:
        """The path as it was sent. It may hold a url_token."""
        return str(self._event["rawPath"])

    @cached_property
    def now(self) -> datetime:
        """When the gateway received the request, in UTC, to the millisecond."""
        return _EPOCH + timedelta(milliseconds=self._event["requestContext"]["timeEpoch"])

    def time_left(self) -> float:
        """Seconds until Lambda ends this function, without an answer and wherever it is."""
        return self._context.get_remaining_time_in_millis() / 1000 if self._context else math.inf

    @cached_property
    def base_url(self) -> str:
        """The scheme and host that links start with, without a slash at the end."""
        return self.settings.base_url or f"https://{self._event['requestContext']['domainName']}"

    @property
    def url_token(self) -> str:
        """The url_token of the path."""
        value: str = self._event["pathParameters"]["url_token"]
        return value.removesuffix(_JSON) if self.route.endswith("/{url_token}") else value

    @cached_property
    def caller(self) -> Caller:
        """Who asks. Unauthenticated for a bad credential, or for none where anonymous access is off."""
        # Loaded here, since the endpoints that ask nobody's name should not wait for the store.
        from shared import auth

        api_token = auth.presented_token(self._headers)
        if api_token is None and not self.settings.anonymous_access:
            raise errors.Unauthenticated
        return Caller(
            owner=auth.owner_of(api_token, now=self.now) if api_token else None,
            ip=self._event["requestContext"]["http"]["sourceIp"],
            user_agent=self._header("user-agent"),
            referrer=self.referrer,
        )

    @property
    def referrer(self) -> str:
        """Where the caller came from, without a query, in which a page before ours may have put the passphrase."""
        return self._header("referer").partition("?")[0]

    @property
    def owner(self) -> str:
        """The owner who asks; Unauthenticated when the caller is anonymous."""
        from shared import auth

        return auth.require_owner(self.caller)

    @property
    def passphrase(self) -> str:
        """The passphrase of the query, empty when there is none."""
        return self.query.get("passphrase", "")

    @property
    def page(self) -> int:
        """The page asked for, 1 to 200."""
        if "page" not in self.query:
            return 1
        match = _PAGE_NUMBER.fullmatch(self.query["page"])
        if not match or not 1 <= int(match[1]) <= MAX_PAGE:
            raise errors.MalformedRequest(f"The page must be a number from 1 to {MAX_PAGE}.")
        return int(match[1])

    @property
    def push_parameters(self) -> dict[str, Any]:
        """What the body says of a push."""
        return body.push_parameters(self._headers.get("content-type", ""), self._body)

    @property
    def own_url(self) -> str:
        """The URL of this request, without its query."""
        return self.base_url + self.path

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters of the query, the last of each name."""
        # The gateway's own decoding joins repeats with commas, so it could not tell one passphrase from two.
        try:
            return dict(parse_qsl(self._event.get("rawQueryString", ""), keep_blank_values=True, errors="strict"))
        except ValueError as error:
            raise errors.MalformedRequest("The query is not valid UTF-8.") from error

    @property
    def _body(self) -> bytes:
        sent: str = self._event.get("body") or ""
        if self._event.get("isBase64Encoded"):
            return base64.b64decode(sent)
        decoded = sent.encode("utf-8", "surrogatepass")
        # The gateway puts U+FFFD for bytes that are not UTF-8, and the secret would arrive as something else. The
        # length that the client declared gives the difference away.
        if "\ufffd" in sent and self._headers.get("content-length", str(len(decoded))) != str(len(decoded)):
            raise errors.MalformedRequest("The body is not valid UTF-8.")
        return decoded

    def _header(self, name: str) -> str:
        sent = self._headers.get(name, "")
        # What is kept of a request must not hold the link that it asked for.
        if url_token := (self._event.get("pathParameters") or {}).get("url_token"):
            sent = sent.replace(url_token.removesuffix(_JSON), "…")
        return sent[:_MAX_HEADER].encode("utf-8", "replace").decode()


Handler = Callable[[Request], Response]


def endpoint(handler: Handler) -> Callable[[Event, object], Event]:
    """Make a handler of requests one of events: refusals become statuses, and every answer gets its headers."""

    @wraps(handler)
    def handle(event: Event, context: object) -> Event:
        started = time.monotonic()
        request = Request(event, context)
        outcome: dict[str, Any] = {}
        try:
            with deadline.within(request.time_left()):
                response = handler(request)
        except errors.Refusal as refusal:
            response = _refused(refusal)
            outcome["refusal"] = type(refusal).__name__
        except Exception as error:  # noqa: BLE001 (nothing else may ever escape: the gateway would answer for us)
            response = Response(503, {"error": UNAVAILABLE}, LATER)
            outcome["failure"] = described(error)
        report(request, response.status, started, outcome)
        return _to_event(response)

    return handle


def report(request: Request, status: int, started: float, outcome: dict[str, Any]) -> None:
    """Log one line for a request, `started` by the monotonic clock."""
    line = outcome | {"route": request.route, "status": status, "request_id": request.request_id}
    line["milliseconds"] = round((time.monotonic() - started) * 1000)
    (logger.error if "failure" in line else logger.info)("request", extra=line)


def ok(content: Any) -> Response:
    """An answer to a request that succeeded."""
    return Response(200, content)


def created(content: Any) -> Response:
    """An answer to a request that made something."""
    return Response(201, content)


def paged(content: Any, request: Request, *, more: bool) -> Response:
    """A page, with headers that say where the pages beside it are, if there are any."""
    page = request.page
    beside = {"prev": page - 1 if page > 1 else None, "next": page + 1 if more and page < MAX_PAGE else None}
    links = [f'<{request.own_url}?page={number}>; rel="{rel}"' for rel, number in beside.items() if number]
    headers = {"x-page": str(page), "x-per-page": str(PER_PAGE)}
    return Response(200, content, headers | ({"link": ", ".join(links)} if links else {}))


def waits(refusal: errors.Refusal) -> Mapping[str, str]:
    """The header that says when it is worth another try, if ever."""
    if isinstance(refusal, errors.TooManyAttempts):
        return {"retry-after": str(refusal.retry_after)}
    return LATER if isinstance(refusal, errors.Contended) else {}


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
    text = json.dumps(response.content, ensure_ascii=False, separators=(",", ":"))
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
