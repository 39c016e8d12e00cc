"""Two-factor sign-in with the one-time codes of an authenticator app (TOTP, RFC 6238). Pure."""

from urllib.parse import quote, urlencode

from shared.domain import errors
from shared.domain.sentence import Sentence

_DIGITS = 6
_NOT_SIX_DIGITS = Sentence("The code must have six digits.")
_MAX_TYPED = 20  # characters; longer input is rejected. Apps show the digits with a space


def check_code(typed: str) -> str:
    """Return the six digits of a one-time code, without spaces.

    Raises: OneTimeCodeRefused.
    """
    digits = "".join(typed.split()) if len(typed) <= _MAX_TYPED else ""
    if not (len(digits) == _DIGITS and digits.isascii() and digits.isdecimal()):
        raise errors.OneTimeCodeRefused(_NOT_SIX_DIGITS)
    return digits


def uri(secret: str, address: str, issuer: str) -> str:
    """Return the URI that an authenticator app reads from a QR code, with the e-mail address and the service's name.

    The format is github.com/google/google-authenticator/wiki/Key-Uri-Format.
    """
    label = f"{quote(issuer, safe='')}:{quote(address, safe='')}"
    return f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': issuer}, quote_via=quote)}"


def in_groups(secret: str) -> str:
    """Return the secret in groups of four characters, easier to copy by hand; apps accept the spaces."""
    return " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))
