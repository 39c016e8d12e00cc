"""Accounts created or deleted between two calls to Cognito."""

from collections.abc import Callable

import pytest

from shared.domain import errors
from shared.identity import accounts
from tests.conftest import PASSWORD
from tests.doubles.cognito import Cognito
from tests.drivers.browser import Browser
from tests.functions.pages.test_account import ANN
from tests.meters import wire_tap

LOOK = "AdminGetUser"


def test_an_account_deleted_during_a_second_sign_up_gets_no_mail(people: Cognito, ann: Browser) -> None:
    before = len(people.mails)

    with wire_tap.answering(LOOK, "UserNotFoundException", status=400):
        accounts.sign_up(ANN)

    assert len(people.mails) == before


def test_an_account_that_comes_as_its_password_is_set_has_nothing_to_end(people: Cognito, ann: Browser) -> None:
    accounts.send_password_code(ANN)

    with wire_tap.answering(LOOK, "UserNotFoundException", status=400), pytest.raises(errors.CodeRefused):
        accounts.reset_password(ANN, people.code(ANN), PASSWORD)


@pytest.mark.parametrize("act", [accounts.confirm, accounts.reset_password])
@pytest.mark.parametrize(
    ("address", "password", "refusal"),
    [(ANN, "short", errors.PasswordRefused), ("ann", PASSWORD, errors.AddressRefused)],
)
def test_an_invalid_password_spends_no_code(
    people: Cognito, act: Callable[[str, str, str], object], address: str, password: str, refusal: type[Exception]
) -> None:
    with wire_tap.calls() as calls, pytest.raises(refusal):
        act(address, "123456", password)

    assert calls == []
