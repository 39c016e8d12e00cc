"""Rules for e-mail addresses and new passwords. Pure."""

import re
from collections.abc import Collection
from unicodedata import category

from shared.domain import errors

MIN_PASSWORD = 12  # characters; the same minimum as in the user pool (template.yaml)
MAX_PASSWORD = 256  # UTF-16 units, Cognito's own limit
# UTF-16 units: Cognito's limit for a username, which allows only Unicode categories L, M, S, N and P.
MAX_ADDRESS = 128
# Control characters and line breaks: Cognito's password pattern, ^[\S]+.*[\S]+$, may reject them. Check them first,
# because a password rejected later would leave a confirmed account without one.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# A dot at the end would be another spelling of the same address, with quotas of its own.
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)*")


def check_address(address: str) -> None:
    """Check that Cognito accepts the text as an e-mail address.

    Raises: AddressTooLong, AddressRefused.
    """
    if _utf16_length(address) > MAX_ADDRESS:
        raise errors.AddressTooLong
    is_visible = all(category(character)[0] in "LMSNP" for character in address)
    if not is_visible or not _ADDRESS.fullmatch(address):
        raise errors.AddressRefused


def is_address(text: str) -> bool:
    """Return whether Cognito accepts the text as an e-mail address."""
    try:
        check_address(text)
    except errors.AddressRefused:
        return False
    return True


def may_sign_up(address: str, domains: Collection[str]) -> bool:
    """Return whether an address may create an account: any without `domains`, else only those of one of them."""
    # Not `casefold`, which makes ß to ss: straße.example is another domain than strasse.example.
    return not domains or address.rpartition("@")[2].lower() in domains


def check_password(password: str) -> None:
    """Check a new password against Cognito's rules, before anything is changed.

    Raises: PasswordRefused.
    """
    is_long_enough = len(password) >= MIN_PASSWORD and _utf16_length(password) <= MAX_PASSWORD
    if not is_long_enough or password != password.strip() or _UNFIT.search(password):
        raise errors.PasswordRefused


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
