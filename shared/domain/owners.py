"""Who may own a push: an account, by the `sub` that Cognito gives it for good, or a name that an operator chose. Pure.

Accounts and names have prefixes of their own, so that no name is ever taken for an account. API tokens and sessions
start with a locator, by which the owner's record is found in the same read.
"""

import base64
import hashlib
import re

_ACCOUNT = "account:"
_NAME = "name:"
_LOCATOR_BYTES = 16
_LOCATOR = 22  # characters of base64 for 128 bits
_RANDOM = 43  # characters of base64 for 256 bits
_CREDENTIAL = re.compile(rf"([A-Za-z0-9_-]{{{_LOCATOR}}})[A-Za-z0-9_-]{{{_RANDOM}}}")


def of_account(sub: str) -> str:
    """The owner that an account is; its `sub` stays when its e-mail address changes, and is never given twice."""
    return _ACCOUNT + sub


def of_name(name: str) -> str:
    """The owner that an operator's name is; upper and lower case are the same."""
    return _NAME + name.lower()


def account_sub(owner: str) -> str | None:
    """The account behind an owner, None for a name."""
    return owner.removeprefix(_ACCOUNT) if owner.startswith(_ACCOUNT) else None


def locator(owner: str) -> str:
    """The 22 characters by which an owner's record is found. They are no secret, and do not tell who the owner is."""
    digest = hashlib.sha256(f"owner {owner}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:_LOCATOR_BYTES]).decode().rstrip("=")


def locator_of(credential: str) -> str | None:
    """The locator that an API token or a session's cookie starts with; None for any other text."""
    match = _CREDENTIAL.fullmatch(credential) if len(credential) <= _LOCATOR + _RANDOM else None
    return match[1] if match else None
