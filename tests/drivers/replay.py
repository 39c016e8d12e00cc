"""Requests as they stand on the wire, sent to the handlers: what a client sends is kept byte for byte."""

from tests.drivers.client import Answer, Api


def sent(api: Api, request: bytes, **blanks: str) -> Answer:
    """Send a request of HTTP/1.1. `<name>` in it is filled in: no recording knows the token or the link of today."""
    for name, value in blanks.items():
        request = request.replace(f"<{name}>".encode(), value.encode())
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _version = first.split(" ")
    path, _, query = target.partition("?")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return api.request(method, path, query=query, headers=headers, body=body)


def request(line: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """A request as a client writes it, with the length of its body."""
    length = {"Content-Length": str(len(body))} if body else {}
    lines = [f"{line} HTTP/1.1", "Host: push.example.com", *(f"{k}: {v}" for k, v in (headers | length).items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
