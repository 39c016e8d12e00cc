"""HTTP requests as plain data. Methods that validate input say what they raise."""

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
from shared.web import cloudfront, languages, push_links

Event = dict[str, Any]

_JSON = ".json"
_MAX_PAGE_NUMBER = 100  # characters, with zeroes and spaces; longer text skips the pattern
# The headers of current browsers, then of older ones (Chrome, Safari, Firefox).
_PURPOSES = ("sec-purpose", "purpose", "x-purpose", "x-moz")
_CODING = re.compile(r"[\w.+*, -]{1,40}", re.ASCII)
_PAGE_NUMBER = re.compile(r" *0*([0-9]{1,3}) *")


class Request:
    """An HTTP API event (payload format 2.0), parsed on demand. API and pages have subclasses."""

    def __init__(self, event: Event, context: Any = None) -> None:
        self._event = event
        self._context = context
        self._began = time.monotonic()
        self._caller: Caller | None = None
        self.headers: Mapping[str, str] = event.get("headers") or {}
        self.settings = settings.current()

    @property
    def route(self) -> str:
        """The route key: the route's template, not the path."""
        return str(self._event["routeKey"])

    @property
    def request_id(self) -> str:
        """The gateway's request id."""
        return str(self._event["requestContext"]["requestId"])

    @property
    def path(self) -> str:
        """The path as sent. It may contain a url_token."""
        return str(self._event["rawPath"])

    @property
    def raw_query(self) -> str:
        """The query as sent. It may contain a passphrase."""
        return str(self._event.get("rawQueryString", ""))

    @property
    def is_head(self) -> bool:
        """Whether the method is HEAD. The gateway routes HEAD separately; we serve it like GET."""
        return self.original_method == "HEAD"

    @property
    def original_method(self) -> str:
        """The HTTP method as sent; the default route accepts any."""
        return str(self._event["requestContext"]["http"]["method"])

    @cached_property
    def now(self) -> datetime:
        """The time at which the gateway received the request, in UTC, to the millisecond."""
        return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=self._event["requestContext"]["timeEpoch"])

    def current_time(self) -> datetime:
        """Return `now` plus the time since the function started, rounded up to the millisecond.

        The result is later than every response sent before this call.
        """
        passed = timedelta(milliseconds=math.ceil((time.monotonic() - self._began) * 1000))
        return self.now + passed

    def time_left(self) -> float:
        """Return the seconds until Lambda's timeout; infinite outside Lambda."""
        return self._context.get_remaining_time_in_millis() / 1000 if self._context else math.inf

    @cached_property
    def base_url(self) -> str:
        """The scheme and host of links, without a trailing slash."""
        return self.settings.base_url or f"https://{self._event['requestContext']['domainName']}"

    @property
    def links(self) -> push_links.Links:
        """The `Links` to create links to pushes with, in the language of the query's `push_locale` if it is served."""
        return self.links_in("")

    def links_in(self, push_locale: str) -> push_links.Links:
        """Return the `Links` in this language, unless the query's `push_locale` leads to another."""
        tags = filter(None, (self.readable_query.get("push_locale"), push_locale))
        return push_links.Links(self.base_url, next(filter(None, map(languages.match_tag, tags)), None))

    @property
    def url_token(self) -> str:
        """The url_token in the path."""
        value = push_links.strip_punctuation(self._event["pathParameters"]["url_token"])
        return value.removesuffix(_JSON) if self.route.endswith("/{url_token}") else value

    @property
    def ask_token(self) -> str:
        """The ask_token in the path."""
        return push_links.strip_punctuation(self._event["pathParameters"]["ask_token"]).removesuffix(_JSON)

    @property
    def asks_for_json(self) -> bool:
        """Whether the path ends in `.json`, ignoring trailing punctuation from mail software."""
        return push_links.strip_punctuation(self.path.rpartition("/")[2]).endswith(_JSON)

    @property
    def is_prefetch(self) -> bool:
        """Whether the browser declares the request as a prefetch, prerender or thumbnail preview."""
        purposes = " ".join(self.headers.get(name, "").lower() for name in _PURPOSES)
        return any(purpose in purposes for purpose in ("prefetch", "prerender", "preview"))

    def refuse_prefetch(self) -> None:
        """Reject a prefetch: nobody has opened the page yet, so it must not cost a view.

        Raises: Prefetched.
        """
        if self.is_prefetch:
            raise errors.Prefetched

    @property
    def caller(self) -> Caller:
        """The caller, as authenticated by the edge."""
        assert self._caller is not None, "the caller is not authenticated yet"  # noqa: S101 (a programming error)
        return self._caller

    def identify(self, caller: Caller) -> None:
        """Set the caller."""
        self._caller = caller

    def build_caller(self, credential: Credential | None) -> Caller:
        """Return the caller for a credential, with the IP address and headers for the audit log."""
        from shared.domain import redact  # imported here: its patterns are slow to compile; public endpoints need none

        return Caller(
            owner=credential.owner if credential else None,
            ip=self.ip,
            user_agent=redact.redact_header(self.header("user-agent")),
            referrer=redact.redact_header(self.header("referer")),
            session=credential if isinstance(credential, Session) else None,
            notify_when_viewed=credential is not None and credential.notify_when_viewed,
        )

    @property
    def _is_from_cloudfront(self) -> bool:
        return cloudfront.is_from_cloudfront(self.headers, self.settings.origin_secret)

    def refuse_direct_requests(self) -> None:
        """Reject a request that bypassed CloudFront, if CloudFront is required.

        Raises: NotFound.
        """
        if self.settings.requires_cloudfront and not self._is_from_cloudfront:
            raise errors.NotFound

    @property
    def ip(self) -> str:
        """The caller's IP address, from the gateway or CloudFront. The caller cannot forge it."""
        seen = str(self._event["requestContext"]["http"]["sourceIp"])
        return self.headers.get(cloudfront.ADDRESS, seen) if self._is_from_cloudfront else seen

    def header(self, name: str) -> str:
        """Return a header, or an empty string."""
        return self.headers.get(name, "")

    def page_number(self) -> int:
        """Return the requested page, from 1 to 200; 1 if the query has none.

        Raises: MalformedRequest.
        """
        # `page[]` and the like are lists in Rails; the first page would look like an answer to them.
        given = [(name, value) for name, value in self._query_pairs() if name.partition("[")[0] == "page"]
        if not given:
            return 1
        name, text = given[0]
        is_single = len(given) == 1 and name == "page" and len(text) <= _MAX_PAGE_NUMBER
        match = _PAGE_NUMBER.fullmatch(text) if is_single else None
        if not match or not 1 <= int(match[1]) <= MAX_PAGE:
            raise errors.MalformedRequest(Sentence("The page must be a number from 1 to {last}.", last=MAX_PAGE))
        return int(match[1])

    @property
    def own_url(self) -> str:
        """The request's URL without its query."""
        return self.base_url + self.path

    def query(self) -> dict[str, str]:
        """Return the query parameters; of repeated ones, the last.

        Raises: MalformedRequest, if the query is not valid UTF-8.
        """
        return dict(self._query_pairs())

    def _query_pairs(self) -> list[tuple[str, str]]:
        # The gateway joins repeated parameters with commas: two values would look like one with a comma.
        try:
            return parse_qsl(self.raw_query, keep_blank_values=True, errors="strict")
        except ValueError as error:
            raise errors.MalformedRequest(Sentence("The query is not valid UTF-8.")) from error

    @cached_property
    def readable_query(self) -> dict[str, str]:
        """The query parameters; empty if the query is malformed. Use it where that should not cause an error."""
        try:
            return self.query()
        except errors.MalformedRequest:
            return {}

    def body(self) -> bytes:
        """Return the body as sent.

        Raises: MalformedRequest, if it is compressed, or the gateway replaced invalid bytes.
        """
        coding = self.header("content-encoding").strip()
        if coding.lower() not in ("", "identity"):
            name = coding if _CODING.fullmatch(coding) else "an unknown one"
            raise errors.MalformedRequest(f"The body has a Content-Encoding ({name}): send it without one.")
        text: str = self._event.get("body") or ""
        if self._event.get("isBase64Encoded"):
            return base64.b64decode(text)
        decoded = text.encode("utf-8", "surrogatepass")
        # The gateway replaces bytes that are not UTF-8 by U+FFFD, which would change the secret. The declared length
        # reveals it.
        if "\ufffd" in text and self.headers.get("content-length", str(len(decoded))) != str(len(decoded)):
            raise errors.MalformedRequest("The body is not valid UTF-8.")
        return decoded


def next_page(page: int, *, more: bool) -> int | None:
    """Return the number of the page after `page`; None unless there is `more`."""
    return page + 1 if more and page < MAX_PAGE else None
