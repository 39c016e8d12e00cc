"""The languages of pages and mails, and the language that a tag stands for. Pure.

This is the only place that lists languages. CONTRIBUTING.md says how to add one.
"""

from typing import NamedTuple


class _Entry(NamedTuple):
    name: str  # in the language itself
    is_complete: bool = False  # then a missing translation fails a test; otherwise the sentence is shown in English


# By tag, spelled as in Password Pusher.
_ENTRIES = {
    "en": _Entry("English", is_complete=True),
    "de": _Entry("Deutsch", is_complete=True),
    "fr": _Entry("Français", is_complete=True),
    "es": _Entry("Español", is_complete=True),
    "it": _Entry("Italiano", is_complete=True),
    "nl": _Entry("Nederlands", is_complete=True),
    "sv": _Entry("Svenska", is_complete=True),
    "pt-BR": _Entry("Português (Brasil)", is_complete=True),
    "pl": _Entry("Polski", is_complete=True),
    "cs": _Entry("Čeština", is_complete=True),
    "uk": _Entry("Українська", is_complete=True),
    "ja": _Entry("日本語", is_complete=True),
    "zh-CN": _Entry("简体中文", is_complete=True),
    "zh-TW": _Entry("繁體中文", is_complete=True),
    "ar": _Entry("العربية", is_complete=True),
}
SOURCE = "en"  # the language of the templates and error messages
SERVED = {tag: entry.name for tag, entry in _ENTRIES.items()}
COMPLETE = frozenset(tag for tag, entry in _ENTRIES.items() if entry.is_complete)

_BY_TAG = {tag.lower(): tag for tag in SERVED}
_BY_LANGUAGE = {tag.partition("-")[0]: tag for tag in SERVED}
_TRADITIONAL = {"tw", "hk", "mo"}  # where Chinese is in traditional characters (CLDR, likely subtags)


def match_tag(tag: str) -> str | None:
    """Return the served language for a language tag (RFC 5646), by its full tag or its first part, or None."""
    first, *rest = tag.replace("_", "-").lower().split("-")
    if first == "zh":
        is_traditional = "hant" in rest or ("hans" not in rest and not _TRADITIONAL.isdisjoint(rest))
        return _BY_TAG.get("zh-tw" if is_traditional else "zh-cn")
    return _BY_TAG.get("-".join([first, *rest])) or _BY_LANGUAGE.get(first)
