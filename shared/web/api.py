"""The API's edge: callers by their API tokens, JSON in and out."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from shared.domain import errors
from shared.domain.audit import Caller
from shared.domain.limits import PAGE_SIZE
from shared.domain.safe_repr import hide_fields
from shared.web import cors, dialects, statuses
from shared.web.edge import Edge
from shared.web.request import Event, next_page
from shared.web.request import Request as _Request

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@hide_fields("content")
class Response(NamedTuple):
    """What an endpoint answers; `content` becomes JSON."""

    status: int
    content: Any
    headers: Mapping[str, str] = {}


class Request(_Request):
    """A request by a client of the API, in whichever dialect of it."""

    @property
    def dialect(self) -> dialects.Dialect:
        """How this version of the API writes a push."""
        return dialects.of(self.route)

    @property
    def cross_origin(self) -> Mapping[str, str]:
        """The headers that let a page of another origin read the answer, if any may."""
        return cors.response_headers(self.route, self.path, self.header("origin"), self.settings.cors_origins)

    def passphrase(self) -> str:
        """The passphrase of the query, empty when there is none.

        Raises: MalformedRequest.
        """
        return self.query().get("passphrase", "")

    def idempotency_key(self) -> str | None:
        """The idempotency key of the headers, None when there is none.

        Raises: MalformedRequest.
        """
        key = self.headers.get("idempotency-key")
        if key is None:
            return None
        from shared.domain import idempotency  # loaded here: it loads OpenSSL, and few requests have a key

        return idempotency.check_key(key)


def ok(content: Any) -> Response:
    """An answer to a request that succeeded."""
    return Response(200, content)


def created(content: Any) -> Response:
    """An answer to a request that made something."""
    return Response(201, content)


def page_response(content: Any, request: Request, *, more: bool) -> Response:
    """A page, with headers that say where the pages beside it are, if there are any."""
    page = request.page_number()
    beside = {"prev": page - 1, "next": next_page(page, more=more)}  # there is no page 0
    links = [f'<{request.own_url}?page={number}>; rel="{rel}"' for rel, number in beside.items() if number]
    headers = {"x-page": str(page), "x-per-page": str(PAGE_SIZE)}
    return Response(200, content, headers | ({"link": ", ".join(links)} if links else {}))


def _authenticate(request: Request) -> Caller:
    """The owner of the API token, or an anonymous caller.

    Raises: NotFound for a path that is a page's; Unauthenticated for a bad credential, or for none where one is needed.
    """
    # Loaded here, since the endpoints that ask nobody's name should not wait for the store.
    from shared.identity import auth

    # As in API v1: without `.json` such a path is a page's.
    if "{url_token}" in request.route and request.dialect is not dialects.V2 and not request.asks_for_json:
        raise errors.NotFound
    api_token = auth.token_from_headers(request.headers)
    needs_token = request.dialect.is_for_owners_to_send(request.route) or not request.settings.anonymous_access
    if api_token is None and needs_token:
        raise errors.Unauthenticated
    return request.build_caller(auth.require_api_token(api_token, now=request.now) if api_token else None)


def _refuse(refusal: errors.Refusal) -> Response:
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
