"""Passwords offered by the sender's form."""

from itertools import product
from math import log2
from pathlib import Path

import pytest

from shared.domain import passwords
from shared.domain.passwords import ALPHABETS, LOOK_ALIKES, Recipe

LIST = Path(__file__).parents[3] / "functions" / "pages" / "assets" / "words.txt"
WORDS = LIST.read_text().split()


def test_the_words_are_the_eff_s_and_no_hyphenated_pair_is_ambiguous() -> None:
    assert (len(WORDS), len(set(WORDS))) == (7776, 7776)
    assert not [word for word in WORDS if "-" in word and set(word.split("-")) <= set(WORDS)]


def test_the_default_kinds_are_the_first_three_as_in_the_script() -> None:
    assert tuple(ALPHABETS)[:3] == Recipe().kinds


@pytest.mark.parametrize("kinds", [("lower",), ("digits", "symbols"), tuple(ALPHABETS)])
def test_a_password_has_its_length_and_each_kind_and_no_other(kinds: tuple[str, ...]) -> None:
    made = [passwords.generate(Recipe(length=8, kinds=kinds), WORDS) for _ in range(200)]

    assert {len(one) for one in made} == {8}
    assert all(set(ALPHABETS[kind]) & set(one) for one in made for kind in kinds)
    assert set("".join(made)) <= set("".join(ALPHABETS[kind] for kind in kinds))


def test_every_character_comes_up_but_look_alikes_where_they_are_left_out() -> None:
    wanted = Recipe(length=128, kinds=tuple(ALPHABETS), without_look_alikes=True)

    made = "".join(passwords.generate(wanted, WORDS) for _ in range(50))

    assert set(made) == set("".join(ALPHABETS.values())) - set(LOOK_ALIKES)


def test_a_password_of_words_is_of_the_list() -> None:
    made = passwords.generate(Recipe(style="words", words=7, separator=" "), WORDS)

    assert len(made.split(" ")) == 7
    assert set(made.split(" ")) <= set(WORDS)


def test_two_passwords_differ() -> None:
    for wanted in (Recipe(), Recipe(style="words")):
        assert passwords.generate(wanted, WORDS) != passwords.generate(wanted, WORDS)


def test_bits_are_the_logarithm_of_how_many_such_passwords_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "ALPHABETS", {"upper": "AB", "lower": "abc", "digits": "1"})
    kinds = ("upper", "lower", "digits")
    counted = [one for one in product("ABabc1", repeat=7) if all(set(one) & set(some) for some in ("AB", "abc", "1"))]

    assert passwords.bits(Recipe(length=7, kinds=kinds), 7776) == int(log2(len(counted)))


@pytest.mark.parametrize(
    ("wanted", "bits"),
    [
        (Recipe(), 119),
        (Recipe(length=128, kinds=tuple(ALPHABETS)), 797),
        (Recipe(length=8, kinds=("digits",)), 26),
        (Recipe(style="words"), 77),
        (Recipe(style="words", words=3), 38),
    ],
)
def test_entropy_is_shown_in_whole_bits(wanted: Recipe, bits: int) -> None:
    assert passwords.bits(wanted, 7776) == bits


def test_a_form_without_the_field_means_the_default() -> None:
    assert passwords.recipe({"length": "9"}) == Recipe()


def test_a_recipe_is_read_from_a_form() -> None:
    form = {"style": "words", "length": "12", "lower": "yes", "clear": "yes", "count": "4", "separator": " "}

    assert passwords.recipe(form) == Recipe("words", 12, ("lower",), True, 4, " ")


@pytest.mark.parametrize(
    ("typed", "length"),
    [("", 20), ("x", 20), ("-9", 20), ("٣", 20), ("0", 8), ("7", 8), ("129", 128), ("9" * 5000, 20)],
)
def test_choices_are_clamped_to_bounds_and_invalid_ones_are_defaults(typed: str, length: int) -> None:
    made = passwords.recipe({"style": "evil", "length": typed, "count": typed, "separator": "<b>"})

    assert (made.style, made.length, made.kinds, made.separator) == ("characters", length, passwords.KINDS, "-")
