"""What a form carries is worth something with its own cookie only, in its own form only."""

import pytest

from shared.domain import errors
from shared.web import sealed_field

VALUES = ["a token", "ein Schlüssel"]


def test_what_was_sealed_opens_and_does_not_show() -> None:
    field = sealed_field.seal("cookie", "form", VALUES)

    assert sealed_field.unseal("cookie", "form", field) == VALUES
    assert "token" not in field


@pytest.mark.parametrize(("cookie", "purpose"), [("another", "form"), ("cookie", "another")])
def test_another_cookie_or_form_opens_nothing(cookie: str, purpose: str) -> None:
    with pytest.raises(errors.SignInLapsed):
        sealed_field.unseal(cookie, purpose, sealed_field.seal("cookie", "form", VALUES))


@pytest.mark.parametrize("field", ["", "A", "AAAA", "é", "\ud800", "A" * 100_000])
def test_what_was_never_sealed_opens_nothing(field: str) -> None:
    with pytest.raises(errors.SignInLapsed):
        sealed_field.unseal("cookie", "form", field)


def test_what_lost_its_end_opens_nothing() -> None:
    with pytest.raises(errors.SignInLapsed):
        sealed_field.unseal("cookie", "form", sealed_field.seal("cookie", "form", VALUES)[:-8])
