"""Request bodies to the parameters of a push: JSON, form and multipart (contract, section 3). Pure."""

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from shared.domain import errors
from shared.domain.file_rules import MISPLACED
from shared.web import forms

_FORM_NAME = re.compile(r"(\w+)\[(\w+)\](\[\d*\])?")  # of a push's field: `push[name]` or `push[name][]`
WRAPPER = "push"  # what the fields stand under in API v2; v1 has others (shared/web/dialects.py)
_MAX_FIELD_NAME = 100  # characters that a pattern is tried on
_NUMBERS = ("expire_after_days", "expire_after_views", "expire_after_duration")


def push_parameters(content_type: str, body: bytes, wrapper: str = WRAPPER) -> dict[str, Any]:
    """What stands under the wrapper in a body; MalformedRequest when there is nothing, or no making sense of it."""
    media_type = content_type.partition(";")[0].strip().lower()
    match media_type:
        case "application/json":
            forms.check_charset(content_type)
            parameters = _from_json(body.removeprefix(forms.BYTE_ORDER_MARK), wrapper)
        case "application/x-www-form-urlencoded" | "multipart/form-data":
            parameters = _fields(forms.fields(content_type, body), wrapper)
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
        raise errors.MalformedRequest("The list of files in the form is not valid JSON.") from error
    return value if isinstance(value, list) else []


def form_fields(content_type: str, body: bytes) -> dict[str, str]:
    """The last value of each field of a form, files left out."""
    found = forms.fields(content_type, body)
    return {one.name: one.value for one in found if isinstance(one.value, str) and one.filename is None}


def _fields(found: Iterable[forms.Field], wrapper: str) -> dict[str, Any]:
    """The last value of each `push[name]`, a list for each `push[name][]`; other names are none of ours.

    A file is what JSON gives of it, but with bytes as its data. One under a name that holds none stays in sight, for
    the rules to refuse: it must not vanish.
    """
    fields: dict[str, Any] = {}
    for one in found:
        match = _FORM_NAME.fullmatch(one.name) if len(one.name) <= _MAX_FIELD_NAME else None
        name, is_list = (match[2], match[3] is not None) if match and match[1] == wrapper else ("", False)
        holds_files = name == "files" and is_list
        if one.filename is not None and not holds_files:
            if not one.is_unchosen_file:
                fields["files"] = [*_listed(fields.get("files")), MISPLACED]
            continue
        if not name:
            continue
        value = _file(one) if holds_files else one.value
        if not is_list:
            # A form has no other way to leave a number out.
            fields[name] = None if name in _NUMBERS and not value.strip() else value
        elif value:
            fields[name] = [*_listed(fields.get(name)), value]
    return fields


def _file(one: forms.Field) -> Any:
    if one.filename is None:
        return one.value  # no file, which the rules say
    if one.is_unchosen_file:
        return None
    return {"filename": one.filename, "content_type": one.content_type, "data": one.value}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
