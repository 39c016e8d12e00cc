"""Rules for the files of a new push (contract, section 8). Pure."""

import base64
import re
from collections.abc import Mapping
from functools import cache
from mimetypes import MimeTypes
from typing import Any, Final

from shared.domain import errors, visible
from shared.domain.file import NewFile
from shared.domain.limits import MAX_FILENAME_BYTES, MAX_FILES, MAX_INLINE_BYTES
from shared.domain.sentence import Sentence

FALLBACK_FILENAME = "file"
FALLBACK_TYPE = "application/octet-stream"

MISPLACED: Final = object()  # replaces a file sent under a wrong field name of a form

# Characters. Longer values are not matched: 5.8 MB of spaces kept a pattern busy for seconds.
_MAX_MEDIA_TYPE = 500
# A media type (RFC 9110, section 8.3.1), without any character that could end the header.
_MEDIA_TYPE = re.compile(r"([A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}) *(?:;[ -~]*)?")
_CHARSET = re.compile(r"[A-Za-z0-9!#$%&'+^_`{}~.:-]{1,40}")  # RFC 2978, section 2.3
# A token or a quoted string (RFC 9110, section 5.6.6). Only for short texts: open quotes take quadratic time.
_PARAMETER = re.compile(r';\s*([^\s;="]+)\s*=\s*(?:"((?:\\.|[^\\"])*)"|([^\s;"]*))')
_ESCAPED = re.compile(r"\\(.)")
# Characters kept at each end of a long name; the rest cannot be part of the final 255 bytes.
_MAX_NAME_END = 1_000


class InvalidFiles(Exception):
    """Files are invalid; `messages` has a sentence for each."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__()
        self.messages = messages


def new_files(declared: Any, *, max_file_size: int) -> tuple[NewFile, ...]:
    """Check the field `files` of a new push and return the files; sizes are in bytes.

    A file is an object with `filename`, an optional `content_type`, and one of `data` (base64, or bytes from a form)
    and `size` (for an upload to S3).

    Raises: InvalidFiles, with a message for each invalid file; TooLarge, for valid files above the size limits.
    """
    if declared is None:
        return ()
    if not isinstance(declared, list):
        raise InvalidFiles(["must be an array"])
    if len(declared) > MAX_FILES:
        raise InvalidFiles([Sentence("are too many (at most {limit})", limit=MAX_FILES)])
    files, messages = [], []
    for number, file in enumerate(declared, start=1):
        try:
            files.append(_new_file(file))
        except ValueError as error:
            messages.append(f"number {number} {error}")
    if messages:
        raise InvalidFiles(messages)
    _check_sizes(files, max_file_size)
    return tuple(files)


def clean_filename(filename: str) -> str:
    """Return the name without its path and invisible characters (`visible.py`): 1 to 255 bytes of UTF-8."""
    name = filename[max(filename.rfind("/"), filename.rfind("\\")) + 1 :]
    if len(name) > 2 * _MAX_NAME_END:
        name = name[:_MAX_NAME_END] + name[-_MAX_NAME_END:]
    name = visible.without_invisible(name)
    if not name.strip() or name in (".", ".."):
        return FALLBACK_FILENAME
    if len(name.encode()) <= MAX_FILENAME_BYTES:
        return name
    stem, dot, suffix = name.rpartition(".")
    end = (dot + suffix).encode() if stem and len(suffix.encode()) < MAX_FILENAME_BYTES // 2 else b""
    start = name.encode()[: MAX_FILENAME_BYTES - len(end)]
    # Again, because the cut may leave a joiner at the end.
    return visible.without_invisible(start.decode(errors="ignore") + end.decode())


def content_type_of(filename: str, declared: str | None) -> str:
    """Return the declared media type and charset if well formed, otherwise a type guessed from the name.

    S3 stores it unencrypted, so other parameters are dropped: `name=` would reveal the file's name.
    """
    match = _MEDIA_TYPE.fullmatch(declared) if declared and len(declared) <= _MAX_MEDIA_TYPE else None
    if declared and match:
        charset = header_parameters(declared).get("charset", "")
        return f"{match[1]}; charset={charset}" if _CHARSET.fullmatch(charset) else match[1]
    guessed, encoding = _types().guess_type(filename)
    return guessed if guessed and not encoding else FALLBACK_TYPE


@cache
def _types() -> MimeTypes:
    # Created on first use, because it reads the system's tables.
    return MimeTypes()


def _new_file(declared: Any) -> NewFile:
    """Check one file.

    Raises: ValueError; its message completes a sentence which starts with the file's number.
    """
    if declared is MISPLACED:
        raise ValueError("came under a name that holds no files: a form's files are named push[files][]")
    declared = declared if isinstance(declared, Mapping) else {}
    filename, content_type = declared.get("filename"), declared.get("content_type")
    if not isinstance(filename, str) or not is_unicode(filename):
        raise ValueError("needs a filename")
    if content_type is not None and not isinstance(content_type, str):
        raise ValueError("needs a string as content_type")
    data, size = declared.get("data"), declared.get("size")
    if (data is None) == (size is None):
        raise ValueError("needs either data or size")
    name = clean_filename(filename)
    media_type = content_type_of(name, content_type)
    if data is not None:
        content = _content(data)
        return NewFile(name, media_type, len(content), content)
    return NewFile(name, media_type, _size(size), None)


def _size(size: Any) -> int:
    if isinstance(size, float) and size.is_integer():
        size = int(size)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise ValueError("needs a whole number of bytes as size")
    return size


def _content(data: Any) -> bytes:
    if isinstance(data, bytes):
        return data
    try:
        # Allow line breaks, as in the output of `base64 FILE` and in MIME (RFC 2045, section 6.8).
        return base64.b64decode(data.replace("\r", "").replace("\n", ""), validate=True)
    except (AttributeError, ValueError) as error:
        raise ValueError("needs base64 as data") from error


def _check_sizes(files: list[NewFile], max_file_size: int) -> None:
    if sum(file.size for file in files if file.content is not None) > MAX_INLINE_BYTES:
        raise errors.TooLarge(
            Sentence(
                "The files of one request may have 4 MiB together. Send larger ones from this service's start "
                "page in a browser. A program declares them in JSON by filename and size, without data, and "
                "uploads them to S3 with the `uploads` in the response."
            )
        )
    if any(file.size > max_file_size for file in files):
        raise errors.TooLarge(Sentence("A file may have at most {limit} bytes.", limit=max_file_size))


def is_unicode(value: str) -> bool:
    """Return whether the string can be encoded as UTF-8; JSON may contain unpaired surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def header_parameters(value: str) -> dict[str, str]:
    """Return a header's parameters by lower-case name; the first wins among duplicates."""
    values: dict[str, str] = {}
    for name, quoted, token in _PARAMETER.findall(value):
        values.setdefault(name.lower(), _ESCAPED.sub(r"\1", quoted) or token)
    return values
