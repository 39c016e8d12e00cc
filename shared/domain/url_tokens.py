"""Tokens for links: url_tokens of pushes, ask_tokens of asks. Pure, except for random ones."""

import secrets
import string

ALPHABET = string.ascii_lowercase + string.digits
LENGTH = 26  # 134 bits, and longer than any reserved word of the paths


def new_url_token() -> str:
    """Return a new random token of 134 bits."""
    return url_token_of(secrets.randbelow(len(ALPHABET) ** LENGTH))


def url_token_of(number: int) -> str:
    """Return the token that is made of the number's 26 lowest digits in base 36."""
    digits = []
    for _ in range(LENGTH):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(digits)
