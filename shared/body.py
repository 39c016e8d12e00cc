"""Request bodies to the parameters of a push: JSON, form and multipart (contract, section 3). Pure."""

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from shared import errors

WRAPPER = "push"  # what the fields stand under in API v2; v1 has others (shared/dialects.py)
_MAX_FORM_FIELDS = 64

FormName = Callable[[str], re.Match[str] | None]


def push_parameters(content_type: str, body: bytes, wrapper: str = WRAPPER) -> dict[str, Any]:
    """What stands under the wrapper in a body; MalformedRequest when there is nothing, or no making sense of it."""
    media_type = content_type.partition(";")[0].strip().lower()
    match media_type:
        case "application/json":
            parameters = _from_json(body, wrapper)
        case "application/x-www-form-urlencoded" | "multipart/form-data":
            parameters = _fields(_pairs(content_type, body, wrapper), wrapper)
        case _:
            raise errors.MalformedRequest("Send the header Content-Type: application/json and a JSON body.")
    if not parameters or not isinstance(parameters, dict):
        raise errors.MalformedRequest(
            f'The body has no fields of a push: send {{"{wrapper}": {{"payload": "…"}}}} as application/json, '
            "or a form."
        )
    return parameters


def _from_json(body: bytes, wrapper: str) -> Any:
    try:
        document = json.loads(body.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The body is not valid UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise errors.MalformedRequest("The body is not valid JSON.") from error
    return document.get(wrapper) if isinstance(document, dict) else None


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


def _pairs(content_type: str, body: bytes, wrapper: str = WRAPPER) -> list[tuple[str, Any]]:
    """The fields of a form, in order; MalformedRequest when it cannot be read."""
    try:
        if content_type.lower().startswith("multipart/form-data"):
            return _multipart(content_type, body, wrapper)
        return parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FORM_FIELDS)
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The form is not valid UTF-8.") from error
    except (ValueError, LookupError) as error:
        raise errors.MalformedRequest("The form cannot be read.") from error


def _multipart(content_type: str, body: bytes, wrapper: str) -> list[tuple[str, Any]]:
    # Loaded here since no other kind of body needs them.
    from io import BytesIO

    from multipart import MultipartParser, parse_options_header

    # Everything stays in memory, which the gateway bounds: a secret has no business in a temporary file.
    limits = {"part_limit": _MAX_FORM_FIELDS, "spool_limit": len(body) + 1, "memory_limit": len(body) + 1}
    boundary = parse_options_header(content_type)[1].get("boundary", "")
    parts = MultipartParser(BytesIO(body), boundary, strict=True, **limits).parts()
    form_name = _form_name(wrapper)
    return [(part.name, _value(part, form_name)) for part in parts if part.filename is None or form_name(part.name)]


def _value(part: Any, form_name: FormName) -> Any:
    """A field's text or, in the form that JSON gives it, a file; bytes need no base64 here."""
    match = form_name(part.name)
    if not match:
        return part.raw.decode(errors="replace")  # beside the push, so none of its rules apply
    if not (match[1] == "files" and match[2]):
        return _text(part.raw)
    # Browsers send a part without a name and without content when no file was chosen.
    if not part.filename and not part.raw:
        return None
    content_type = part.headers.get("Content-Type")
    return {"filename": part.filename or "", "content_type": content_type, "data": part.raw}


@cache
def _form_name(wrapper: str) -> FormName:
    """What knows the name of a push's field: `push[name]` or `push[name][]`, with the wrapper for `push`."""
    return re.compile(rf"{wrapper}\[(\w+)\](\[\d*\])?").fullmatch


def _text(raw: bytes) -> str | bytes:
    """Text, or what is none as it came: the rules refuse it in a field that they know, and ignore it elsewhere."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _fields(pairs: Iterable[tuple[str, Any]], wrapper: str) -> dict[str, Any]:
    """The last value of each `push[name]`, a list for each `push[name][]`; other names are none of ours."""
    fields: dict[str, Any] = {}
    form_name = _form_name(wrapper)
    for name, value in pairs:
        match = form_name(name)
        if not match:
            continue
        if not match[2]:
            fields[match[1]] = value
        elif value:
            fields[match[1]] = [*_listed(fields.get(match[1])), value]
    return fields


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
