"""Links to pushes, as they are written and as they arrive. Pure.

Mail software takes the punctuation behind a link to be a part of it.
A url_token ends with a letter or a digit, so a dot, a bracket, a quotation mark or a space behind it is never a part
of it, whether it arrives as it is, percent-encoded (`%2E`) or as an entity of HTML (`&gt;`).
"""

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shared.domain.push import Push

MAX_LINK = 1_000  # characters that a pattern is tried on
_TAIL = r"(?:&(?:amp|apos|gt|lt|nbsp|quot|#\d+)|%[0-9A-Fa-f]{2}|[\W_])+"
_SEGMENT = re.compile(rf"([a-z0-9]+(?:\.json)?){_TAIL}")
_LINK = re.compile(
    rf"((?:(?:/[A-Za-z_-]{{2,10}})?/[pfr]|/api/v\d/pushes)/[a-z0-9]+/(?:r|preview|audit)(?:\.json)?){_TAIL}"
)


def strip_punctuation(segment: str) -> str:
    """A segment of a path that holds a url_token, and perhaps `.json`, without the punctuation behind that."""
    match = _SEGMENT.fullmatch(segment) if len(segment) <= MAX_LINK else None
    return match[1] if match else segment


def trim_path(path: str) -> str | None:
    """The path of a link that goes on behind its url_token, without punctuation at its end; None when it has none."""
    match = _LINK.fullmatch(path) if len(path) <= MAX_LINK else None
    return match[1] if match else None


class Links(NamedTuple):
    """The links to pushes: what they start with, and the language that the recipient's page is asked for in, if any."""

    base_url: str
    locale: str | None = None

    def to_page(self, push: "Push", url_token: str) -> str:
        """The link for the recipient."""
        step = "/r" if push.retrieval_step else ""
        return f"{self.base_url}/p/{url_token}{step}" + (f"?locale={self.locale}" if self.locale else "")

    def to_json(self, url_token: str) -> str:
        """The link for a program, which has no language."""
        return f"{self.base_url}/p/{url_token}.json"
