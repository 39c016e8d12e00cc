"""Parse forms to fields: urlencoded (WHATWG URL) and multipart (RFC 7578). Pure.

A malformed form is rejected with a sentence that describes the mistake, because its sender often uses a library and
cannot see the request.
"""

import re
from email.errors import MessageError
from email.header import decode_header, make_header
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from shared.domain import errors, file_rules
from shared.domain.safe_repr import hide_fields

MAX_FIELDS = 64
_MAX_HEADER = 2_000  # characters; longer headers are rejected
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# RFC 5987, section 3.2.1: charset'language'percent-encoded value.
_EXTENDED_VALUE = re.compile(r"([\w.:+-]*)'[^']*'(.*)", re.ASCII | re.DOTALL)
_ENCODED_WORDS = re.compile(r"\s*(=\?[^?\s]+\?[BbQq]\?[^?\s]*\?=\s*)+")
_PERCENT_ENCODED = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})+")
_SEPARATOR = re.compile(r"[\s,]")
_PUNCTUATION = re.compile(r"[\W_]")
_CHARSET_NAME = re.compile(r"[\w.:+-]{1,40}", re.ASCII)
# Names of UTF-8 and US-ASCII, including those of Windows, reduced to letters and digits.
_UTF_8 = {"utf8", "csutf8", "unicode11utf8", "cp65001", "65001", "usascii", "ascii", "csascii", "ansix341968"}
_LIKE_ASCII = ("iso8859", "latin", "windows125", "cp125")  # supersets of ASCII
_UNENCODED = {"", "7bit", "8bit", "binary"}


@hide_fields("value", "filename")
class Field(NamedTuple):
    """One field of a form; `filename` is None if it is not a file.

    `value` is a string, but bytes for a file and for text that is not valid UTF-8.
    """

    name: str
    value: str | bytes
    filename: str | None = None
    content_type: str | None = None

    @property
    def is_unchosen_file(self) -> bool:
        """Whether this is the empty part that browsers send if no file was chosen."""
        return self.filename == "" and not self.value


def check_charset(content_type: str, value: bytes | None = None) -> None:
    """Check that a content type declares UTF-8 or US-ASCII, or no charset. `value` is the text it applies to.

    Raises: MalformedRequest, which names the charset if its name is well-formed.
    """
    declared = _SEPARATOR.split(file_rules.header_parameters(_check_length(content_type)).get("charset") or "utf-8")[0]
    name = _PUNCTUATION.sub("", declared.lower())
    # Java libraries declare ISO-8859-1 for every text field; for ASCII text this is harmless.
    if name in _UTF_8 or (value is not None and value.isascii() and name.startswith(_LIKE_ASCII)):
        return
    charset = f"charset={declared}" if _CHARSET_NAME.fullmatch(declared) else "another charset"
    raise errors.MalformedRequest(f"The Content-Type declares {charset}: send UTF-8.")


def fields(content_type: str, body: bytes) -> list[Field]:
    """Return the fields of a form, in order.

    Raises: MalformedRequest, if the form cannot be parsed, or declares an unsupported charset or encoding.
    """
    check_charset(content_type)
    body = body.removeprefix(BYTE_ORDER_MARK)
    is_multipart = content_type.lower().lstrip().startswith("multipart/form-data")
    form = _parse_multipart(content_type, body) if is_multipart else _parse_urlencoded(body)
    # In HTML, the field `_charset_` names the form's charset (RFC 7578, section 4.6).
    for part in form:
        if part.name == "_charset_" and isinstance(part.value, str):
            check_charset(f"form; charset={part.value}", body)
    return form


def _parse_urlencoded(body: bytes) -> list[Field]:
    if body.count(b"&") >= MAX_FIELDS:
        raise _too_many_fields()
    try:
        return [Field(*pair) for pair in parse_qsl(body.decode(), keep_blank_values=True, errors="strict")]
    except UnicodeDecodeError as error:
        raise errors.MalformedRequest("The form is not valid UTF-8.") from error


def _parse_multipart(content_type: str, body: bytes) -> list[Field]:
    # Imported here: other bodies do not need them.
    from io import BytesIO

    from multipart import MultipartError, MultipartParser, parse_options_header

    boundary = parse_options_header(content_type)[1].get("boundary", "")
    # Keep everything in memory: a secret must not end up in a temporary file. The gateway limits the size.
    limits = {"part_limit": MAX_FIELDS, "spool_limit": len(body) + 1, "memory_limit": len(body) + 1}
    try:
        parts = MultipartParser(BytesIO(body), boundary, strict=True, **limits).parts()
    except (MultipartError, UnicodeEncodeError) as error:
        raise _explain_unreadable(boundary, body, error) from error
    return [_field(part) for part in parts]


def _field(part: Any) -> Field:
    content_type = part.headers.get("Content-Type")
    _check_encoding(part.headers.get("Content-Transfer-Encoding", ""))
    filename = _filename(part)
    if filename is not None:
        return Field(part.name, part.raw, filename, content_type)
    check_charset(content_type or "", part.raw)
    return Field(part.name, _text(part.raw), None, content_type)


def _text(raw: bytes) -> str | bytes:
    """Return the decoded text, or the bytes if they are not valid UTF-8. The rules reject bytes in known fields."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _check_encoding(declared: str) -> None:
    # RFC 7578, section 4.7, deprecates this header; a client that still sends it has encoded the part.
    if declared.strip().lower() not in _UNENCODED:
        raise errors.MalformedRequest("A part of the form has a Content-Transfer-Encoding: send it unencoded.")


def _filename(part: Any) -> str | None:
    """Return a part's decoded file name; None if the part is no file.

    `filename*` takes precedence (RFC 6266, section 4.3).
    """
    extended = file_rules.header_parameters(_check_length(part.headers["Content-Disposition"])).get("filename*")
    if extended is None:
        return _decode_percent(_decode_words(part.filename)) if part.filename else part.filename
    match = _EXTENDED_VALUE.fullmatch(extended)
    try:
        return unquote(match[2], encoding=match[1] or "utf-8", errors="strict") if match else extended
    except (UnicodeError, LookupError) as error:
        raise errors.MalformedRequest("A filename* of the form cannot be decoded: send it as UTF-8.") from error


def _decode_words(filename: str) -> str:
    """Decode a file name that consists of RFC 2047 encoded words, as .NET and mail libraries write it."""
    if not _ENCODED_WORDS.fullmatch(filename):
        return filename
    try:
        return str(make_header(decode_header(filename.strip())))
    except (MessageError, LookupError, ValueError):  # malformed, unknown charset, wrong charset
        return filename


def _decode_percent(filename: str) -> str:
    """Decode a percent-encoded file name, as aiohttp writes it. As in Rack: only if two hex digits follow each `%`."""
    if not _PERCENT_ENCODED.fullmatch(filename):
        return filename
    try:
        return unquote(filename, errors="strict")
    except UnicodeDecodeError:
        return filename


def _check_length(header: str) -> str:
    if len(header) > _MAX_HEADER:
        raise errors.MalformedRequest("A Content-Type or Content-Disposition is too long.")
    return header


def _too_many_fields() -> errors.MalformedRequest:
    return errors.MalformedRequest(f"The form has too many fields (at most {MAX_FIELDS}).")


def _explain_unreadable(boundary: str, body: bytes, error: Exception) -> errors.MalformedRequest:
    """Return the error for a multipart form that the parser rejected: the first cause that applies."""
    delimiter = b"--" + boundary.encode("utf-8", "replace")
    if body.count(delimiter) > MAX_FIELDS and boundary:
        return _too_many_fields()
    causes = {
        "The Content-Type of the form has no boundary.": not boundary,
        "A field name or file name of the form is not UTF-8: send names as UTF-8.": isinstance(
            error.__context__, UnicodeDecodeError
        ),
        "The boundary in the Content-Type does not occur in the form.": delimiter not in body,
        "The lines of the form end with LF: lines of a multipart form must end with CR LF.": delimiter + b"\n" in body,
        "The form is incomplete: its closing boundary is missing.": delimiter + b"--" not in body,
        'The form cannot be parsed: each part needs a header Content-Disposition: form-data; name="…", an empty line '
        "and a value, each ended with CR LF.": True,
    }
    return errors.MalformedRequest(next(sentence for sentence, is_true in causes.items() if is_true))
