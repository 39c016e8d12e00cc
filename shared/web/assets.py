"""Assets of the pages: CSS, scripts, icon and word list, and their URLs.

Each page inlines the style and the common script, so that a cold visit needs two requests at most. The content security
policy lists their digests and permits no other inline code (CSP level 3, section 2.3.1).
"""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from shared.domain import errors

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
FOR_A_YEAR = "public, max-age=31536000, immutable"
NOT_KEPT = "no-store"
_DIGEST_LENGTH = 12  # hexadecimal digits; enough to tell releases apart, not a security measure
_MAX_NAME = 100  # characters; longer names skip the pattern
_STRIPPED = {".css", ".js"}
_COMMENTS = ("//", "/*")  # our comments have one line each
_SPACES = re.compile(r"\s*([{};,]|:(?=\s))\s*")  # a colon of a selector has no space after it
_BEGINNINGS = {"send.js": "form.js"}  # what a script begins with; both come with one request
_ADDRESSED = re.compile(rf"([a-z]+)(?:\.([0-9a-f]{{{_DIGEST_LENGTH}}}))?(\.[a-z]+)")


class Assets:
    """The files of one directory, each read on first use."""

    def __init__(self, directory: Path) -> None:
        self._paths = {path.name: path for path in directory.iterdir() if path.suffix in TYPES}

    def content(self, name: str) -> str:
        """Return a file's content, after that of its beginning. Raises: KeyError, for an unknown name."""
        parts = [_BEGINNINGS[name], name] if name in _BEGINNINGS else [name]
        return "\n".join(_content(self._paths[part]) for part in parts)

    def address(self, name: str) -> str:
        """Return a file's path, which includes a digest of its content. Raises: KeyError."""
        stem, _, suffix = name.rpartition(".")
        return f"/assets/{stem}.{self._digest(name)}.{suffix}"

    def resolve(self, part: str) -> tuple[str, str]:
        """Return the file name and the `Cache-Control` header for the last part of a path.

        A page of another release may request an old digest. It gets the current file, with `no-store`.

        Raises: NotFound, if there is no such file.
        """
        match = _ADDRESSED.fullmatch(part) if len(part) <= _MAX_NAME else None
        name = match[1] + match[3] if match else ""
        if name not in self._paths:
            raise errors.NotFound
        return name, FOR_A_YEAR if match and match[2] == self._digest(name) else NOT_KEPT

    def _digest(self, name: str) -> str:
        return sha256(self.content(name).encode()).hexdigest()[:_DIGEST_LENGTH]


@cache
def source(inline: str) -> str:
    """Return the policy source that permits an inline style or script with this content."""
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


@cache
def _content(path: Path) -> str:
    """Return a file's content; CSS and scripts without indentation and without lines that start with a comment.

    CSS has no spaces around its punctuation either.
    """
    text = path.read_text()
    if path.suffix not in _STRIPPED:
        return text
    lines = (line.strip() for line in text.splitlines())
    stripped = "\n".join(line for line in lines if line and not line.startswith(_COMMENTS))
    return _SPACES.sub(r"\1", stripped) if path.suffix == ".css" else stripped
