"""Create links to pushes, and clean up links that mail software has changed. Pure.

Mail software often includes the punctuation after a link. A url_token ends with a letter or a digit, so trailing
punctuation is never part of it: neither plain, nor percent-encoded (`%2E`), nor as an HTML entity (`&gt;`).
"""

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shared.domain.push import Push

MAX_LINK = 1_000  # characters; longer text skips the patterns
_TAIL = r"(?:&(?:amp|apos|gt|lt|nbsp|quot|#\d+)|%[0-9A-Fa-f]{2}|[\W_])+"
_SEGMENT = re.compile(rf"([a-z0-9]+(?:\.json)?){_TAIL}")
_LINK = re.compile(
    rf"((?:(?:/[A-Za-z_-]{{2,10}})?/[pfr]|/api/v\d/pushes)/[a-z0-9]+/(?:r|preview|audit|status)(?:\.json)?){_TAIL}"
)


def strip_punctuation(segment: str) -> str:
    """Return a path segment, a url_token with or without `.json`, without trailing punctuation."""
    match = _SEGMENT.fullmatch(segment) if len(segment) <= MAX_LINK else None
    return match[1] if match else segment


def trim_path(path: str) -> str | None:
    """Return a path such as `/p/{url_token}/r` without trailing punctuation; None if it has none."""
    match = _LINK.fullmatch(path) if len(path) <= MAX_LINK else None
    return match[1] if match else None


class Links(NamedTuple):
    """Creates links to pushes from a base URL; `locale` is the language of the recipient's page, if chosen."""

    base_url: str
    locale: str | None = None

    def to_page(self, push: "Push", url_token: str) -> str:
        """Return the link for the recipient."""
        step = "/r" if push.retrieval_step else ""
        return f"{self.base_url}/p/{url_token}{step}" + (f"?locale={self.locale}" if self.locale else "")

    def to_manage_page(self, url_token: str, manage_key: str) -> str:
        """Return the anonymous sender's own link."""
        return f"{self.base_url}/m/{url_token}/{manage_key}"

    def to_ask_page(self, ask_token: str) -> str:
        """Return the link to answer an ask."""
        return f"{self.base_url}/a/{ask_token}"

    def to_json(self, url_token: str) -> str:
        """Return the link for a program; it has no language."""
        return f"{self.base_url}/p/{url_token}.json"
