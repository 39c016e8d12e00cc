"""What a form carries from one step to the next, sealed under the cookie that goes with the form.

Whoever sees the page without its cookie, which no script can read, can neither use nor change it.
"""

import base64
import binascii
import json
from collections.abc import Sequence

from shared.domain import cipher, errors


def seal(cookie: str, purpose: str, values: Sequence[str]) -> str:
    """The values as one text for a hidden field; `purpose` keeps it out of every other form."""
    return base64.urlsafe_b64encode(cipher.encrypt(_key(cookie), json.dumps(values).encode(), purpose)).decode()


def unseal(cookie: str, purpose: str, field: str) -> list[str]:
    """The values that were sealed.

    Raises: SignInLapsed, when the field is not one that was sealed so.
    """
    try:
        ciphertext = base64.urlsafe_b64decode(field.encode())
        values: list[str] = json.loads(cipher.decrypt(_key(cookie), ciphertext, purpose))
    except (cipher.CannotOpen, binascii.Error, ValueError) as error:
        raise errors.SignInLapsed from error
    return values


def _key(cookie: str) -> bytes:
    return cipher.derive(cookie.encode(), b"secret-sharing form v1")
