"""What a person sees and types: sentences and progress on standard error, secrets without echo."""

import getpass
import os
import sys
import threading
import time
import unicodedata
from pathlib import Path

from .failure import Exit, Failure

_EVERY = 0.2  # seconds between two lines of progress


def say(sentence: str) -> None:
    """Write a line to standard error."""
    print(_colored(printable(sentence)), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Return text that cannot give orders to a terminal: control and direction-changing characters are written out."""
    return "".join(char if _is_plain(char) else char.encode("unicode_escape").decode() for char in text)


def read_link() -> str:
    """Return the link from standard input: links are secrets, and every user of a machine can read arguments."""
    if sys.stdin.isatty():
        return getpass.getpass("Link: ", stream=sys.stderr)
    return sys.stdin.readline()


def read_secret() -> str:
    """Return standard input unchanged, or one line typed at the terminal without echo.

    Raises: Failure, if it is not UTF-8.
    """
    if sys.stdin.isatty():
        return getpass.getpass("Secret: ", stream=sys.stderr)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise Failure(Exit.USAGE, "Standard input is not UTF-8 text. Save it to a file, and push the file.") from None


def read_passphrase(path: Path | None, *, is_asked: bool) -> str | None:
    """Return the passphrase in a file, without the line break at its end, or the one typed at the terminal.

    Args:
        path: The file, or None.
        is_asked: Whether to ask at the terminal when there is no file.

    Raises: Failure, if the file cannot be read as UTF-8.

    """
    if path is None:
        return getpass.getpass("Passphrase: ") if is_asked else None
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        raise Failure(Exit.USAGE, f"{path} cannot be read as UTF-8 text.") from None
    return text.removesuffix("\n").removesuffix("\r")


class Progress:
    """One line on standard error that shows how many bytes have moved. Silent where nobody looks."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._lock, self._shown_at = threading.Lock(), 0.0
        self._started_at = time.monotonic()

    def add(self, count: int) -> None:
        """Count bytes; a negative count takes those of a broken try back."""
        with self._lock:
            self._done += count
            now = time.monotonic()
            if sys.stderr.isatty() and now - self._shown_at >= _EVERY:
                self._shown_at = now
                self._show(now)

    def end(self) -> None:
        """Leave the line."""
        if self._shown_at:
            self._show(time.monotonic())
            print(file=sys.stderr)

    def _show(self, now: float) -> None:
        rate = self._done / max(now - self._started_at, 0.001)
        percent = 100 * self._done // self._total if self._total else 100
        print(f"\r{self._what} {percent:3} %  {rate / 1e6:.1f} MB/s ", end="", file=sys.stderr, flush=True)


def _is_plain(char: str) -> bool:
    return char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _colored(sentence: str) -> str:
    is_plain = "NO_COLOR" in os.environ or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"
    return sentence if is_plain else f"\033[33m{sentence}\033[0m"
