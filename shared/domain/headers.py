"""Parameters of a header's value, such as the charset in `text/plain; charset=utf-8`. Pure."""

import re

# A token or a quoted string (RFC 9110, section 5.6.6). Only for texts of bounded length: the time that open quotes take
# grows with their square.
_PARAMETER = re.compile(r';\s*([^\s;="]+)\s*=\s*(?:"((?:\\.|[^\\"])*)"|([^\s;"]*))')
_ESCAPED = re.compile(r"\\(.)")


def parameters(value: str) -> dict[str, str]:
    """The parameters of a header's value by their names in small letters; of several with one name, the first."""
    values: dict[str, str] = {}
    for name, quoted, token in _PARAMETER.findall(value):
        values.setdefault(name.lower(), _ESCAPED.sub(r"\1", quoted) or token)
    return values
