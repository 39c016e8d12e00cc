"""The arguments of push_file, validated before anything is sent."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from shared.domain.bounds import Bounds
from shared.domain.limits import DAYS, MAX_FILES, VIEWS

MAX_BYTES = 5 * 1024**3  # the limit of a form upload to S3; the installation may have a lower one and reports it


def parse(description: str | None, arguments: list[str] | None) -> argparse.Namespace:
    """Return the arguments if every file can be pushed. Otherwise exit with status 2 and a sentence."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=_file, help=f"at most {MAX_FILES}")
    parser.add_argument("--url", type=_url, help="the URL of the installation (default: the local stack)")
    parser.add_argument("--days", type=_number(DAYS), help="1 to 90; the installation's default when left out")
    parser.add_argument("--views", type=_number(VIEWS), help="1 to 100; likewise")
    options = parser.parse_args(arguments)
    if len(options.files) > MAX_FILES:
        parser.error(f"{len(options.files)} files are too many: a push takes at most {MAX_FILES}")
    return options


def _file(text: str) -> Path:
    path = Path(text)
    try:
        text.encode()
        if path.exists() and not path.is_file():  # before opening it: opening a pipe waits for a writer
            _refuse(f"{text} is not a file: pack it, or save it to a file")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
    except UnicodeEncodeError:
        _refuse(f"{text!a} has a name that is not UTF-8: rename it")
    except (OSError, ValueError) as error:
        _refuse(f"{text} cannot be read: {getattr(error, 'strerror', None) or error}")
    return (
        path if size <= MAX_BYTES else _refuse(f"{text} has {size:,} bytes: split it, S3 takes at most {MAX_BYTES:,}")
    )


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and not parts.query and parts.port != 0
    except ValueError:
        is_whole = False
    return text if is_whole else _refuse(f"{text} is not a URL like https://push.example.com")


def _number(bounds: Bounds) -> Callable[[str], int]:
    def number(text: str) -> int:
        if text.isascii() and text.isdecimal() and bounds.include(int(text)):
            return int(text)
        return _refuse(f"{text} is not from {bounds.lowest} to {bounds.highest}")

    return number


def _refuse(sentence: str) -> NoReturn:
    raise argparse.ArgumentTypeError(sentence)
