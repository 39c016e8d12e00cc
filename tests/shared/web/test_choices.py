"""A sender's choices as one short text."""

from datetime import timedelta

import pytest

from shared.domain.bounds import Bounds
from shared.domain.limits import DAYS, DURATIONS
from shared.domain.passwords import ALPHABETS, SEPARATORS, Recipe, recipe
from shared.domain.push import Push
from shared.runtime import settings
from shared.web import choices
from tests.engines import resources
from tests.shared.domain.test_push import PUSH

SETTINGS = settings.load(resources.environment())
SEALED = {"sealed_by": "sender"}


def offered(value: str | None) -> timedelta:
    assert value is not None
    return choices.lifetimes(DAYS)[value]


def lived(lifetime: timedelta, days: int) -> Push:
    return PUSH._replace(expires_at=PUSH.created_at + lifetime, expire_after_days=days)


@pytest.mark.parametrize("index", range(len(DURATIONS)))
def test_written_choices_can_be_read_again(index: int) -> None:
    push = lived(DURATIONS[index], max(1, DURATIONS[index].days))

    assert choices.decode(choices.encode(push), SETTINGS) == {
        "kind": push.kind,
        "expire_after_duration": str(index),
        "expire_after_views": str(push.expire_after_views),
        "retrieval_step": str(push.retrieval_step).lower(),
        "deletable_by_viewer": str(push.deletable_by_viewer).lower(),
    }


RECIPES = [
    Recipe(),
    *[Recipe(style="words", words=20, separator=separator) for separator in SEPARATORS],
    Recipe(length=128, kinds=("digits",), without_look_alikes=True),
    Recipe(kinds=tuple(ALPHABETS), separator="."),
]


@pytest.mark.parametrize("wanted", RECIPES)
def test_the_recipe_of_passwords_is_read_again(wanted: Recipe) -> None:
    assert recipe(choices.decode(choices.encode(PUSH, wanted), SETTINGS)) == wanted


def test_the_days_of_a_push_that_ended_early_are_known() -> None:
    for ended in (timedelta(minutes=15), timedelta(days=1), timedelta(seconds=1234)):
        assert ".4320m." in choices.encode(lived(ended, days=3))


def test_a_lifetime_that_the_form_does_not_offer_is_the_next_shorter() -> None:
    assert offered(choices.nearest_lifetime(timedelta(days=9), DAYS)) == timedelta(days=7)
    assert offered(choices.nearest_lifetime(timedelta(minutes=59), DAYS)) == timedelta(minutes=45)


def test_no_content_of_a_push_is_written() -> None:
    push = lived(timedelta(days=7), 7)

    assert choices.encode(push._replace(id="x" * 64, owner="name:ann", label=b"l")) == choices.encode(push)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ({"expire_after_duration": "4"}, timedelta(hours=6)),
        *[({"expire_after_duration": index}, timedelta(days=7)) for index in ("", "18", "-1", "٣", "9" * 5_000)],
    ],
)
def test_a_form_shows_the_lifetime_that_was_chosen_or_else_the_default(typed: dict[str, str], shown: timedelta) -> None:
    assert offered(choices.selected_lifetime(typed, DAYS)) == shown


NARROW = SETTINGS._replace(days=Bounds(3, 10, 20), views=Bounds(2, 3, 4))


def test_a_form_offers_the_lifetimes_within_bounds_and_the_default() -> None:
    days = [lifetime.days for lifetime in choices.lifetimes(NARROW.days).values()]

    assert days == [3, 4, 5, 6, 7, 10, 14]
    assert choices.lifetimes(NARROW.days)[choices.selected_lifetime({}, NARROW.days)] == timedelta(days=10)
    assert timedelta(minutes=15) in choices.lifetimes(Bounds(1, 1, 1)).values()


@pytest.mark.parametrize("choice", ["text.15m.5.true.true", "text.129600m.1.true.true"])
def test_a_remembered_choice_out_of_bounds_becomes_the_default(choice: str) -> None:
    decoded = choices.decode(choice, NARROW)

    assert decoded == {"kind": "text", "retrieval_step": "true", "deletable_by_viewer": "true"}
    assert choices.decode("text.14400m.4.true.true", NARROW)["expire_after_duration"] == ""


def test_the_choice_to_seal_a_text_is_read_again_and_differs_from_the_defaults() -> None:
    sealed = PUSH._replace(kind="text", sealed_key_id=b"\1\2\3\4")

    decoded = choices.decode(choices.encode(sealed), SETTINGS)

    assert decoded == choices.decode(choices.encode(sealed._replace(sealed_key_id=None)), SETTINGS) | SEALED
    assert choices.differ_from_defaults(SEALED, SETTINGS)
    assert choices.recipe_of(SEALED) == {}
    assert choices.decode(choices.encode(sealed._replace(kind="file")), SETTINGS)["kind"] == "file"
