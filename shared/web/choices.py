"""Encode a sender's choices as a short text for a cookie or a link: settings only, no content. Pure.

The parts, separated by dots: kind, lifetime in minutes, views, `retrieval_step`, `deletable_by_viewer`, and the recipe
of the password generator, which is left out if it is the default: `text.10080m.5.true.true.w20uld6-0`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta

from shared.domain.bounds import Bounds
from shared.domain.jwe import SEALED_BY, SENDER
from shared.domain.limits import DURATIONS, KINDS, TEXT, VIEWS
from shared.domain.passwords import ALPHABETS, CHARACTERS, SEPARATORS, WORDS, Recipe
from shared.domain.push import Push
from shared.runtime.settings import Settings

_MAX = 60  # characters; a longer text skips the pattern
_SEALED = "sealed"  # in place of the kind: a text that its sender sealed
_CHOICES = re.compile(
    rf"({'|'.join((*KINDS, _SEALED))})\.([1-9][0-9]{{0,5}})m\.([1-9][0-9]{{0,2}})\.(true|false)\.(true|false)"
    r"(?:\.([cw])([0-9]{1,3})([ulds]{1,4})(x?)([0-9]{1,2})-([0-3]))?"
)
_STYLES = {style[0]: style for style in (CHARACTERS, WORDS)}
_FIELDS = ("kind", "expire_after_duration", "expire_after_views", "retrieval_step", "deletable_by_viewer")
_MINUTE = timedelta(minutes=1)
_USUAL = Recipe()


def encode(push: Push, recipe: Recipe = _USUAL) -> str:
    """Return the encoded choices of a push's sender."""
    switches = (str(switch).lower() for switch in (push.retrieval_step, push.deletable_by_viewer))
    kind = _SEALED if push.sealed_key_id and push.kind == TEXT else push.kind
    parts = [kind, f"{_lifetime(push) // _MINUTE}m", str(push.expire_after_views), *switches]
    return ".".join(parts if recipe == _USUAL else [*parts, _encode_recipe(recipe)])


def decode(text: str, settings: Settings, *, is_link: bool = False) -> dict[str, str]:
    """Return the choices by form field name, without those that the settings forbid; empty if the text is invalid.

    With `is_link`, the recipe is left out: otherwise a stranger's link could make the sender generate weak passwords.
    """
    match = _CHOICES.fullmatch(text) if len(text) <= _MAX else None
    if not match:
        return {}
    kind, minutes, views, step, deletable, *recipe = match.groups()
    lifetime = timedelta(minutes=int(minutes))
    if not DURATIONS[0] <= lifetime <= DURATIONS[-1] or not VIEWS.include(int(views)):
        return {}
    sealed = {SEALED_BY: SENDER} if kind == _SEALED else {}
    value = nearest_lifetime(lifetime, settings.days)
    allowed_views = views if settings.views.include(int(views)) else None
    chosen = zip(_FIELDS, (TEXT if sealed else kind, value, allowed_views, step, deletable), strict=True)
    choices = {name: value for name, value in chosen if value is not None}
    return choices | sealed | (_decode_recipe(recipe) if recipe[0] and not is_link else {})


def _encode_recipe(recipe: Recipe) -> str:
    kinds = "".join(kind[0] for kind in recipe.kinds)
    clear = "x" if recipe.without_look_alikes else ""
    return f"{recipe.style[0]}{recipe.length}{kinds}{clear}{recipe.words}-{SEPARATORS.index(recipe.separator)}"


def _decode_recipe(recipe: Sequence[str]) -> dict[str, str]:
    style, length, kinds, clear, count, separator = recipe
    boxes = {kind: "yes" for kind in ALPHABETS if kind[0] in kinds} | ({"clear": "yes"} if clear else {})
    fields = {"style": _STYLES[style], "length": length, "count": count, "separator": SEPARATORS[int(separator)]}
    return fields | boxes


def recipe_of(choices: Mapping[str, str]) -> dict[str, str]:
    """Return only the choices of the password generator."""
    return {name: value for name, value in choices.items() if name not in (*_FIELDS, SEALED_BY)}


def differ_from_defaults(choices: Mapping[str, str], settings: Settings) -> bool:
    """Return whether the last choices, if any, differ from the installation's defaults."""
    switches = (str(switch).lower() for switch in (settings.retrieval_step, settings.deletable_by_viewer))
    usual = (TEXT, selected_lifetime({}, settings.days), str(settings.views.default), *switches)
    differs = any(choices.get(name, value) != value for name, value in zip(_FIELDS, usual, strict=True))
    return differs or SEALED_BY in choices


def lifetimes(days: Bounds) -> dict[str, timedelta]:
    """Return the lifetimes that a form offers, shortest first, by the value of the field `expire_after_duration`.

    The value is empty for the default, if it is none of DURATIONS: an empty field is an absent one.
    """
    offered = {str(index): duration for index, duration in enumerate(DURATIONS) if days.include_lifetime(duration)}
    default = timedelta(days=days.default)
    if default not in offered.values():
        offered[""] = default
    return dict(sorted(offered.items(), key=lambda item: item[1]))


def nearest_lifetime(lifetime: timedelta, days: Bounds) -> str | None:
    """Return the field's value for the longest offered lifetime that is not longer; None if it is out of bounds."""
    shorter = [value for value, offered in lifetimes(days).items() if offered <= lifetime]
    return shorter[-1] if shorter and days.include_lifetime(lifetime) else None


def selected_lifetime(typed: Mapping[str, str], days: Bounds) -> str:
    """Return the value of the lifetime to select in a form: the entered one if valid, else the default."""
    value, offered = typed.get("expire_after_duration", ""), lifetimes(days)
    default = next(value for value, lifetime in offered.items() if lifetime == timedelta(days=days.default))
    return value if value in offered else default


def _lifetime(push: Push) -> timedelta:
    """Return the lifetime of a push. If it ended early, only its full days are known."""
    lifetime = push.expires_at - push.created_at
    is_whole = lifetime in DURATIONS and max(1, lifetime.days) == push.expire_after_days
    return lifetime if is_whole else timedelta(days=push.expire_after_days)
