"""Request bodies to the parameters of a push: JSON, form and multipart (contract, section 3). Pure."""

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn
from urllib.parse import parse_qsl, unquote_to_bytes

from shared import errors, headers

_FORM_NAME = re.compile(r"push\[(\w+)\](\[\d*\])?")
_FILES = re.compile(r"push\[files\]\[\d*\]")
_EXTENDED = re.compile(r"(utf-8|iso-8859-1)'[^']*'(.*)", re.IGNORECASE)  # RFC 5987, section 3.2
_MAX_FORM_FIELDS = 64
# Characters that a pattern is tried on, ours and the multipart parser's; it bounds the headers of a part by itself.
_MAX_FIELD_NAME = 100
_MAX_CONTENT_TYPE = 1_000


def push_parameters(content_type: str, body: bytes) -> dict[str, Any]:
    """What stands under `push` in a body; MalformedRequest when there is nothing, or no making sense of it."""
    media_type = content_type.partition(";")[0].strip().lower()
    match media_type:
        case "application/json":
            parameters = _from_json(body)
        case "application/x-www-form-urlencoded" | "multipart/form-data":
            parameters = _fields(_pairs(content_type, body))
        case _:
            raise errors.MalformedRequest("Send the header Content-Type: application/json and a JSON body.")
    if not parameters or not isinstance(parameters, dict):
        raise errors.MalformedRequest(
            'The body has no fields of a push: send {"push": {"payload": "…"}} as application/json, or a form.'
        )
    return parameters


def _from_json(body: bytes) -> Any:
    try:
        document = json.loads(body.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The body is not valid UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise errors.MalformedRequest("The body is not valid JSON.") from error
    return document.get("push") if isinstance(document, dict) else None


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError  # NaN and Infinity are Python's, not JSON's (RFC 8259, section 6).


def json_list(text: str) -> list[Any]:
    """A list in a field of a form, written as JSON; MalformedRequest when it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.MalformedRequest("The form cannot be read.") from error
    return value if isinstance(value, list) else []


def form_fields(content_type: str, body: bytes) -> dict[str, str]:
    """The last value of each field of a form, files left out."""
    return {name: value for name, value in _pairs(content_type, body) if isinstance(value, str)}


def _pairs(content_type: str, body: bytes) -> list[tuple[str, Any]]:
    """The fields of a form, in order; MalformedRequest when it cannot be read."""
    try:
        if content_type.lower().startswith("multipart/form-data"):
            return _multipart(content_type, body)
        return parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FORM_FIELDS)
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The form is not valid UTF-8.") from error
    except (ValueError, LookupError) as error:
        raise errors.MalformedRequest("The form cannot be read.") from error


def _multipart(content_type: str, body: bytes) -> list[tuple[str, Any]]:
    if len(content_type) > _MAX_CONTENT_TYPE:
        raise errors.MalformedRequest("The header Content-Type is too long.")
    # Loaded here since no other kind of body needs them.
    from io import BytesIO

    from multipart import MultipartParser, parse_options_header

    # Everything stays in memory, which the gateway bounds: a secret has no business in a temporary file.
    limits = {"part_limit": _MAX_FORM_FIELDS, "spool_limit": len(body) + 1, "memory_limit": len(body) + 1}
    boundary = parse_options_header(content_type)[1].get("boundary", "")
    parts = MultipartParser(BytesIO(body), boundary, strict=True, **limits).parts()
    return [(part.name, _value(part)) for part in parts if part.filename is None or _matched(_FORM_NAME, part.name)]


def _value(part: Any) -> Any:
    """A field's text or, in the form that JSON gives it, a file; bytes need no base64 here."""
    if not _matched(_FORM_NAME, part.name):
        return part.raw.decode(errors="replace")  # beside the push, so none of its rules apply
    if not _matched(_FILES, part.name):
        return _text(part.raw)
    filename = _filename(part)
    # Browsers send a part without a name and without content when no file was chosen.
    if not filename and not part.raw:
        return None
    return {"filename": filename, "content_type": part.headers.get("Content-Type"), "data": part.raw}


def _filename(part: Any) -> str:
    """`filename*` (RFC 5987) if it can be read, else `filename`, its encoded words (RFC 2047) decoded."""
    # Of bounded length: the parser takes no headers of more than some 4 KB.
    extended = _EXTENDED.fullmatch(headers.parameters(part.disposition).get("filename*", ""))
    if extended:
        try:
            return unquote_to_bytes(extended[2]).decode(extended[1])
        except UnicodeDecodeError:
            pass  # then the plain one is all there is
    return _decoded_words(part.filename or "")


def _decoded_words(text: str) -> str:
    if "=?" not in text:
        return text
    from email.errors import HeaderParseError
    from email.header import decode_header, make_header

    try:
        return str(make_header(decode_header(text)))
    except (HeaderParseError, ValueError, LookupError):
        return text  # no encoded word after all


def _text(raw: bytes) -> str | bytes:
    """Text, or what is none as it came: the rules refuse it in a field that they know, and ignore it elsewhere."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _fields(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The last value of each `push[name]`, a list for each `push[name][]`; other names are none of ours."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        match = _matched(_FORM_NAME, name)
        if not match:
            continue
        if not match[2]:
            fields[match[1]] = value
        elif value:
            fields[match[1]] = [*_listed(fields.get(match[1])), value]
    return fields


def _matched(pattern: re.Pattern[str], name: str) -> re.Match[str] | None:
    return pattern.fullmatch(name) if len(name) <= _MAX_FIELD_NAME else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
