"""Send recorded HTTP requests to the handlers, byte for byte."""

from tests.drivers.client import Answer, Api


def send_recording(api: Api, request: bytes, **blanks: str) -> Answer:
    """Send an HTTP/1.1 request. `<name>` in it is replaced, because a recording has no current token or link."""
    for name, value in blanks.items():
        request = request.replace(f"<{name}>".encode(), value.encode())
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _version = first.split(" ")
    path, _, query = target.partition("?")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return api.request(method, path, query=query, headers=headers, body=body)


def request(line: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """Return a client's request, with the length of its body filled in."""
    length = {"Content-Length": str(len(body))} if body else {}
    lines = [f"{line} HTTP/1.1", "Host: push.example.com", *(f"{k}: {v}" for k, v in (headers | length).items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
