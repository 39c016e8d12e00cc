"""multipart/form-data (RFC 7578), as clients write it."""

TYPE = "multipart/form-data; boundary=x"


def part(name: str, content: str | bytes, more: str = "", *headers: str) -> bytes:
    """Return one field; `more` follows its name, for example `; filename="a"`."""
    head = "\r\n".join([f'Content-Disposition: form-data; name="{name}"{more}', *headers, "", ""])
    return head.encode() + (content.encode() if isinstance(content, str) else content)


def field(name: str, content: str | bytes, *headers: str) -> bytes:
    """Return one field of a push."""
    return part(f"push[{name}]", content, "", *headers)


def file(filename: str, content: str | bytes, *headers: str) -> bytes:
    """Return one file of a push."""
    return part("push[files][]", content, f'; filename="{filename}"', *headers)


def form(*parts: bytes) -> bytes:
    """Return a whole body, of type `TYPE`."""
    return b"".join(b"--x\r\n" + one + b"\r\n" for one in parts) + b"--x--\r\n"
