"""Parse JSON strictly, and say what is wrong with it and where, without any of its text. Pure."""

import json
import re
from typing import Any, NoReturn

from shared.domain import errors

# The beginning of the standard library's messages, which differ between releases of Python, and ours.
_MISTAKES = {
    "Illegal trailing comma": "a comma comes before the end of an object or an array",
    "Expecting property name": "a key in double quotes is expected",
    "Expecting ':'": "a colon is expected after the key",
    "Expecting ','": "a comma is missing, or the end of an object or an array",
    "Extra data": "something follows the end of the JSON",
    "Unterminated string": "a string has no closing quote",
    "Invalid control character": r"a line break or another control character in a string must be escaped, such as \n",
    "Invalid \\": "a backslash in a string does not start a valid escape",
    "NaN": "NaN and Infinity are not JSON",
    "Digits": "a number has too many digits",
    "": "a value is expected",  # also "Unexpected UTF-8 BOM"
}
# Only the first one outside a string, so that everything before it is well-formed.
# `*+` keeps no places to come back to: they took 600 MB for a string of 6 MB.
_STRING = r'"(?:[^"\\]|\\.)*+"'
_CONSTANT = re.compile(rf"{_STRING}|(-?Infinity|NaN)", re.DOTALL)
_MAX_DIGITS = 4_300  # Python's own limit, whose error has no place
# Numbers of any length: a pattern for the long ones alone would start again at each digit of the others.
_NUMBER = re.compile(rf"{_STRING}|(-?[0-9]+)", re.DOTALL)


def parse(body: bytes) -> Any:
    """Return the JSON document of a body.

    Raises: MalformedRequest, if it is empty, not UTF-8, not JSON, or has a key twice in one object.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The body is not valid UTF-8.") from error
    if not text.strip():
        raise errors.MalformedRequest("The body is empty.")
    return parse_text(text)


def parse_text(text: str) -> Any:
    """Return a JSON document. Raises: MalformedRequest, as `parse` does."""

    def refuse_constant(_name: str) -> NoReturn:
        raise json.JSONDecodeError("NaN", text, _find(_CONSTANT, text))

    def integer(digits: str) -> int:
        if len(digits) > _MAX_DIGITS:
            raise json.JSONDecodeError("Digits", text, _find(_NUMBER, text, digits))
        return int(digits)

    try:
        return json.loads(
            text, parse_constant=refuse_constant, parse_int=integer, object_pairs_hook=_refuse_repeated_keys
        )
    except json.JSONDecodeError as error:
        mistake = next(ours for theirs, ours in _MISTAKES.items() if error.msg.startswith(theirs))
        place = f"line {error.lineno}, column {error.colno}"
        raise errors.MalformedRequest(f"The JSON is not valid: {mistake} ({place}).") from error
    except RecursionError as error:
        raise errors.MalformedRequest("The JSON is not valid: it has too many levels.") from error


def _find(pattern: re.Pattern[str], text: str, sought: str = "") -> int:
    """Return the place of the first match outside a string; with `sought`, of the first that is this text."""
    return next(match.start(1) for match in pattern.finditer(text) if match[1] and sought in ("", match[1]))


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs. Python keeps the last of repeated keys, other parsers the first.

    A second `"passphrase": ""` must not undo the first.
    """
    document = dict(pairs)
    if len(document) < len(pairs):
        raise errors.MalformedRequest("The JSON has the same key twice in one object.")
    return document
