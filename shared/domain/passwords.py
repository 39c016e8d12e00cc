"""Generate random passwords, of characters or words, for the form of a new push."""

import secrets
import string
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log2
from typing import NamedTuple

from shared.domain.bounds import Bounds

CHARACTERS, WORDS = "characters", "words"
# No quotes, brackets, backslash or dollar, because shells and configuration files interpret them.
ALPHABETS: Mapping[str, str] = {
    "upper": string.ascii_uppercase,
    "lower": string.ascii_lowercase,
    "digits": string.digits,
    "symbols": "!#%*+-.:=?@_~",
}
LOOK_ALIKES = "0Oo1lI"
KINDS = ("upper", "lower", "digits")  # by default
LENGTHS = Bounds(8, 20, 128)
COUNTS = Bounds(3, 6, 20)  # number of words: six of 7,776 have 77 bits
SEPARATORS = ("-", ".", "_", " ")
_MAX_DIGITS = 4


class Recipe(NamedTuple):
    """Options for a password; the default has only letters and digits, so a double click selects all of it."""

    style: str = CHARACTERS
    length: int = LENGTHS.default
    kinds: tuple[str, ...] = KINDS
    without_look_alikes: bool = False
    words: int = COUNTS.default
    separator: str = SEPARATORS[0]

    @property
    def alphabets(self) -> list[str]:
        """Return the characters of each kind; a password has at least one of each."""
        left_out = LOOK_ALIKES if self.without_look_alikes else ""
        return ["".join(one for one in ALPHABETS[kind] if one not in left_out) for kind in self.kinds]


def recipe(form: Mapping[str, str]) -> Recipe:
    """Return the options in a form. Missing values become the default, out-of-range values the nearest bound."""
    if "style" not in form:
        return Recipe()
    kinds = tuple(kind for kind in ALPHABETS if kind in form)
    return Recipe(
        style=WORDS if form["style"] == WORDS else CHARACTERS,
        length=_clamp(form.get("length", ""), LENGTHS),
        kinds=kinds or KINDS,
        without_look_alikes="clear" in form,
        words=_clamp(form.get("count", ""), COUNTS),
        separator=separator if (separator := form.get("separator", "")) in SEPARATORS else SEPARATORS[0],
    )


def generate(recipe: Recipe, words: Sequence[str]) -> str:
    """Return a random password; `words` is the word list."""
    if recipe.style == WORDS:
        return recipe.separator.join(secrets.choice(words) for _ in range(recipe.words))
    alphabets = recipe.alphabets
    characters = "".join(alphabets)
    # Repeat until every kind occurs, so that all valid passwords are equally likely.
    while True:
        password = "".join(secrets.choice(characters) for _ in range(recipe.length))
        if all(set(alphabet) & set(password) for alphabet in alphabets):
            return password


def bits(recipe: Recipe, words: int) -> int:
    """Return the entropy in whole bits: log2 of the number of possible passwords; `words` is the word list's length."""
    if recipe.style == WORDS:
        return int(recipe.words * log2(words))
    sizes = [len(alphabet) for alphabet in recipe.alphabets]
    # Inclusion-exclusion: all passwords, minus those without one of the kinds.
    return int(
        log2(
            sum(
                (-1) ** lacking * (sum(sizes) - sum(left_out)) ** recipe.length
                for lacking in range(len(sizes) + 1)
                for left_out in combinations(sizes, lacking)
            )
        )
    )


def _clamp(text: str, bounds: Bounds) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        return bounds.default
    return min(max(int(text), bounds.lowest), bounds.highest)
