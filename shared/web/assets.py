"""The style, scripts and icon of the pages: what goes into a page itself, and the addresses of the rest.

A cold visit costs two requests at most, since the style and the script of every page stand in the page. The policy
names them by their digests, so nothing else inline runs (CSP level 3, section 2.3.1).
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
_DIGEST_LENGTH = 12  # hexadecimal digits: it tells releases apart, and guards nothing
_MAX_NAME = 100  # characters that the pattern is tried on
_STRIPPED = {".css", ".js"}
_COMMENTS = ("//", "/*")  # of one line; none of ours goes on in the next
_ADDRESSED = re.compile(rf"([a-z]+)(?:\.([0-9a-f]{{{_DIGEST_LENGTH}}}))?(\.[a-z]+)")


class Assets:
    """The files of one directory, read when they are first asked for."""

    def __init__(self, directory: Path) -> None:
        self._paths = {path.name: path for path in directory.iterdir() if path.suffix in TYPES}

    def content(self, name: str) -> str:
        """What a file holds. Raises: KeyError."""
        return _content(self._paths[name])

    def address(self, name: str) -> str:
        """The path of a file, which is another one in each release that changes it. Raises: KeyError."""
        stem, _, suffix = name.rpartition(".")
        return f"/assets/{stem}.{self._digest(name)}.{suffix}"

    def resolve(self, part: str) -> tuple[str, str]:
        """The name that the last part of an address stands for, and how long a browser may keep the answer.

        A page of another release asks for what it knew: it gets what there is today, and must not keep that.

        Raises: NotFound.
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
    """The source that a policy names to permit an inline style or script with exactly this content."""
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


@cache
def _content(path: Path) -> str:
    """What a file holds; a style or script without the lines that are comments, and without indentation."""
    text = path.read_text()
    if path.suffix not in _STRIPPED:
        return text
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(_COMMENTS))
