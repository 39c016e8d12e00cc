import pytest

from shared.domain import errors, token, two_factor


@pytest.mark.parametrize("typed", ["123456", " 123 456\n", "1 2 3 4 5 6"])
def test_a_code_has_six_digits_and_perhaps_spaces(typed: str) -> None:
    assert two_factor.check_code(typed) == "123456"


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "1" * 10_000, "123456" + " " * 20])
def test_anything_else_is_no_code(typed: str) -> None:
    with pytest.raises(errors.OneTimeCodeRefused, match="The code must have six digits"):
        two_factor.check_code(typed)


def test_the_url_for_an_app_is_escaped() -> None:
    uri = two_factor.uri("ABC234", "ann+x@example.com", "Häuser & Co: Ltd")

    issuer = "H%C3%A4user%20%26%20Co%3A%20Ltd"
    assert uri == f"otpauth://totp/{issuer}:ann%2Bx%40example.com?secret=ABC234&issuer={issuer}"


def test_a_secret_is_shown_in_groups() -> None:
    assert two_factor.in_groups("ABCDEFGHIJ") == "ABCD EFGH IJ"


def test_a_challenge_and_an_access_token_are_not_printed() -> None:
    assert "hidden" not in repr([token.Challenge("ann", "hidden"), token.Access("sub", "hidden")])
