"""What a request says: plain data. What can be refused of it is read by a method that says so."""

import base64
import math
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.limits import MAX_PAGE
from shared.domain.sentence import Sentence
from shared.domain.token import Credential, Session
from shared.runtime import settings
from shared.web import cloudfront, languages, paths, push_links

Event = dict[str, Any]

_JSON = ".json"
_MAX_PAGE_NUMBER = 100  # characters, zeroes and spaces included, that a pattern is tried on
# Today's browsers, and those of before (Chrome, Safari, Firefox).
_PURPOSES = ("sec-purpose", "purpose", "x-purpose", "x-moz")
_PAGE_NUMBER = re.compile(r" *0*([0-9]{1,3}) *")


class Request:
    """An HTTP API event (payload format 2.0), read only as far as the endpoint asks. Each edge has its own kind."""

    def __init__(self, event: Event, context: Any = None) -> None:
        self._event = event
        self._context = context
        self._began = time.monotonic()
        self._caller: Caller | None = None
        self.headers: Mapping[str, str] = event.get("headers") or {}
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

    @property
    def redirect_target(self) -> str | None:
        """Where a request for almost the right path should go, None if that is right. It may hold a url_token."""
        return paths.redirect_target(self.path, self._event.get("rawQueryString", ""))

    @property
    def is_head(self) -> bool:
        """Whether only the headers are asked for: served as a GET, on routes of its own."""
        return self.original_method == "HEAD"

    @property
    def original_method(self) -> str:
        """The method as it was sent; the default route is for any."""
        return str(self._event["requestContext"]["http"]["method"])

    @cached_property
    def now(self) -> datetime:
        """When the gateway received the request, in UTC, to the millisecond."""
        return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=self._event["requestContext"]["timeEpoch"])

    def current_time(self) -> datetime:
        """`now`, and the time that has passed here since: after the receipt of all that was answered meanwhile."""
        passed = timedelta(milliseconds=math.ceil((time.monotonic() - self._began) * 1000))
        return self.now + passed

    def time_left(self) -> float:
        """Seconds until Lambda ends this function, without an answer and wherever it is."""
        return self._context.get_remaining_time_in_millis() / 1000 if self._context else math.inf

    @cached_property
    def base_url(self) -> str:
        """The scheme and host that links start with, without a slash at the end."""
        return self.settings.base_url or f"https://{self._event['requestContext']['domainName']}"

    @property
    def links(self) -> push_links.Links:
        """What links to pushes look like in the answer: `push_locale`, where it is served, is their language."""
        return push_links.Links(self.base_url, languages.match_tag(self.readable_query.get("push_locale", "")))

    @property
    def url_token(self) -> str:
        """The url_token of the path."""
        value = push_links.strip_punctuation(self._event["pathParameters"]["url_token"])
        return value.removesuffix(_JSON) if self.route.endswith("/{url_token}") else value

    @property
    def asks_for_json(self) -> bool:
        """Whether the path ends in `.json`, whatever mail software has left behind it."""
        return push_links.strip_punctuation(self.path.rpartition("/")[2]).endswith(_JSON)

    @property
    def is_prefetch(self) -> bool:
        """Whether a browser says that it asks in case somebody might go there, or to draw a miniature."""
        purposes = " ".join(self.headers.get(name, "").lower() for name in _PURPOSES)
        return any(purpose in purposes for purpose in ("prefetch", "prerender", "preview"))

    def refuse_prefetch(self) -> None:
        """Raises Prefetched when nobody has asked for this yet: what is handed out for good must not be."""
        if self.is_prefetch:
            raise errors.Prefetched

    @property
    def caller(self) -> Caller:
        """Who asks, as the edge has settled before the handler ran."""
        assert self._caller is not None, "nobody was asked"  # noqa: S101 (a mistake of ours)
        return self._caller

    def identify(self, caller: Caller) -> None:
        """Settle who asks."""
        self._caller = caller

    def build_caller(self, credential: Credential | None) -> Caller:
        """Whoever sent this, and what the gateway saw of them."""
        from shared.domain import redact  # loaded here: its patterns take time, and some endpoints ask for nobody

        return Caller(
            owner=credential.owner if credential else None,
            ip=self.ip,
            user_agent=redact.redact_header(self.header("user-agent")),
            referrer=redact.redact_header(self.header("referer")),
            session=credential if isinstance(credential, Session) else None,
            notify_when_viewed=credential is not None and credential.notify_when_viewed,
        )

    def refuse_direct_requests(self) -> None:
        """Raises NotFound, as if there were nothing here, for what came past a CloudFront that stands before this."""
        if not cloudfront.is_from_cloudfront(self.headers, self.settings.origin_secret):
            raise errors.NotFound

    @property
    def ip(self) -> str:
        """The address that the gateway saw, or CloudFront where that stands before it; never the caller's word."""
        seen = str(self._event["requestContext"]["http"]["sourceIp"])
        return cloudfront.caller_address(self.headers, seen, self.settings.origin_secret)

    def header(self, name: str) -> str:
        """A header, empty when there is none."""
        return self.headers.get(name, "")

    def page_number(self) -> int:
        """The page asked for, 1 to 200.

        Raises: MalformedRequest.
        """
        query = self.query()
        if "page" not in query:
            return 1
        text = query["page"]
        match = _PAGE_NUMBER.fullmatch(text) if len(text) <= _MAX_PAGE_NUMBER else None
        if not match or not 1 <= int(match[1]) <= MAX_PAGE:
            raise errors.MalformedRequest(Sentence("The page must be a number from 1 to {last}.", last=MAX_PAGE))
        return int(match[1])

    @property
    def own_url(self) -> str:
        """The URL of this request, without its query."""
        return self.base_url + self.path

    def query(self) -> dict[str, str]:
        """The parameters of the query, the last of each name.

        Raises: MalformedRequest.
        """
        # The gateway's own decoding joins repeats with commas, so it could not tell one passphrase from two.
        try:
            return dict(parse_qsl(self._event.get("rawQueryString", ""), keep_blank_values=True, errors="strict"))
        except ValueError as error:
            raise errors.MalformedRequest(Sentence("The query is not valid UTF-8.")) from error

    @cached_property
    def readable_query(self) -> dict[str, str]:
        """The parameters of the query, none where it cannot be read: for what is no reason to refuse a request."""
        try:
            return self.query()
        except errors.MalformedRequest:
            return {}

    def body(self) -> bytes:
        """The body as it was sent.

        Raises: MalformedRequest, where the gateway has lost some of it.
        """
        text: str = self._event.get("body") or ""
        if self._event.get("isBase64Encoded"):
            return base64.b64decode(text)
        decoded = text.encode("utf-8", "surrogatepass")
        # The gateway puts U+FFFD for bytes that are not UTF-8, and the secret would arrive as something else. The
        # length that the client declared gives the difference away.
        if "\ufffd" in text and self.headers.get("content-length", str(len(decoded))) != str(len(decoded)):
            raise errors.MalformedRequest("The body is not valid UTF-8.")
        return decoded


def next_page(page: int, *, more: bool) -> int | None:
    """The page after this one, if there is one."""
    return page + 1 if more and page < MAX_PAGE else None
