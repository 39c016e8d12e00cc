"""Encrypted hidden form fields, which carry values from one step of a form to the next.

No visitor has the key, so they can neither read a field nor change it. A field works with one cookie, for one purpose
and for some minutes.
"""

import base64
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from shared.domain import cipher, errors
from shared.identity import accounts


class SealedField(NamedTuple):
    """One kind of hidden field: its purpose, the number of its values, and how long a field works."""

    purpose: str
    size: int
    lifetime: timedelta

    def seal(self, cookie: str, values: Sequence[str], *, at: datetime) -> str:
        """Return the encrypted field; its lifetime starts at `at`."""
        plain = json.dumps([at.isoformat(), *values]).encode()
        return base64.urlsafe_b64encode(cipher.encrypt(accounts.field_key(cookie), plain, self.purpose)).decode()

    def unseal(self, cookie: str, field: str, *, now: datetime) -> tuple[datetime, list[str]]:
        """Return the moment and the values that were sealed.

        Raises: SignInLapsed, when the field is too old, dated in the future, or not one of this kind and cookie.
        """
        try:
            sent = base64.urlsafe_b64decode(field.encode())
            moment, *values = json.loads(cipher.decrypt(accounts.field_key(cookie), sent, self.purpose))
            at = datetime.fromisoformat(moment)
            is_valid = len(values) == self.size and at <= now < at + self.lifetime
        except (cipher.CannotOpen, TypeError, ValueError) as error:  # or a field of another release
            raise errors.SignInLapsed from error
        if not is_valid:
            raise errors.SignInLapsed
        return at, values
