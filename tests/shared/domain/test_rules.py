"""Details of the field rules that the create endpoint's own tests do not show."""

from datetime import timedelta
from typing import Any

import pytest

from shared.domain import errors, limits, rules
from shared.domain.new_push import NewPush
from shared.runtime import settings
from tests.engines import resources

SETTINGS = settings.load(resources.environment())


def new_push(**parameters: Any) -> NewPush:
    return rules.new_push({"payload": "s3cret", **parameters}, SETTINGS)


def test_a_lifetime_is_exact_and_clients_see_at_least_a_day() -> None:
    seen = [new_push(expire_after_duration=index) for index in range(18)]

    assert [new.lifetime for new in seen] == list(limits.DURATIONS)
    assert [new.expire_after_days for new in seen] == [*[1] * 7, 2, 3, 4, 5, 6, 7, 14, 21, 30, 60, 90]


def test_days_are_a_lifetime_of_whole_days() -> None:
    assert new_push(expire_after_days="90").lifetime == timedelta(days=90)


@pytest.mark.parametrize(
    ("parameters", "asks"),
    [
        ({"files": []}, True),
        ({"files": [], "kind": "text"}, True),
        ({"kind": "file"}, True),
        ({"files": None, "kind": "text"}, False),
        ({}, False),
    ],
)
def test_naming_files_or_their_kind_means_a_push_of_files(parameters: dict[str, Any], asks: bool) -> None:
    assert rules.asks_for_files(parameters) is asks


def test_an_empty_passphrase_is_none() -> None:
    assert [new_push(passphrase=value).passphrase for value in (None, "", " ")] == [None, None, " "]


def test_a_field_may_break_several_rules_at_once() -> None:
    with pytest.raises(errors.InvalidPush) as refusal:
        new_push(name="\0\ud800" * 200)

    assert refusal.value.fields == {
        "name": [
            "is too long (at most 255 characters)",
            "must not contain NUL characters",
            "must not contain unpaired surrogates",
        ]
    }


@pytest.mark.parametrize(
    "value", ["SECRET\0", "SECRET" * 300_000, ["SECRET"], {"SECRET": "SECRET"}, "SECRET\ud800"], ids=lambda _: ""
)
def test_no_message_quotes_the_input(value: Any) -> None:
    names = ["payload", "kind", "passphrase", "name", "note", "expire_after_days", "expire_after_views", "files"]

    with pytest.raises(errors.InvalidPush) as refusal:
        new_push(**dict.fromkeys(names, value))

    assert set(refusal.value.fields) == set(names)
    assert "SECRET" not in repr(refusal.value.fields) + str(refusal.value)


def test_a_qr_code_holds_as_many_bytes_as_characters_allow() -> None:
    assert new_push(kind="qr", payload="ü" * 1_024).kind == "qr"

    with pytest.raises(errors.InvalidPush):
        new_push(kind="qr", payload="😀" * 739)  # 2,956 bytes
