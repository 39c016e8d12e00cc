"""The password generator of the sender's form, for browsers without JavaScript."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from shared.domain import passwords
from shared.web import site

_BOUNDS = {
    "alphabets": passwords.ALPHABETS,
    "look_alikes": passwords.LOOK_ALIKES,
    "lengths": passwords.LENGTHS,
    "counts": passwords.COUNTS,
    "separators": passwords.SEPARATORS,
}


def fill_in(form: dict[str, str]) -> dict[str, str]:
    """Return the form with a new password as its payload; keep the previous payload for `undo`."""
    payload, password = form.get("push[payload]", ""), passwords.generate(passwords.recipe(form), _words())
    before = form.get("before", "") if payload == form.get("generated") else payload
    return form | {"push[payload]": password, "generated": password, "before": before}


def undo(form: dict[str, str]) -> dict[str, str]:
    """Return the form with the payload from before the password was generated."""
    fields = {name: value for name, value in form.items() if name not in ("generated", "before")}
    return fields | {"push[payload]": form.get("before", "")}


def variables(typed: Mapping[str, str], *, is_again: bool) -> dict[str, Any]:
    """Return the template variables of the generator. `is_again` is whether the form is shown with entered fields."""
    recipe, word_count = passwords.recipe(typed), len(_words())
    shows_recipe = is_again and recipe != passwords.Recipe()
    bits = passwords.bits(recipe, word_count)
    return _BOUNDS | {"recipe": recipe, "shows_recipe": shows_recipe, "bits": bits, "word_count": word_count}


@cache
def _words() -> tuple[str, ...]:
    return tuple(site.assets().content("words.txt").split())
