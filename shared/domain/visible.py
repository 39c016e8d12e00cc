"""A file's name without what nobody sees and much can be hidden behind (Unicode Standard Annex 44, UTS 39). Pure.

After `invoice`, U+202E turns `fdp.exe` round, so that it shows as `exe.pdf`; and of two names that look alike, one may
hold a zero-width space.
"""

import unicodedata

# Controls; what formats (bidirectional and zero-width characters, byte order marks, tags); separators of lines.
_INVISIBLE = {"Cc", "Cf", "Zl", "Zp"}
# Format characters that do show: signs that some scripts put before or around digits (Prepended_Concatenation_Mark).
_SHOWN = {*map(chr, range(0x600, 0x606)), "\u06dd", "\u070f", "\u0890", "\u0891", "\u08e2", "\U000110bd", "\U000110cd"}
# No format characters, and as empty: grapheme joiner, fillers of Hangul, inherent vowels of Khmer.
_EMPTY = set("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
# Persian and the scripts of India are misspelt without joiners, and a family is four people without them.
_JOINERS = {"\u200c", "\u200d"}
_VARIATIONS = {*map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0))}
# What they mean something between: letters without capitals, marks, symbols and their skin tones.
_JOINED = {"Lo", "Mn", "Mc", "So", "Sk"}


def without_invisible(name: str) -> str:
    """The name without them; joiners and variation selectors stay where a script or an emoji needs them."""
    kept: list[str] = []
    for character in name:
        if kept and kept[-1] in _JOINERS and not _is_joined(character):
            kept.pop()
        if character in _JOINERS or character in _VARIATIONS:
            # No row of them, behind which a text could hide.
            is_needed = kept and _is_joined(kept[-1]) and not (character in _VARIATIONS and kept[-1] in _VARIATIONS)
        else:
            is_needed = _is_visible(character)
        if is_needed:
            kept.append(character)
    return "".join(kept[:-1] if kept and kept[-1] in _JOINERS else kept)


def _is_visible(character: str) -> bool:
    if character in _EMPTY:
        return False
    return unicodedata.category(character) not in _INVISIBLE or character in _SHOWN


def _is_joined(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character) in _JOINED
