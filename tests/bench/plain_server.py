"""A plain WSGI server (one process, a thread for each connection) for the compared applications.

    python plain_server.py PORT handlers    our handlers, by the routes of the template
    python plain_server.py PORT bare        a botocore client that makes the calls pickled in a request
    python plain_server.py PORT snappass    SnapPass

Run by the Python of each application, so that SnapPass has its dependencies; the environment has the addresses of AWS
and Redis.
"""

import base64
import pickle
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from werkzeug.serving import WSGIRequestHandler, make_server

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Handler(WSGIRequestHandler):
    """HTTP as on a production server: a connection serves many requests, and no response waits for another."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_request(self, *_: Any) -> None:
        """Log nothing: each application has its own logs."""


def handlers() -> App:
    """Return our handlers as an application."""
    from tests.drivers.client import Context, handler_of

    function = Context(milliseconds=20_000)

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        event = _event(environ)
        answer = handler_of(event["routeKey"])(event, function)
        body = base64.b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
        headers = [*answer["headers"].items(), *(("set-cookie", cookie) for cookie in answer.get("cookies", []))]
        status = HTTPStatus(answer["statusCode"])
        start(f"{status.value} {status.phrase}", [*headers, ("content-length", str(len(body)))])
        return [body]

    return app


def _event(environ: dict[str, Any]) -> dict[str, Any]:
    from tests.drivers.client import Api

    headers = {name[5:].replace("_", "-").lower(): str(value)
               for name, value in environ.items() if name.startswith("HTTP_")}  # fmt: skip
    if environ.get("CONTENT_TYPE"):
        headers["content-type"] = environ["CONTENT_TYPE"]
    cookies = headers.pop("cookie", "")
    body = _body(environ)
    path = quote(environ["PATH_INFO"].encode("latin-1"))
    caller = Api(now=datetime.now(UTC), ip=environ["REMOTE_ADDR"])
    event = caller.event(
        environ["REQUEST_METHOD"], path, query=environ["QUERY_STRING"], headers=headers, body=body or None
    )
    event["requestContext"]["domainName"] = environ["HTTP_HOST"]
    return event | ({"cookies": cookies.split("; ")} if cookies else {})


def _body(environ: dict[str, Any]) -> bytes:
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return body


def bare() -> App:
    """Return a plain client as an application."""
    import boto3

    client = boto3.client("dynamodb", region_name="us-east-1")

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        for operation, parameters in pickle.loads(_body(environ)):
            client._make_api_call(operation, parameters)
        start("200 OK", [("content-length", "2"), ("content-type", "application/json")])
        return [b"{}"]

    return app


def snappass() -> App:
    """Return SnapPass, which finds Redis by its own setting."""
    from snappass.main import app

    found: App = app
    return found


if __name__ == "__main__":
    served = {"handlers": handlers, "bare": bare, "snappass": snappass}[sys.argv[2]]()
    make_server("127.0.0.1", int(sys.argv[1]), served, threaded=True, request_handler=Handler).serve_forever()
