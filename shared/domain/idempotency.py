"""Idempotency keys: what a client sends again with a request whose answer was lost (contract, section 11). Pure."""

import re

from shared.domain import errors
from shared.domain.limits import IDEMPOTENCY_KEY

_VISIBLE = re.compile(r"[!-~]+")


def is_key(text: str) -> bool:
    """Whether a text can be an idempotency key."""
    shortest, longest = IDEMPOTENCY_KEY
    return shortest <= len(text) <= longest and _VISIBLE.fullmatch(text) is not None


def key_or_none(text: str) -> str | None:
    """The key that a form's field holds, None where it cannot be one: whoever sends a form cannot mend it."""
    return text if is_key(text) else None


def check_key(key: str) -> str:
    """The key, if it can be one: 16 to 255 visible ASCII characters.

    Raises: MalformedRequest.
    """
    if is_key(key):
        return key
    shortest, longest = IDEMPOTENCY_KEY
    raise errors.MalformedRequest(
        f"An Idempotency-Key has {shortest} to {longest} visible ASCII characters, such as those of a UUID."
    )


def new_key() -> str:
    """A fresh key of 192 random bits, for a form."""
    import secrets  # loaded here: the API's endpoints make none

    return secrets.token_urlsafe(24)
