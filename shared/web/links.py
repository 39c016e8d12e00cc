"""Links as they arrive: mail software takes what stands behind one in a sentence for its end. Pure.

A url_token ends with a letter or a digit, so a dot, a bracket, a quotation mark or a space behind it is never a part
of it, and neither is what became of one on its way: `%2E`, `&gt;`.
"""

import re

_MAX_LINK = 1_000  # characters that a pattern is tried on
_TAIL = r"(?:&(?:amp|apos|gt|lt|nbsp|quot|#\d+)|%[0-9A-Fa-f]{2}|[\W_])+"
_SEGMENT = re.compile(rf"([a-z0-9]+(?:\.json)?){_TAIL}")
_LINK = re.compile(
    rf"((?:(?:/[A-Za-z_-]{{2,10}})?/[pfr]|/api/v\d/pushes)/[a-z0-9]+/(?:r|preview|audit)(?:\.json)?){_TAIL}"
)


def without_tail(segment: str) -> str:
    """The segment of a path that a url_token, and perhaps `.json`, stands in, without what was left on it."""
    found = _SEGMENT.fullmatch(segment) if len(segment) <= _MAX_LINK else None
    return found[1] if found else segment


def mended(path: str) -> str | None:
    """The path of a link that goes on behind its url_token, without what was left on it; None when nothing was."""
    found = _LINK.fullmatch(path) if len(path) <= _MAX_LINK else None
    return found[1] if found else None
