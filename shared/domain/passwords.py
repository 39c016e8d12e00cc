"""Random passwords, which the sender's page offers as a payload."""

import secrets
import string

_LENGTH = 20  # of 62 characters: 119 bits
_ALPHABET = string.ascii_letters + string.digits


def generated() -> str:
    """A random password of letters and digits, which can be read out, typed, and selected by a double click."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
