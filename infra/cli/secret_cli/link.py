"""Links: to a push, as shared or the anonymous sender's own, and to an ask."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .failure import Exit, Failure
from .seal import Key

_PATH = re.compile(
    r"(?:/[A-Za-z-]{2,12})?/(?P<kind>[pfrma])/(?P<token>[a-z0-9]{8,64})(?:/(?P<rest>[a-z0-9]+))?(?:\.json)?/?"
)
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True)
class Link:
    """A link's parts. Each of them opens something, so none is shown."""

    base_url: str
    token: str = field(repr=False)
    manage_key: str = field(repr=False)
    key: Key | None
    is_ask: bool = False

    @property
    def endpoint(self) -> str:
        """The path in the API."""
        return f"/api/v2/{'asks' if self.is_ask else 'pushes'}/{self.token}"


def parse_push(text: str) -> Link:
    """Return the parts of a link to a push.

    Raises: Failure, if it is another link.
    """
    link = parse(text)
    if link.is_ask:
        raise Failure(Exit.USAGE, "This link asks for a secret and holds none. Open it in a browser to answer.")
    return link


def parse(text: str) -> Link:
    """Return the parts of a link.

    Raises: Failure, if it is not a link of this service.
    """
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        parts = urlsplit("")
    found = _PATH.fullmatch(parts.path)
    if not parts.hostname or not found:
        raise Failure(Exit.USAGE, "This is not a link to a secret. It looks like https://push.example.com/p/….")
    base_url = checked_base_url(f"{parts.scheme}://{parts.netloc}")
    manage_key = found["rest"] or "" if found["kind"] == "m" else ""
    return Link(base_url, found["token"], manage_key, Key.from_fragment(parts.fragment), found["kind"] == "a")


def checked_base_url(text: str) -> str:
    """Return a base URL without a slash at its end.

    Raises: Failure, if it is no URL, or not https: only this machine may be asked in clear.
    """
    try:
        parts = urlsplit(text)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        is_whole = bool(parts.hostname) and parts.port != 0 and parts.username is None
    except ValueError:
        is_safe = is_whole = False
    if not is_safe or not is_whole or parts.path.strip("/") or parts.query:
        raise Failure(Exit.USAGE, "The base URL must look like https://push.example.com (http only on this machine).")
    return f"{parts.scheme}://{parts.netloc}"
