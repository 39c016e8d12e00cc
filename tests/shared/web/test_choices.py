"""A sender's choices as one short text."""

from datetime import timedelta

import pytest

from shared.domain.limits import DURATIONS
from shared.domain.passwords import ALPHABETS, SEPARATORS, Recipe, recipe
from shared.domain.push import Push
from shared.web import choices
from tests.shared.domain.test_push import PUSH


def lived(lifetime: timedelta, days: int) -> Push:
    return PUSH._replace(expires_at=PUSH.created_at + lifetime, expire_after_days=days)


@pytest.mark.parametrize("index", range(len(DURATIONS)))
def test_written_choices_can_be_read_again(index: int) -> None:
    push = lived(DURATIONS[index], max(1, DURATIONS[index].days))

    assert choices.decode(choices.encode(push)) == {
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
    assert recipe(choices.decode(choices.encode(PUSH, wanted))) == wanted


def test_the_days_of_a_push_that_ended_early_are_known() -> None:
    for ended in (timedelta(minutes=15), timedelta(days=1), timedelta(seconds=1234)):
        assert ".4320m." in choices.encode(lived(ended, days=3))


def test_a_lifetime_that_the_form_does_not_offer_is_the_next_shorter() -> None:
    assert DURATIONS[choices.nearest_lifetime(timedelta(days=9))] == timedelta(days=7)
    assert DURATIONS[choices.nearest_lifetime(timedelta(minutes=59))] == timedelta(minutes=45)
    assert DURATIONS[choices.nearest_lifetime(timedelta(minutes=1))] == timedelta(minutes=15)


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
    assert DURATIONS[choices.selected_lifetime(typed)] == shown
