"""Any bytes over a socket get a 4xx or an orderly close within seconds, and the service goes on."""

import gzip
import re
import socket
from collections import Counter
from contextlib import suppress
from http.client import HTTPResponse, RemoteDisconnected
from random import Random
from urllib.parse import urlsplit

import pytest

from tests.drivers.http_client import HttpApi
from tests.meters.proof import Prove

PATIENCE = 30  # seconds, far from a hang
PUSHES = b"/api/v2/pushes"
JSON = b"application/json"
FORM = b"application/x-www-form-urlencoded"
MULTIPART = b"multipart/form-data; boundary=x"
MEGABYTE = 1_000_000

pytestmark = pytest.mark.prove


def head(method: bytes, path: bytes, *headers: bytes, version: bytes = b"HTTP/1.1", host: bytes = b"Host: a") -> bytes:
    lines = [b" ".join([method, path, version]), *([host] if host else []), *headers, b"Connection: close"]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def get(path: bytes, *headers: bytes) -> bytes:
    return head(b"GET", path, *headers)


def post(body: bytes, content_type: bytes = JSON, *headers: bytes) -> bytes:
    length = b"Content-Length: %d" % len(body)
    return head(b"POST", PUSHES, b"Content-Type: " + content_type, length, *headers) + body


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    sent = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head(b"POST", PUSHES, b"Content-Type: application/json", b"Transfer-Encoding: chunked") + sent + end


def push(field: bytes) -> bytes:
    return b'{"push": {"payload": "a", %s}}' % field


def part(headers: bytes, content: bytes = b"a", boundary: bytes = b"x") -> bytes:
    return b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary, headers, content)


PAYLOAD = b'Content-Disposition: form-data; name="push[payload]"'
GOOD = b'{"push": {"payload": "a"}}'

REFUSED: dict[str, bytes] = {
    # Paths and queries.
    "%00 in the path": get(PUSHES + b"/%00"),
    "a NUL in the path": get(PUSHES + b"/\0"),
    "%2e%2e in the path": get(b"/api/v2/%2e%2e/%2e%2e/etc/passwd"),
    "..%2f in the path": get(PUSHES + b"/..%2f..%2fversion"),
    ".. in the path": get(PUSHES + b"/../../../etc/passwd"),
    "%0d%0a in the path": get(PUSHES + b"/a%0d%0aSet-Cookie:%20a=b"),
    "bad UTF-8 in the path": get(PUSHES + b"/\xff\xfe"),
    "escaped bad UTF-8 in the path": get(PUSHES + b"/%ff%fe"),
    "an overlong slash in the path": get(PUSHES + b"/%c0%af"),
    "a surrogate in the path": get(PUSHES + b"/%ed%a0%80"),
    "a broken escape in the path": get(PUSHES + b"/%zz%"),
    "a percent at the end": get(PUSHES + b"/%"),
    "two slashes, and a write": head(b"DELETE", b"//api//v2//pushes//a"),
    "a semicolon": get(PUSHES + b"/active;a=b"),
    "a backslash": get(PUSHES + b"\\active"),
    "an absolute target elsewhere": get(b"http://example.com/api/v2/pushes/a"),
    "an asterisk": get(b"*"),
    "no slash": get(b"api/v2/version"),
    "a fragment": get(PUSHES + b"/a#b"),
    "a path of 9,000 characters": get(PUSHES + b"/" + b"a" * 9_000),
    "a path of 20,000 characters": get(PUSHES + b"/" + b"a" * 20_000),
    "a query of 20,000 characters": get(PUSHES + b"/a?passphrase=" + b"a" * 20_000),
    "a bad page": get(PUSHES + b"/active?page=%00"),
    "bad UTF-8 in the query": get(PUSHES + b"/a?passphrase=\xff"),
    "escaped bad UTF-8 in the query": get(PUSHES + b"/a?passphrase=%ff"),
    "a thousand parameters": get(PUSHES + b"/a?" + b"&".join([b"page=1"] * 1_000)),
    # Methods, versions and headers.
    "an unknown method": head(b"BREW", PUSHES),
    "a method in small letters": head(b"get", PUSHES + b"/a"),
    "a method of 5,000 letters": head(b"A" * 5_000, PUSHES),
    "PUT": head(b"PUT", PUSHES, b"Content-Length: 0"),
    "TRACE": head(b"TRACE", b"/api/v2/version"),
    "CONNECT": head(b"CONNECT", b"example.com:443"),
    "HTTP/1.0": head(b"GET", PUSHES + b"/a", version=b"HTTP/1.0", host=b""),
    "no Host": head(b"GET", PUSHES + b"/a", host=b""),
    "two Hosts": get(PUSHES + b"/a", b"Host: b"),
    "a Host that is none": head(b"GET", PUSHES + b"/a", host=b"Host: a b\xff/@"),
    "HTTP/9.9": head(b"GET", PUSHES + b"/a", version=b"HTTP/9.9"),
    "no HTTP at all": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xff" * 200 + b"\r\n\r\n",
    "a header of 11,000 characters": get(PUSHES + b"/a", b"X-A: " + b"a" * 11_000),
    "a header of 1 MB": get(PUSHES + b"/a", b"X-A: " + b"a" * MEGABYTE),
    "a token of 9,000 characters": get(PUSHES + b"/active", b"Authorization: Bearer " + b"a" * 9_000),
    "two credentials": get(PUSHES + b"/active", b"Authorization: Bearer a", b"Authorization: Bearer b"),
    "bad UTF-8 in a header": get(PUSHES + b"/active", b"Authorization: Bearer \xff\xfe", b"User-Agent: \xff"),
    "a NUL in a header": get(PUSHES + b"/a", b"X-A: a\0b"),
    "a bare line feed in a header": get(PUSHES + b"/a", b"X-A: a\nX-B: b"),
    "a header without a name": get(PUSHES + b"/a", b": a"),
    "a folded header": get(PUSHES + b"/a", b"X-A: a\r\n b"),
    # Bodies, JSON and other.
    "bad UTF-8 in JSON": post(push(b'"name": "\xff\xfe"')),
    "UTF-16": post(GOOD.decode().encode("utf-16")),
    "UTF-32, and says so": post(GOOD.decode().encode("utf-32"), b"application/json; charset=utf-32"),
    "UTF-7": post(b"+AHsAIg-push", b"application/json; charset=utf-7"),
    "gzip, and says so": post(gzip.compress(GOOD), JSON, b"Content-Encoding: gzip"),
    "a gzip bomb": post(gzip.compress(b" " * 50 * MEGABYTE), JSON, b"Content-Encoding: gzip"),
    "a duplicate key": post(push(b'"payload": "b"')),
    "a duplicate push, the last one empty": post(b'{"push": {"payload": "a"}, "push": {}}'),
    "100,000 brackets": post(b"[" * 100_000),
    "a million brackets, closed": post(push(b'"name": ' + b"[" * MEGABYTE + b"]" * MEGABYTE)),
    "100,000 objects": post(push(b'"name": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000)),
    "an array of two million": post(push(b'"name": [' + b"1," * 2 * MEGABYTE + b"1]")),
    "files in their hundred thousands": post(push(b'"files": [' + b"{}," * 100_000 + b"{}]")),
    "a number of a million digits": post(push(b'"expire_after_days": ' + b"9" * MEGABYTE)),
    "a number in a string of a million digits": post(push(b'"expire_after_days": "' + b"9" * MEGABYTE + b'"')),
    "an exponent past all floats": post(push(b'"expire_after_views": 1e999999')),
    "a name of 4 MB": post(push(b'"name": "' + b"a" * 4 * MEGABYTE + b'"')),
    "a payload of escaped NULs": post(b'{"push": {"payload": "' + rb"\u0000" * 100_000 + b'"}}'),
    "lone surrogates": post(push(rb'"name": "\ud800"')),
    "a body of 7 MB": post(b'{"push": {"payload": "' + b"a" * 7 * MEGABYTE + b'"}}'),
    "a body of 10 MB": post(b'{"push": {"payload": "' + b"a" * 10 * MEGABYTE + b'"}}'),
    "a body of 11 MB": post(b"a" * 11 * MEGABYTE),
    "no content type": head(b"POST", PUSHES, b"Content-Length: 26") + GOOD,
    "another content type": post(GOOD, b"text/xml"),
    "a content type of bad UTF-8": post(GOOD, b"\xff\xfe/\xff"),
    "an entity bomb": post(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', b"application/xml"),
    # Forms.
    "bad UTF-8 in a form": post(b"push[payload]=\xff", FORM),
    "escaped bad UTF-8 in a form": post(b"push[payload]=%ff", FORM),
    "a NUL in a form": post(b"push[payload]=%00", FORM),
    "100,000 fields in a form": post(b"&".join([b"push[a]=b"] * 100_000), FORM),
    "another boundary": post(part(PAYLOAD, boundary=b"y") + b"--y--\r\n", MULTIPART),
    "no boundary": post(part(PAYLOAD) + b"--x--\r\n", b"multipart/form-data"),
    "a boundary of 5,000 characters": post(part(PAYLOAD) + b"--x--\r\n", MULTIPART + b"x" * 5_000),
    "a boundary of bad UTF-8": post(part(PAYLOAD) + b"--x--\r\n", MULTIPART + b"y\xff"),
    "no last boundary": post(part(PAYLOAD), MULTIPART),
    "10,000 parts": post(part(PAYLOAD) * 10_000 + b"--x--\r\n", MULTIPART),
    "a part without a name": post(part(b"Content-Type: text/plain") + b"--x--\r\n", MULTIPART),
    "a part with a header of 1 MB": post(part(PAYLOAD + b"\r\nX-A: " + b"a" * MEGABYTE) + b"--x--\r\n", MULTIPART),
    "bad UTF-8 in a part": post(part(PAYLOAD, b"\xff\xfe") + b"--x--\r\n", MULTIPART),
    # Lengths and chunks.
    "a length that is none": post(GOOD, JSON, b"Content-Length: x"),
    "a negative length": head(b"POST", PUSHES, b"Content-Length: -1") + GOOD,
    "a length of 30 digits": head(b"POST", PUSHES, b"Content-Length: " + b"9" * 30) + GOOD,
    "two lengths": post(GOOD, JSON, b"Content-Length: 3"),
    "a length and chunks": post(GOOD, JSON, b"Transfer-Encoding: chunked"),
    "chunks of an unknown coding": post(GOOD, JSON, b"Transfer-Encoding: brotli, chunked"),
    "chunks of broken JSON": chunked(b'{"push": ', b"{"),
    "a chunk of a length that is none": chunked(end=b"zz\r\n" + GOOD + b"\r\n0\r\n\r\n"),
    "a chunk of a negative length": chunked(end=b"-5\r\n" + GOOD + b"\r\n0\r\n\r\n"),
    "a chunk longer than it says": chunked(end=b"1\r\n" + GOOD + b"\r\n0\r\n\r\n"),
    "11 MB in chunks": chunked(*[b"a" * MEGABYTE] * 11),
}
# Unusual but correct requests: accepted, not rejected.
UNDERSTOOD: dict[str, bytes] = {
    "a byte order mark": post(b"\xef\xbb\xbf" + GOOD),
    "chunks": chunked(GOOD[:5], GOOD[5:6], GOOD[6:]),
    "HTTP/1.0": head(b"GET", b"/api/v2/version", version=b"HTTP/1.0"),
    "a header of 9,000 characters": get(b"/api/v2/version", b"X-A: " + b"a" * 9_000),
    "two slashes": get(b"//api//v2//pushes//a"),  # 301 to the path without; so is the next
    "an empty url_token": get(PUSHES + b"/"),
    "escaped characters of ASCII in the path": get(b"/api/v2/version?%00=%ff"),
}


def exchange(base_url: str, sent: bytes) -> tuple[int, bytes]:
    """Return the status (0 if the server closed the connection without one) and the body. Skips interim 1xx responses.

    The response ends by its own length: a server keeps a connection whose "Connection: close" got mutated.
    """
    host, port = urlsplit(base_url).hostname, urlsplit(base_url).port
    with socket.create_connection((host or "", port or 0), timeout=PATIENCE) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # The server may close early, after its response.
            connection.sendall(sent)
            if announces_more(sent):  # A server rightly waits for the rest until the client stops sending.
                connection.shutdown(socket.SHUT_WR)
        with HTTPResponse(connection) as answer:
            try:
                answer.begin()
                return answer.status, answer.read()
            except (RemoteDisconnected, ConnectionResetError):
                return 0, b""


def announces_more(sent: bytes) -> bool:
    """Return whether a request, as far as it can be parsed, announces a longer body than was sent."""
    head, _, body = sent.partition(b"\r\n\r\n")
    lengths = [int(length) for length in re.findall(rb"(?i)\r\ncontent-length: *(\d{1,9})", head)]
    is_chunked = b"chunked" in head.lower() and b"\r\n0\r\n\r\n" not in sent
    return is_chunked or any(length > len(body) for length in lengths)


statuses: Counter[int] = Counter()


def survives(api: HttpApi, sent: bytes) -> int:
    """Return the status of an attempt; afterwards the service must work as before."""
    status, body = exchange(api.base_url, sent)
    statuses[status] += 1
    # In the format of the API or of a page, from any component: a plain text response quotes the request.
    assert not body or body.startswith((b"{", b"[", b"<!doctype html>")), body[:200]
    assert api.get("/api/v2/version").status == 200
    return status


@pytest.mark.parametrize("sent", REFUSED.values(), ids=REFUSED)
def test_malformed_requests_are_rejected_at_once(api: HttpApi, sent: bytes) -> None:
    assert survives(api, sent) in {0, *range(400, 500)}


@pytest.mark.parametrize("sent", UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_unusual_but_valid_requests_are_accepted(api: HttpApi, sent: bytes) -> None:
    assert survives(api, sent) in {200, 201, 301}


def test_an_unparsable_request_is_not_logged(api: HttpApi, caplog: pytest.LogCaptureFixture) -> None:
    assert survives(api, get(PUSHES + b"/s3cret?passphrase=s3cret\xff", b"X-A: s3cret\0")) == 400

    assert "s3cret" not in caplog.text


def test_cut_and_stuffed_at_random_it_is_never_a_fault_of_ours(api: HttpApi, effort: int, prove: Prove) -> None:
    source = Random(1)
    whole = [sent for sent in [*REFUSED.values(), *UNDERSTOOD.values()] if len(sent) < 2_000]

    for _ in range(50 * effort):
        sent = bytearray(source.choice(whole))
        for _ in range(source.randint(1, 3)):
            start = source.randrange(len(sent))
            sent[start : start + source.randint(0, 5)] = source.randbytes(source.randint(0, 5))
        assert survives(api, bytes(sent) + b"\r\n\r\n") < 500

    assert max(statuses) < 500
    figures = ", ".join(f"{number} of {status or 'closed'}" for status, number in sorted(statuses.items()))
    prove(
        "API",
        "No bytes over a socket make a 5xx or a hang, and the service answers right afterwards",
        f"{statuses.total()} raw requests, {len(REFUSED)} kinds by hand and the others mutated: {figures}; MiniStack",
    )
