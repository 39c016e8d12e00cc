"""Remove invisible characters from a file's name, or find them in a text (UAX 44, UTS 39). Pure.

U+202E, for example, reverses the text after it: `invoice` and `fdp.exe` show as `invoiceexe.pdf`. A zero-width space
makes two different names look alike.
"""

import unicodedata
from collections.abc import Iterator
from itertools import pairwise

# Controls; format characters (bidirectional, zero-width, byte order marks, tags); line separators.
_INVISIBLE = {"Cc", "Cf", "Zl", "Zp"}
# Visible format characters: signs before or around digits in some scripts (Prepended_Concatenation_Mark).
_SHOWN = {*map(chr, range(0x600, 0x606)), "\u06dd", "\u070f", "\u0890", "\u0891", "\u08e2", "\U000110bd", "\U000110cd"}
# In other categories, but invisible: grapheme joiner, fillers of Hangul, inherent vowels of Khmer, and what Unicode
# keeps for format characters to come (Default_Ignorable_Code_Point).
_EMPTY = {*"\u034f\u115f\u1160\u17b4\u17b5\u2065\u3164\uffa0", *map(chr, range(0xFFF0, 0xFFF9))}
_FIRST_TAG, _LAST_TAG = "\U000e0000", "\U000e0fff"
# Needed to spell Persian and the scripts of India, and to join emojis into one, such as a family.
_JOINERS = {"\u200c", "\u200d"}
_VARIATIONS = {*"\u180b\u180c\u180d\u180f", *map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))}
IGNORABLE = _EMPTY | _VARIATIONS
# Joiners have a meaning after letters without case, marks, symbols and their skin tones.
_JOINED = {"Lo", "Mn", "Mc", "So", "Sk"}
_KEYCAP = "\u20e3"
_LINE_BREAKS = set("\t\n\r")


def without_invisible(name: str) -> str:
    """Return the name without invisible characters; joiners and variation selectors stay if they have a meaning."""
    clean: list[str] = []
    for character in name:
        if clean and clean[-1] in _JOINERS and not _is_joined(character):
            clean.pop()
        if character in _JOINERS or character in _VARIATIONS:
            # Never two in a row: a long row could hide text.
            is_needed = clean and _is_joined(clean[-1]) and not (character in _VARIATIONS and clean[-1] in _VARIATIONS)
        else:
            is_needed = _is_visible(character)
        if is_needed:
            clean.append(character)
    return "".join(clean[:-1] if clean and clean[-1] in _JOINERS else clean)


def mark_invisible(text: str) -> list[tuple[str, str]]:
    """Split a text before its invisible characters: pairs of an invisible character's code and the text after it.

    The first code is empty. Tabs, line breaks and meaningful joiners count as visible.
    """
    cuts = [*_invisible_places(text), len(text)]
    codes = (f"U+{ord(text[cut]):04X}" for cut in cuts[:-1])
    rests = (text[start + 1 : end] for start, end in pairwise(cuts))
    return [("", text[: cuts[0]]), *zip(codes, rests, strict=True)]


def count_invisible(text: str) -> int:
    """Return how many invisible characters a text has. Unlike marking them, this takes no memory for each."""
    return sum(1 for _ in _invisible_places(text))


def _invisible_places(text: str) -> Iterator[int]:
    suspects = {one for one in set(text) if one in _JOINERS | _VARIATIONS or not _is_visible(one)} - _LINE_BREAKS
    if not suspects:  # searched in the set first: a text may have a million characters
        return
    for at, character in enumerate(text):
        if character not in suspects:
            continue
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if character in _VARIATIONS:
            is_meant = (_is_joined(before) and before not in _VARIATIONS) or after == _KEYCAP
        else:
            is_meant = character in _JOINERS and _is_joined(before) and _is_joined(after)
        if not is_meant:
            yield at


def _is_visible(character: str) -> bool:
    if character in _EMPTY or _FIRST_TAG <= character <= _LAST_TAG:
        return False
    return unicodedata.category(character) not in _INVISIBLE or character in _SHOWN


def _is_joined(character: str) -> bool:
    return bool(character) and not character.isascii() and unicodedata.category(character) in _JOINED
