"""A client that sends HTTP API events (payload format 2.0) to the template's handlers."""

import base64
import gzip
import importlib
import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlencode

from infra.build import template
from tests.doubles.fine_grained_access import running

START = datetime(2026, 1, 1, 1, 0, tzinfo=UTC)
DOMAIN = "api.example.test"
TEXT_TYPES = ("text/", "application/json")

# Idempotency keys.
KEY = "0123456789abcdef"
OTHER_KEY = "fedcba9876543210"

Json = dict[str, Any]

# API Gateway replaces a response with larger headers by one of its own, after the function has done its work
# (http-api-quotas, "total combined size of request line and header values").
MAX_HEADERS = 10_240
GATEWAYS_OWN: Json = {
    "statusCode": 503,
    "headers": {"content-type": "application/json"},
    "body": '{"message":"Service Unavailable"}',
}


@dataclass(frozen=True)
class Answer:
    """A response as the client receives it."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Request(NamedTuple):
    """A request as a client sends it."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes | None
    cookies: Sequence[str]


@dataclass(frozen=True)
class Context:
    """Lambda's context of an invocation: by default with the longest timeout."""

    milliseconds: int = 900_000
    function_name: str = "test"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:123456789012:function:test"
    aws_request_id: str = "an-invocation"

    def get_remaining_time_in_millis(self) -> int:
        return self.milliseconds


@dataclass
class Api:
    """A client of the API. `now` is the clock; `token` an optional API token for every request."""

    now: datetime = START
    token: str | None = None
    ip: str = "192.0.2.1"
    headers: dict[str, str] = field(default_factory=dict)

    def tick(self, **duration: float) -> None:
        self.now += timedelta(**duration)

    def as_owner(self, token: str | None) -> "Api":
        return Api(now=self.now, token=token, ip=self.ip, headers=self.headers)

    def request(self, method: str, path: str, **how: Any) -> Answer:
        """Send a request; `how` is as for `prepare`."""
        return self.exchange(method, path, **how)[0]

    def exchange(self, method: str, path: str, **how: Any) -> tuple[Answer, list[str]]:
        """Send a request; return the response and each cookie to set."""
        return self.send(self.prepare(method, path, **how))

    def event(self, method: str, path: str, **how: Any) -> Json:
        """Return the event for a request."""
        return self._as_event(self.prepare(method, path, **how))

    def prepare(
        self,
        method: str,
        path: str,
        *,
        query: str | dict[str, Any] = "",
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
        cookies: Sequence[str] = (),
    ) -> Request:
        """Return a request of this caller."""
        sent = {name.lower(): value for name, value in {**self.headers, **(headers or {})}.items()}
        if self.token is not None:
            sent.setdefault("authorization", f"Bearer {self.token}")
        return Request(method, path, query if isinstance(query, str) else urlencode(query), sent, body, cookies)

    def send(self, request: Request) -> tuple[Answer, list[str]]:
        """Let the handler in this process answer a request."""
        raw = self.handled(self._as_event(request))
        return read(raw), raw.get("cookies", [])

    def handled(self, event: Json) -> Json:
        """Return Lambda's response to an event."""
        return handle(event["routeKey"], event)

    def _as_event(self, request: Request) -> Json:
        if "{" in request.path:
            raise ValueError(f"a route's template is no path that anybody asks for: {request.path}")
        key, parameters = match_route(request.method, request.path)
        event: Json = {
            "version": "2.0",
            "routeKey": key,
            "rawPath": request.path,
            "rawQueryString": request.query,
            "headers": request.headers,
            "pathParameters": parameters,
            "requestContext": {
                "domainName": DOMAIN,
                "http": {"method": request.method, "path": request.path, "sourceIp": self.ip},
                "requestId": str(uuid.uuid4()),
                "timeEpoch": (self.now - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1),
            },
            "isBase64Encoded": False,
        }
        if request.cookies:
            event["cookies"] = list(request.cookies)
        if body := request.body:
            request.headers.setdefault("content-length", str(len(body)))
            if request.headers.get("content-type", "").startswith(TEXT_TYPES):
                event["body"] = body.decode("utf-8", "replace")
            else:
                event |= {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}
        return event

    def get(self, path: str, **query: Any) -> Answer:
        return self.request("GET", path, query=query)

    def post(self, path: str, document: Any, *, key: str | None = None) -> Answer:
        body = json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return self.request("POST", path, headers={"content-type": "application/json"} | keyed(key), body=body)

    def create(self, payload: Any = "s3cret", *, key: Any = None, **fields: Any) -> Answer:
        """Create a push, with an optional idempotency key (`Any` for the other fields)."""
        return self.post("/api/v2/pushes", {"push": {"payload": payload, **fields}}, key=key)

    def push(self, payload: str = "s3cret", *, key: Any = None, **fields: Any) -> str:
        """Create a push and return its url_token; fails if the create does."""
        answer = self.create(payload, key=key, **fields)
        assert answer.status == 201, answer
        return str(answer.json["url_token"])

    def retrieve(self, url_token: str, passphrase: str | None = None, *, key: str | None = None) -> Answer:
        query = "" if passphrase is None else f"passphrase={quote(passphrase)}"
        return self.request("GET", f"/api/v2/pushes/{url_token}", query=query, headers=keyed(key))

    def preview(self, url_token: str) -> Answer:
        return self.get(f"/api/v2/pushes/{url_token}/preview")

    def expire(self, url_token: str) -> Answer:
        return self.request("DELETE", f"/api/v2/pushes/{url_token}")

    def audit(self, url_token: str, **query: Any) -> Answer:
        return self.get(f"/api/v2/pushes/{url_token}/audit", **query)

    def active(self, **query: Any) -> Answer:
        return self.get("/api/v2/pushes/active", **query)

    def expired(self, **query: Any) -> Answer:
        return self.get("/api/v2/pushes/expired", **query)

    def kinds(self, url_token: str) -> list[str]:
        """Return the kinds of all audit entries on the first page, oldest first."""
        return [entry["kind"] for entry in self.audit(url_token).json["logs"]]


def keyed(key: str | None) -> dict[str, str]:
    """Return the header for an optional idempotency key."""
    return {} if key is None else {"idempotency-key": key}


def filled(route_key: str, **values: str) -> tuple[str, str]:
    """Return the method and a path of a route, with values for its parameters; an unknown path for the default."""
    method, _, pattern = route_key.partition(" ")
    if not pattern:
        return "GET", "/nowhere"
    return method, pattern.format_map({name: quote(value, safe="") for name, value in values.items()})


def match_route(method: str, path: str) -> tuple[str, Json]:
    """Match as API Gateway does: the route with the most literal segments wins, otherwise the default route."""
    for key, wanted, pattern in _patterns():
        if wanted == method and (found := pattern.fullmatch(path)):
            return key, {name: unquote(value) for name, value in found.groupdict().items()}
    return "$default", {}


@cache
def _patterns() -> list[tuple[str, str, re.Pattern[str]]]:
    """Return each route's key, method and path pattern, most literal segments first."""

    def literals(key: str) -> int:
        return sum("{" not in segment for segment in key.partition(" ")[2].split("/"))

    found = []
    for key in sorted((route.key for route in template.routes()), key=literals, reverse=True):
        method, _, path = key.partition(" ")
        found.append((key, method, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)))))
    return found


def handle(route_key: str, event: Json, context: Context = Context()) -> Json:
    """Return the gateway's response to an event, from the route's handler."""
    before = running.set(function_of(route_key))
    try:
        answer: Json = handler_of(route_key)(event, context)
    finally:
        running.reset(before)
    return GATEWAYS_OWN if headers_size(answer) > MAX_HEADERS else answer


def headers_size(answer: Json) -> int:
    """Return the size in bytes of a response's headers, cookies included; the gateway adds some of its own."""
    named = [*answer["headers"].items(), *(("set-cookie", cookie) for cookie in answer.get("cookies", []))]
    return sum(len(name) + len(value.encode()) for name, value in named)


def handler_of(route_key: str) -> Any:
    """Return the template's handler for a route."""
    return importlib.import_module(handler_module(route_key)).handler


@cache
def handler_module(route_key: str) -> str:
    """Return the module of the template's handler for a route."""
    return str(template.functions()[function_of(route_key)]["Handler"].removesuffix(".handler"))


@cache
def function_of(route_key: str) -> str:
    """Return the template's function for a route."""
    return next(route.function for route in template.routes() if route.key == route_key)


def read(answer: Json) -> Answer:
    """Convert a function's response as API Gateway does."""
    body = answer["body"]
    raw = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    if answer["headers"].get("content-encoding") == "gzip":
        raw = gzip.decompress(raw)
    return Answer(answer["statusCode"], answer["headers"], raw.decode())
