"""Owners: an account, by its permanent Cognito `sub`, or a name chosen by an operator. Pure.

Accounts and names have different prefixes, so that a name never matches an account. API tokens and sessions start with
a locator, the key of the owner's record, so that both are found in one read.
"""

import hashlib
import re

from shared.domain import base64url

_ACCOUNT = "account:"
_NAME = "name:"
_LOCATOR_BYTES = 16
_LOCATOR = 22  # characters of base64 for 128 bits
_RANDOM = 43  # characters of base64 for 256 bits
_CREDENTIAL = re.compile(rf"([A-Za-z0-9_-]{{{_LOCATOR}}})[A-Za-z0-9_-]{{{_RANDOM}}}")


def of_account(sub: str) -> str:
    """Return the owner for an account; its `sub` survives a new e-mail address, and is never reused."""
    return _ACCOUNT + sub


def of_name(name: str) -> str:
    """Return the owner for an operator's name, ignoring case."""
    return _NAME + name.lower()


def account_sub(owner: str) -> str | None:
    """Return the `sub` of an owner's account; None if the owner is an operator's name."""
    return owner.removeprefix(_ACCOUNT) if owner.startswith(_ACCOUNT) else None


def locator(owner: str) -> str:
    """Return the locator of an owner, 22 characters. It is not secret and does not reveal the owner."""
    digest = hashlib.sha256(f"owner {owner}".encode()).digest()
    return base64url.encode(digest[:_LOCATOR_BYTES])


def locator_of(credential: str) -> str | None:
    """Return the locator of an API token or a session cookie; None for any other text."""
    match = _CREDENTIAL.fullmatch(credential) if len(credential) <= _LOCATOR + _RANDOM else None
    return match[1] if match else None
