"""What stands behind a header's value, as in `text/plain; charset=utf-8`. Pure."""

import re

# A token or a quoted string (RFC 9110, section 5.6.6). For texts of bounded length: open quotes cost their square.
_PARAMETER = re.compile(r';\s*([^\s;="]+)\s*=\s*(?:"((?:\\.|[^\\"])*)"|([^\s;"]*))')
_ESCAPED = re.compile(r"\\(.)")


def parameters(value: str) -> dict[str, str]:
    """The parameters of a header's value by name, in small letters; of several with one name, the first."""
    found: dict[str, str] = {}
    for name, quoted, token in _PARAMETER.findall(value):
        found.setdefault(name.lower(), _ESCAPED.sub(r"\1", quoted) or token)
    return found
