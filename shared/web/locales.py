"""The languages of the pages, and which of them a request asks for. Pure."""

import re

SOURCE = "en"  # the language that the templates and the refusals are written in
# By their tags as the reference writes them, each with its own name for itself.
SERVED = {
    SOURCE: "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "it": "Italiano",
    "nl": "Nederlands",
    "pt-BR": "Português (Brasil)",
    "pl": "Polski",
    "cs": "Čeština",
    "uk": "Українська",
    "ja": "日本語",
    "zh-CN": "简体中文",
    "ar": "العربية",
}

_MAX_HEADER = 500  # characters of Accept-Language that are read
# One range and its weight (RFC 9110, section 12.5.4).
_RANGE = re.compile(r"\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,3})\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?")
_BY_TAG = {tag.lower(): tag for tag in SERVED}
_BY_LANGUAGE = {tag.partition("-")[0]: tag for tag in SERVED}
# Chinese that those who read the one script may not read in the other.
_TRADITIONAL = {"hant", "tw", "hk", "mo"}


def match_tag(tag: str) -> str | None:
    """The served language that a language tag (RFC 5646) stands for: itself, or that of its first part; else None."""
    first, *rest = tag.replace("_", "-").lower().split("-")
    if first == "zh" and _TRADITIONAL & set(rest):
        return None
    return _BY_TAG.get("-".join([first, *rest])) or _BY_LANGUAGE.get(first)


def catalogue(tag: str) -> str:
    """The name that gettext has for a language, which is that of the directory of its catalogue."""
    return tag.replace("-", "_")


def from_accept_language(header: str) -> str | None:
    """The served language that an Accept-Language header likes best, None when it names none."""
    ranges = [match for part in header[:_MAX_HEADER].split(",") if (match := _RANGE.fullmatch(part))]
    wanted = [(float(match[2] or 1), language) for match in ranges if (language := match_tag(match[1]))]
    # The first of those that it likes alike; `max` keeps the order.
    weight, language = max(wanted, key=lambda one: one[0], default=(0.0, None))
    return language if weight else None
