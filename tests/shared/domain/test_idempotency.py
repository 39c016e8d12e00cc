"""What can be an idempotency key."""

import pytest

from shared.domain import errors, idempotency


@pytest.mark.parametrize("key", ["a" * 16, "a" * 255, "!" * 16, "~" * 16, "123e4567-e89b-12d3-a456-426614174000"])
def test_16_to_255_visible_characters_are_a_key(key: str) -> None:
    assert idempotency.is_key(key)
    assert idempotency.check_key(key) == key


@pytest.mark.parametrize("key", ["", "a" * 15, "a" * 256, " " * 16, "a" * 16 + "\n", "ä" * 16, "a" * 15 + "\x7f"])
def test_nothing_else_is(key: str) -> None:
    assert not idempotency.is_key(key)
    with pytest.raises(errors.MalformedRequest) as refused:
        idempotency.check_key(key)
    assert not key.strip() or key not in str(refused.value)


def test_a_new_key_is_a_key_and_another_each_time() -> None:
    keys = {idempotency.new_key() for _ in range(3)}

    assert len(keys) == 3
    assert all(idempotency.is_key(key) and len(key) == 32 for key in keys)
