"""The local gateway's own responses: JSON like API Gateway's, with no part of the request."""

import asyncio
import json
import socket

import pytest

from infra.local.gateway import Gateway

LINK = b"/p/s3crettoken.json?passphrase=s3cretphrase"
BAD: dict[str, bytes] = {
    "a NUL in the path": b"GET /p/s3crettoken\0?passphrase=s3cretphrase HTTP/1.1\r\nHost: a\r\n\r\n",
    "a space in the path": b"GET /p/s3crettoken a" + LINK + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "bad UTF-8 in the path": b"GET " + LINK + b"\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    "an unknown HTTP version": b"GET " + LINK + b" HTTP/9.9\r\nHost: a\r\n\r\n",
    "a method that is none": b"G@T " + LINK + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "a target that is none": b"GET http://[s3crettoken/" + LINK + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "a port that is none": b"GET http://a:s3cret" + LINK + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "an asterisk": b"GET * HTTP/1.1\r\nHost: a\r\nX-A: s3cret\r\n\r\n",
    "CONNECT": b"CONNECT s3cret.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a NUL in a header": b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer s3cret\0\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization Bearer s3cret\r\n\r\n",
    "a header's name that is none": b"GET / HTTP/1.1\r\nHost: a\r\nX s3cret: a\r\n\r\n",
    "a header that is too long": b"GET / HTTP/1.1\r\nHost: a\r\nX-A: " + b"s3cret" * 3_000 + b"\r\n\r\n",
    "a path that is too long": b"GET /" + b"s3cret" * 3_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nContent-Length: 7\r\n\r\ns3cret",
    "a length that is none": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: s3cret\r\n\r\ns3cret",
    "a chunk's length that is none": (
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\ns3cret\r\ns3cret\r\n0\r\n\r\n"
    ),
    "an expectation that is none": b"POST / HTTP/1.1\r\nHost: a\r\nExpect: s3cret\r\nContent-Length: 0\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00s3cret\r\n\r\n",
}


async def answer_to(sent: bytes) -> bytes:
    """Send bytes to the gateway, without a backend; return its response up to the end of the JSON or connection."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        gateway = Gateway(f"http://127.0.0.1:{nobody.getsockname()[1]}", "api")
        reader, writer = await asyncio.open_connection("127.0.0.1", await gateway.start(0))
        writer.write(sent)
        try:
            return await asyncio.wait_for(reader.readuntil(b"}"), timeout=20)
        except asyncio.IncompleteReadError as cut:
            return cut.partial
        finally:
            writer.close()
            await gateway.stop()


@pytest.mark.parametrize("sent", BAD.values(), ids=BAD)
def test_a_bad_request_is_answered_as_api_gateway_does_and_never_quoted(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    head, _, body = asyncio.run(answer_to(sent)).partition(b"\r\n\r\n")

    assert head.split()[1][:1] == b"4"
    assert b"application/json" in head
    assert list(json.loads(body)) == ["message"]
    assert b"s3cret" not in head + body
    assert "s3cret" not in caplog.text


@pytest.mark.parametrize("path", [b"/p/%0A", b"/api/v2/pushes/%0D%0A/preview", b"/%00%1F"])
def test_a_control_character_in_a_path_is_left_to_the_functions(path: bytes) -> None:
    sent = b"GET " + path + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    assert asyncio.run(answer_to(sent)).startswith(b"HTTP/1.1 503 ")  # there is no backend


def test_a_client_that_waits_for_leave_gets_it() -> None:
    sent = b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\na"

    assert asyncio.run(answer_to(sent)).startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 ")
