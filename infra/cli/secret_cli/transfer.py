"""Files to and from S3, several at once, in constant memory."""

import os
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import httpx

from . import api
from .failure import Exit, Failure
from .terminal import Progress

AT_ONCE = 3  # transfers
_TIMEOUT = httpx.Timeout(60)  # seconds without progress
_MAX_NAME = 200  # bytes of UTF-8, so that a number fits behind
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}

_T = TypeVar("_T")
Encode = Callable[[int, BinaryIO], Iterator[bytes]]
Decode = Callable[[int, Iterable[bytes]], Iterator[bytes]]


def upload_all(paths: list[Path], uploads: list[dict[str, Any]], sizes: list[int], encode: Encode) -> None:
    """Send each file with its form. A file that breaks off is sent again; the others go on.

    Args:
        paths: The files.
        uploads: The forms of the create response, one for each file.
        sizes: The declared sizes in bytes.
        encode: Returns the bytes to send for a file's number (from 1) and its content.

    Raises: Failure, if a file could not be sent.

    """
    progress = Progress("Uploading", sum(sizes))

    def upload(number: int) -> None:
        path, form, size = paths[number - 1], uploads[number - 1], sizes[number - 1]
        _upload(path, form, size, lambda content: encode(number, content), progress)

    _run_all(upload, len(paths))
    progress.end()


def download_all(files: list[dict[str, Any]], names: list[str], folder: Path, decode: Decode) -> list[Path]:
    """Save each file under a free name and return the paths. A transfer that breaks off goes on where it stopped.

    Args:
        files: The files of the retrieve response.
        names: Their names; a name never leads out of the folder and never overwrites a file.
        folder: Where to save them.
        decode: Returns the content for a file's number (from 1) and the bytes that arrived.

    Raises: Failure, if a file did not arrive whole.

    """
    progress = Progress("Downloading", 0)

    def download(number: int) -> Path:
        pieces = _pieces(files[number - 1]["url"], progress)
        return _save(decode(number, pieces), folder, safe_name(names[number - 1]))

    saved = _run_all(download, len(files))
    progress.end()
    return saved


def safe_name(name: str) -> str:
    """Return a file name without folders, invisible characters and a leading dot."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(char for char in last if unicodedata.category(char) not in _INVISIBLE).strip().lstrip(".")
    return shown.encode()[:_MAX_NAME].decode(errors="ignore") or "file"


def _run_all(run: Callable[[int], _T], count: int) -> list[_T]:
    """Return the results for 1 to count. One failure does not stop the others, and is raised when they are done."""
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        futures = [pool.submit(run, number) for number in range(1, count + 1)]
        wait(futures)
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C nobody waits for the rest


def _upload(
    path: Path, form: dict[str, Any], size: int, encode: Callable[[BinaryIO], Iterator[bytes]], progress: Progress
) -> None:
    boundary = secrets.token_hex(16)
    head, tail = _form(form["fields"], boundary)
    headers = {
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Content-Length": str(len(head) + size + len(tail)),
    }
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        progress.add(-sent)
        sent = 0
        yield head
        with path.open("rb") as content:
            for piece in encode(content):
                yield piece
                sent += len(piece)
                progress.add(len(piece))
        yield tail

    answered = api.repeat(lambda: httpx.post(form["url"], content=body(), headers=headers, timeout=_TIMEOUT), path.name)
    if not answered.is_success:
        raise Failure(Exit.FAILED, f"{path.name}: S3 refused it with {answered.status_code}. Was the file changed?")


def _form(fields: dict[str, str], boundary: str) -> tuple[bytes, bytes]:
    """Return what stands before and after the file in the form."""
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n')
    return "".join(parts).encode(), f"\r\n--{boundary}--\r\n".encode()


def _pieces(url: str, progress: Progress) -> Iterator[bytes]:
    """Yield a file's bytes. If the connection breaks, request the remaining range."""
    done = 0
    for pause in (*api.PAUSES, None):
        headers = {"Range": f"bytes={done}-"} if done else {}
        try:
            with httpx.stream("GET", url, headers=headers, timeout=_TIMEOUT) as answered:
                if answered.status_code == (httpx.codes.PARTIAL_CONTENT if done else httpx.codes.OK):
                    for piece in answered.iter_raw():
                        done += len(piece)
                        progress.add(len(piece))
                        yield piece
                    return
                if pause is None or not answered.is_server_error:
                    raise Failure(Exit.FAILED, f"S3 responded with {answered.status_code}. Run the command again.")
        except httpx.TransportError as error:
            if pause is None:
                raise Failure(Exit.FAILED, f"A download broke off ({type(error).__name__}). Try again.") from None
        api.pause_for(pause, "A download")


def _save(pieces: Iterator[bytes], folder: Path, name: str) -> Path:
    """Write a file under a name of its own while it is incomplete, then under the first free one."""
    partial = folder / f".{secrets.token_hex(8)}.part"
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for piece in pieces:
                file.write(piece)
        return _move(partial, folder, name)
    finally:
        partial.unlink(missing_ok=True)


def _move(partial: Path, folder: Path, name: str) -> Path:
    stem, suffix = Path(name).stem, Path(name).suffix
    for number in range(1, 10_000):
        path = folder / (name if number == 1 else f"{stem} ({number}){suffix}")
        try:
            path.open("xb").close()  # fails where the name is taken
        except FileExistsError:
            continue
        return partial.replace(path)
    raise Failure(Exit.FAILED, f"There are too many files named {name}.")
