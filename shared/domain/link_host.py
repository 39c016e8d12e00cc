"""Find the host of a web address, and spell it so that nobody mistakes it for another. Pure.

Browsers map the host (UTS 46) and show letters that look alike as `xn--…`. This module needs no mapping tables: it
names a host only if the mapping leaves it unchanged, and otherwise none.
"""

import re
import unicodedata
from typing import NamedTuple

from shared.domain.visible import IGNORABLE

# Scheme, user information, host and port (RFC 3986, section 3.2). Nothing that browsers repair: no blanks, `\` or `%`.
_ADDRESS = re.compile(
    r"https?://(?:([^/?#\\]*)@)?(\[[0-9a-f:.]+\]|[^\s/?#@:%\\\[\]]+)(?::[0-9]{1,5})?(?=[/?#]|\Z)", re.I | re.A
)
_ASCII = re.compile(r"[a-z0-9._-]+")
# Hosts that browsers parse as an IPv4 address, and the only notation that they do not rewrite (URL Standard).
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = re.compile(rf"{_BYTE}(?:\.{_BYTE}){{3}}")
_IN_HOSTS = {"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"}
# Latin letters with marks. Without i without a dot, kra, n with an apostrophe and long s, which look like others.
_LATIN = {*map(chr, range(0xDF, 0x180))} - set("÷ıĸŉſ")
# Scripts that nobody takes for Latin, in labels of their own. A label may mix those of one row.
_DISTINCT = (("CJK ", "HIRAGANA ", "KATAKANA "), ("HANGUL ",), ("ARABIC ",))
_LONGEST = 253  # characters of a host (RFC 1035)


class LinkHost(NamedTuple):
    """A host: `name` to show, and as `written` in the address; `has_user` is true if user information precedes it."""

    name: str
    written: str
    has_user: bool

    @property
    def is_disguised(self) -> bool:
        """Whether the host is written in letters that can be taken for others."""
        return self.name != self.written


def find_host(address: str) -> LinkHost | None:
    """Return the host of an absolute web address; None if browsers may read another than this module."""
    match = _ADDRESS.match(address)
    if not match or len(match[2]) > _LONGEST:
        return None
    written = match[2].lower()
    if _ENDS_IN_NUMBER.fullmatch(written) and not _IPV4.fullmatch(written):
        return None
    if written.startswith("[") or _ASCII.fullmatch(written):
        return LinkHost(written, written, match[1] is not None)
    labels = match[2].split(".")
    if not all(map(_is_unchanged, labels)):
        return None
    name = ".".join(label if _is_distinct(label) else _punycode(label) for label in labels)
    return LinkHost(name, match[2], match[1] is not None)


def _is_unchanged(label: str) -> bool:
    """Return whether UTS 46 leaves the label unchanged: lower case, composed; letters, marks, digits and hyphens."""
    is_plain = label == label.lower() == unicodedata.normalize("NFKC", label) and IGNORABLE.isdisjoint(label)
    return is_plain and all(one == "-" or unicodedata.category(one) in _IN_HOSTS for one in label)


def _is_distinct(label: str) -> bool:
    foreign = [one for one in label if not one.isascii()]
    if all(one in _LATIN for one in foreign):
        return True
    names = [unicodedata.name(one, "") for one in foreign]
    return len(foreign) == len(label) and any(all(name.startswith(row) for name in names) for row in _DISTINCT)


def _punycode(label: str) -> str:
    return f"xn--{label.encode('punycode').decode()}"
