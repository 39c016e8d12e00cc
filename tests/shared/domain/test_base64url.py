import string

from hypothesis import given
from hypothesis import strategies as st

from shared.domain import base64url
from tests.drivers.sender_key import decoded

ALPHABET = string.ascii_letters + string.digits + "-_"


@given(st.text(ALPHABET + "+/=. \né", max_size=12))
def test_base64url_is_read_strictly(text: str) -> None:
    value = base64url.decode(text)

    assert value is None or base64url.encode(value) == text
    assert value is None or set(text) <= set(ALPHABET)


@given(st.binary(max_size=100))
def test_what_is_encoded_is_decoded(value: bytes) -> None:
    assert base64url.decode(base64url.encode(value)) == value == decoded(base64url.encode(value))
