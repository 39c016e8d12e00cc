"""Base64url without padding (RFC 4648, section 5). Pure."""

import base64
import binascii


def encode(value: bytes) -> str:
    """Return bytes as base64url without padding."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def decode(text: str) -> bytes | None:
    """Return the bytes of a text in strict base64url: no padding, no other characters, unused bits zero."""
    try:
        value = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):  # ValueError for characters that are not ASCII
        return None
    # The decoder also takes `+`, `/`, `=` and bits that no encoder sets.
    return value if encode(value) == text else None
