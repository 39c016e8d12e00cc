"""What an e-mail address and a new password must be. Pure."""

import re
from unicodedata import category

from shared.domain import errors

MIN_PASSWORD = 12  # characters; the user pool of template.yaml asks for as many
MAX_PASSWORD = 256  # UTF-16 units; more Cognito takes from nobody
MAX_ADDRESS = 128  # UTF-16 units; longer names Cognito gives nobody, and takes none with what is no LMSNP of Unicode
# What Cognito's own pattern of a password, ^[\S]+.*[\S]+$, and its JSON might stumble over: control characters and
# line breaks. It must take in one call what we took in the one before, or an account would have no password.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ADDRESS = re.compile(r"[^\s@]{1,64}@[^\s@]+")


def check_address(address: str) -> None:
    """Raises: AddressRefused, for what cannot be an e-mail address."""
    is_visible = all(category(character)[0] in "LMSNP" for character in address)
    if _units(address) > MAX_ADDRESS or not is_visible or not _ADDRESS.fullmatch(address):
        raise errors.AddressRefused


def check_password(password: str) -> None:
    """Check a new password by Cognito's rules, before anything is done with it.

    Raises: PasswordRefused.
    """
    is_long_enough = len(password) >= MIN_PASSWORD and _units(password) <= MAX_PASSWORD
    if not is_long_enough or password != password.strip() or _UNFIT.search(password):
        raise errors.PasswordRefused


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
