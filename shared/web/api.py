"""The API's edge: API tokens, JSON requests and JSON responses."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.limits import PAGE_SIZE
from shared.domain.safe_repr import hide_fields
from shared.web import cors, dialects, statuses
from shared.web.edge import Edge
from shared.web.request import Event, next_page
from shared.web.request import Request as _Request

_PERCENT_ENCODED = re.compile(r"(?:[ -$&-~]|%[0-9A-Fa-f]{2})*")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@hide_fields("content")
class Response(NamedTuple):
    """A response of the API; `content` is serialized to JSON."""

    status: int
    content: Any
    headers: Mapping[str, str] = {}


class Request(_Request):
    """An API request, of API v2 or v1."""

    @property
    def dialect(self) -> dialects.Dialect:
        """The dialect of this request's API version."""
        return dialects.of(self.route)

    @property
    def cross_origin(self) -> Mapping[str, str]:
        """The CORS headers of the response; empty unless CORS is enabled for this path."""
        return cors.response_headers(self.route, self.path, self.header("origin"), self.settings.cors_origins)

    def passphrase(self) -> str:
        """Return the passphrase in the query or the header `X-Passphrase`, or an empty string.

        Raises: MalformedRequest, if one is not valid UTF-8, or if both differ.
        """
        sent = {self.query().get("passphrase"), self._passphrase_header()} - {None}
        if len(sent) > 1:
            raise errors.MalformedRequest("The passphrases in the query and in the header X-Passphrase differ.")
        return sent.pop() or "" if sent else ""

    def _passphrase_header(self) -> str | None:
        value = self.headers.get("x-passphrase")
        if value is None:
            return None
        try:
            if _PERCENT_ENCODED.fullmatch(value):
                return unquote(value, errors="strict")
        except UnicodeDecodeError:
            pass
        raise errors.MalformedRequest("The header X-Passphrase must be UTF-8, percent-encoded.")

    @property
    def manage_key(self) -> str | None:
        """The `X-Manage-Key` header; None if the request has none."""
        return self.headers.get("x-manage-key")

    def idempotency_key(self) -> str | None:
        """Return the `Idempotency-Key` header; None if the request has none.

        Raises: MalformedRequest, if the key is not well-formed.
        """
        key = self.headers.get("idempotency-key")
        if key is None:
            return None
        from shared.domain import idempotency  # imported here: it loads OpenSSL, and few requests have a key

        return idempotency.check_key(key)


def ok(content: Any) -> Response:
    """Return a response with status 200."""
    return Response(200, content)


def created(content: Any) -> Response:
    """Return a response with status 201."""
    return Response(201, content)


def page_response(content: Any, request: Request, *, more: bool) -> Response:
    """Return one page of a list, with `Link` headers to the previous and the next page, if there are any.

    `more` says whether a next page exists.
    """
    page = request.page_number()
    beside = {"prev": page - 1, "next": next_page(page, more=more)}  # there is no page 0
    links = [f'<{request.own_url}?page={number}>; rel="{rel}"' for rel, number in beside.items() if number]
    headers = {"x-page": str(page), "x-per-page": str(PAGE_SIZE)}
    return Response(200, content, headers | ({"link": ", ".join(links)} if links else {}))


def _authenticate(request: Request) -> Caller:
    """Return the owner of the API token, or an anonymous caller.

    Raises: NotFound, if the path belongs to a page; Unauthenticated, if the token is invalid, or missing where one is
    required.
    """
    # Imported here: public endpoints need no store, which is slow to load.
    from shared.identity import auth

    # In API v1, a path without `.json` belongs to a page.
    if "{url_token}" in request.route and request.dialect is not dialects.V2 and not request.asks_for_json:
        raise errors.NotFound
    api_token = auth.token_from_headers(request.headers)
    needs_token = request.dialect.requires_token(request.route) or not request.settings.anonymous_access
    if api_token is None and needs_token:
        raise errors.Unauthenticated
    return request.build_caller(auth.require_api_token(api_token, now=request.now) if api_token else None)


def _refuse(_request: Request, refusal: errors.Refusal) -> Response:
    status = statuses.STATUSES[type(refusal)]
    sentence = str(refusal)
    match refusal:
        case errors.InvalidPush():
            return Response(status, refusal.fields)
        case errors.PassphraseRefused():
            return Response(status, {"error": sentence, "message": sentence, "status": "unauthorized"})
        case errors.Unauthenticated():
            return Response(status, {"error": sentence}, {"www-authenticate": "Bearer"})
    return Response(status, {"error": sentence}, statuses.retry_headers(refusal))


def _render(request: Request, response: Response) -> Event:
    has_content = response.status != 204  # noqa: PLR2004 (No Content, RFC 9110, section 15.3.5)
    text = _encode(response.content) if has_content else ""
    headers = {**statuses.HEADERS, **response.headers, **request.cross_origin}
    return statuses.to_event(response.status, headers, text)


_EDGE = Edge(
    read=Request,
    authenticate=_authenticate,
    render=_render,
    refuse=_refuse,
    unavailable=Response(503, {"error": statuses.UNAVAILABLE}, statuses.RETRY_LATER),
)
endpoint = _EDGE.for_anyone
for_owners = _EDGE.for_owners
public = _EDGE.public
