"""The idempotency key of a view, kept until the response is written, so that a retry uses no further view."""

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .config import state_folder
from .failure import Exit, Failure
from .link import Link

_LIFETIME = 600.0  # seconds; no lease lives longer
_NO_VIEW = {Exit.GONE, Exit.PASSPHRASE, Exit.REFUSED}  # the service claimed none, so there is nothing to ask for again


class Pending:
    """A requested view whose response is not written yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.key = _kept(path) or _new(path)
        self.is_kept = False  # set to keep the key although the command ends

    def forget(self) -> None:
        """Delete the key: the answer was written, or there is none."""
        self._path.unlink(missing_ok=True)


@contextmanager
def view(link: Link) -> Iterator[Pending]:
    """Yield the key of this link's view; it is deleted when the block ends, unless the answer may be lost."""
    _delete_old()
    name = hashlib.sha256(f"{link.base_url} {link.token}".encode()).hexdigest()
    pending = Pending(state_folder() / f"{name}.key")
    try:
        yield pending
    except Failure as failure:
        if failure.status in _NO_VIEW:
            pending.forget()
        raise
    if not pending.is_kept:
        pending.forget()


def _kept(path: Path) -> str | None:
    try:
        return path.read_text() or None
    except FileNotFoundError:
        return None


def _new(path: Path) -> str:
    key = secrets.token_urlsafe(32)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    return key


def _delete_old() -> None:
    for path in state_folder().glob("*.key"):
        if time.time() - path.stat().st_mtime > _LIFETIME:
            path.unlink(missing_ok=True)
