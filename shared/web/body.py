"""Parse request bodies to parameters: JSON, urlencoded and multipart (contract, section 3). Pure."""

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from shared.domain import errors
from shared.domain.file_rules import MISPLACED
from shared.web import form_parser
from shared.web.dialects import WRAPPER

_FORM_NAME = re.compile(r"(\w+)\[(\w+)\](\[\d*\])?")  # `push[name]` or `push[name][]`
_MAX_FIELD_NAME = 100  # characters; longer names skip the pattern
_NUMBERS = ("expire_after_days", "expire_after_views", "expire_after_duration")


def push_parameters(content_type: str, body: bytes, wrapper: str = WRAPPER) -> dict[str, Any]:
    """Return the fields of a new push: the object under the wrapper.

    Raises: MalformedRequest, if the body cannot be parsed or has no such fields.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    match media_type:
        case "application/json":
            form_parser.check_charset(content_type)
            parameters = _from_json(body.removeprefix(form_parser.BYTE_ORDER_MARK), wrapper)
        case "application/x-www-form-urlencoded" | "multipart/form-data":
            parameters = _fields(form_parser.fields(content_type, body), wrapper)
        case _:
            raise errors.MalformedRequest("Send the header Content-Type: application/json and a JSON body.")
    if not parameters or not isinstance(parameters, dict):
        raise errors.MalformedRequest(
            f'The body contains no push: send {{"{wrapper}": {{"payload": "…"}}}} as application/json, or a form.'
        )
    return parameters


def parameters(content_type: str, body: bytes) -> dict[str, Any]:
    """Return the top-level fields of a JSON or form body; empty for JSON that is not an object.

    Raises: MalformedRequest, if the body cannot be parsed.
    """
    if content_type.partition(";")[0].strip().lower() == "application/json":
        form_parser.check_charset(content_type)
        document = _document(body.removeprefix(form_parser.BYTE_ORDER_MARK))
        return document if isinstance(document, dict) else {}
    return dict(form_fields(content_type, body))


def _from_json(body: bytes, wrapper: str) -> Any:
    document = _document(body)
    return document.get(wrapper) if isinstance(document, dict) else None


def _document(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The body is not valid UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise errors.MalformedRequest("The body is not valid JSON.") from error


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError  # JSON has no NaN or Infinity (RFC 8259, section 6), but Python accepts them


def json_list(text: str) -> list[Any]:
    """Return the list in a form field that holds JSON; empty for JSON that is not a list.

    Raises: MalformedRequest, if the text is not JSON.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.MalformedRequest("The list of files in the form is not valid JSON.") from error
    return value if isinstance(value, list) else []


def form_fields(content_type: str, body: bytes) -> dict[str, str]:
    """Return the last value of each field of a form, without its files.

    Raises: MalformedRequest, if the form cannot be parsed.
    """
    fields = form_parser.fields(content_type, body)
    return {field.name: field.value for field in fields if isinstance(field.value, str) and field.filename is None}


def _fields(form: Iterable[form_parser.Field], wrapper: str) -> dict[str, Any]:
    """Return the last value of each `push[name]` and a list for each `push[name][]`; ignore other names.

    A file becomes an object as in JSON, except that its data is bytes. A file under another name becomes MISPLACED. The
    rules reject it; if it were ignored, its sender would not notice the loss.
    """
    fields: dict[str, Any] = {}
    for field in form:
        match = _FORM_NAME.fullmatch(field.name) if len(field.name) <= _MAX_FIELD_NAME else None
        name, is_list = (match[2], match[3] is not None) if match and match[1] == wrapper else ("", False)
        holds_files = name == "files" and is_list
        if field.filename is not None and not holds_files:
            if not field.is_unchosen_file:
                fields["files"] = [*_as_list(fields.get("files")), MISPLACED]
            continue
        if not name:
            continue
        value = _file(field) if holds_files else field.value
        if not is_list:
            # A form sends an empty field for an omitted number.
            fields[name] = None if name in _NUMBERS and not value.strip() else value
        elif value:
            fields[name] = [*_as_list(fields.get(name)), value]
    return fields


def _file(field: form_parser.Field) -> Any:
    if field.filename is None:
        return field.value  # not a file; the rules reject it
    if field.is_unchosen_file:
        return None
    return {"filename": field.filename, "content_type": field.content_type, "data": field.value}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
