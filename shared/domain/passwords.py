"""Passwords for people who would rather not think of one."""

import secrets
import string

_LENGTH = 20  # of 62 characters: 119 bits
_ALPHABET = string.ascii_letters + string.digits


def generated() -> str:
    """A random password that survives being read out, typed and double-clicked."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
