"""Random passwords, of characters or of words, which the sender's form offers as a payload."""

import secrets
import string
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log2
from typing import NamedTuple

CHARACTERS, WORDS = "characters", "words"
# No quotes, brackets, backslash or dollar, which shells and configuration files take amiss.
ALPHABETS: Mapping[str, str] = {
    "upper": string.ascii_uppercase,
    "lower": string.ascii_lowercase,
    "digits": string.digits,
    "symbols": "!#%*+-.:=?@_~",
}
LOOK_ALIKES = "0Oo1lI"
KINDS = ("upper", "lower", "digits")  # by default
LENGTHS = (8, 128, 20)  # lowest, highest, default
COUNTS = (3, 20, 6)  # of words: six of the 7,776 are 77 bits
SEPARATORS = ("-", ".", "_", " ")
_MAX_DIGITS = 4


class Recipe(NamedTuple):
    """What a password is made of; the default of letters and digits is selected by a double click."""

    style: str = CHARACTERS
    length: int = LENGTHS[2]
    kinds: tuple[str, ...] = KINDS
    without_look_alikes: bool = False
    words: int = COUNTS[2]
    separator: str = SEPARATORS[0]

    @property
    def alphabets(self) -> list[str]:
        """The characters of each kind that a password must hold one of."""
        left_out = LOOK_ALIKES if self.without_look_alikes else ""
        return ["".join(one for one in ALPHABETS[kind] if one not in left_out) for kind in self.kinds]


def recipe(form: Mapping[str, str]) -> Recipe:
    """What a form says of it. What it does not say, or says out of bounds, is as the default or the nearest bound."""
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
    """A random password by a recipe; `words` are those to choose from."""
    if recipe.style == WORDS:
        return recipe.separator.join(secrets.choice(words) for _ in range(recipe.words))
    alphabets = recipe.alphabets
    characters = "".join(alphabets)
    # Drawn anew where a kind is missing, so that all that have each kind are equally likely.
    while True:
        password = "".join(secrets.choice(characters) for _ in range(recipe.length))
        if all(set(alphabet) & set(password) for alphabet in alphabets):
            return password


def bits(recipe: Recipe, words: int) -> int:
    """The entropy of such a password in whole bits: the logarithm of how many there are, with so many words."""
    if recipe.style == WORDS:
        return int(recipe.words * log2(words))
    sizes = [len(alphabet) for alphabet in recipe.alphabets]
    # All, less those that lack a kind: inclusion and exclusion.
    return int(
        log2(
            sum(
                (-1) ** lacking * (sum(sizes) - sum(left_out)) ** recipe.length
                for lacking in range(len(sizes) + 1)
                for left_out in combinations(sizes, lacking)
            )
        )
    )


def _clamp(text: str, bounds: tuple[int, int, int]) -> int:
    lowest, highest, default = bounds
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        return default
    return min(max(int(text), lowest), highest)
